//! `lustra config`.

mod reference;

use serde_json::json;

use super::{CliError, ConfigFile, many, print, say};
use lustra::config::check::{Finding, Problem};
use lustra::config::{Config as Settings, ConfigError, ConfigFileError, SettingSpans, check};
use lustra::http_server::Certificates;

/// Check the settings, and print the reference of all settings.
#[derive(Debug, clap::Subcommand)]
pub enum Config {
    Check(Check),
    Reference(reference::Reference),
}

/// Check the settings before a start.
///
/// Reads the settings file, compares it with the manifests of the components, and checks the directories, files and
/// addresses that it names. Reports every mistake with its line and what would be right. `serve` logs the same findings
/// as warnings. Fails if there is a mistake or a finding. Changes nothing, and asks no other machine; `lustra doctor`
/// does that.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra config check --config lustra.toml")]
pub struct Check {
    #[command(flatten)]
    config: ConfigFile,
    /// Print JSON, one mistake or finding a line.
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
        let file = &self.config.config;
        let config = match Settings::read_file(file) {
            Ok(config) => config,
            Err(ConfigFileError::Mistakes(_, ConfigError(mistakes))) if self.json => {
                for mistake in &mistakes {
                    let problem = &mistake.problem;
                    let place = (mistake.setting.as_str(), mistake.line);
                    self.print_json(place, problem.code(), &problem.to_string());
                }
                let count = many(mistakes.len(), "mistake", "mistakes");
                return Err(CliError(format!("{}: {count}", file.display())));
            }
            Err(error) => return Err(error.into()),
        };
        let mut findings = check::findings(&config, file, &self.config.text());
        findings.extend(certificate(&config, &self.config.text()));
        for finding in &findings {
            if self.json {
                let problem = &finding.problem;
                let place = (finding.setting.as_str(), finding.line);
                self.print_json(place, problem.code(), &problem.to_string());
            } else {
                print(&finding.to_string());
            }
        }
        let wrong = findings.iter().filter(|finding| !finding.problem.is_note());
        let wrong = wrong.count();
        if wrong == 0 {
            if !self.json {
                say("nothing wrong was found");
            }
            return Ok(());
        }
        let count = many(wrong, "finding", "findings");
        Err(CliError(format!("{}: {count}", file.display())))
    }

    fn print_json(&self, (setting, line): (&str, Option<usize>), code: &str, problem: &str) {
        let line = json!({
            "file": self.config.config, "line": line, "setting": setting, "code": code, "problem": problem,
        });
        print(&line.to_string());
    }
}

/// Why the certificate of the settings cannot serve now.
pub(super) fn certificate(config: &Settings, text: &str) -> Option<Finding> {
    let clock = ConfigFile::clock(config);
    let problem = match Certificates::read(&config.tls, clock.clone()) {
        Ok(certificates) => {
            let until = certificates?.state().until;
            let ended = (until <= clock.now()).then(|| lustra_sandbox::clock::rfc3339(until));
            format!("the certificate ended at {}", ended?)
        }
        Err(error) => error.to_string(),
    };
    let setting = "tls.certificate";
    Some(Finding {
        setting: setting.to_owned(),
        line: SettingSpans::of(text).line(setting),
        problem: Problem::Certificate(problem),
    })
}
