//! `lustra config`.

mod reference;

use serde_json::json;

use super::{CliError, ConfigFile, many, print, say};
use lustra::config::check;

/// Check the settings, and print the reference of all settings.
#[derive(Debug, clap::Subcommand)]
pub enum Config {
    Check(Check),
    Reference(reference::Reference),
}

/// Check the settings against the components in the directory.
///
/// Reads the settings file and compares it with the manifests of the components. Reports unknown names, missing grants,
/// limits that cannot be enforced, and an operator address that other machines can reach. `serve` logs the same
/// findings as warnings. Fails if there is a finding.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra config check --config lustra.toml")]
pub struct Check {
    #[command(flatten)]
    config: ConfigFile,
    /// Print JSON, one finding a line.
    #[arg(long)]
    json: bool,
}

impl Config {
    pub(super) fn run(self) -> Result<(), CliError> {
        match self {
            Self::Check(check) => check.run(),
            Self::Reference(reference) => reference.run(),
        }
    }
}

impl Check {
    fn run(self) -> Result<(), CliError> {
        let config = self.config.parse()?;
        let findings = check::findings(&config).map_err(|error| {
            let directory = config.components.display();
            CliError(format!("components: {directory}: {error}"))
        })?;
        for finding in &findings {
            if self.json {
                let line = json!({ "setting": finding.setting, "problem": finding.problem });
                print(&line.to_string());
            } else {
                print(&finding.to_string());
            }
        }
        if findings.is_empty() {
            if !self.json {
                say("nothing was found");
            }
            return Ok(());
        }
        let count = many(findings.len(), "finding", "findings");
        Err(CliError(format!("{count} in the settings")))
    }
}
