//! `lustra connector reload`.

use std::time::Duration;

use serde_json::Value;

use super::super::{CliError, ConfigFile, print};
use super::running;
use lustra::operator::HEADER;

/// Timeout of a reload, including the compilation of a large component.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Rescan the components directory and the settings of the running host now.
///
/// The host also does this by itself. The command prints the outcome of each component, and retries those that were
/// refused or rolled back, but not those that an operator took back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra connector reload --config lustra.toml")]
pub struct Reload {
    #[command(flatten)]
    config: Option<ConfigFile>,
    /// Operator address of the host. Default: the one in the settings.
    #[arg(long, value_name = "URL", conflicts_with = "config")]
    operator: Option<String>,
    /// Apply the settings even if they disable every serving connector.
    #[arg(long)]
    force: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Reload {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let (address, client) = match (&self.operator, &self.config) {
            (Some(url), _) => (url.trim_end_matches('/').to_owned(), running::client(None)?),
            (None, config) => {
                let config = match config {
                    Some(config) => config.parse()?,
                    None => ConfigFile::default().parse()?,
                };
                if !config.operator.on {
                    return Err(CliError(
                        "operator.on is false in the settings: the host applies changes by itself"
                            .to_owned(),
                    ));
                }
                (running::address(&config), running::client(Some(&config))?)
            }
        };
        let force = if self.force { "?force=true" } else { "" };
        let request = client
            .post(format!("{address}/connectors/reload{force}"))
            .header(HEADER, "reload")
            .timeout(TIMEOUT);
        let Some(answer) = running::ask::<Value>(request).await? else {
            return Err(CliError(format!("no host answers at {address}")));
        };
        if self.json {
            print(&answer.to_string());
        } else {
            shown(&answer).iter().for_each(|line| print(line));
        }
        let refused = answer["changes"].as_array().into_iter().flatten();
        let refused = refused
            .filter(|change| change["outcome"] == "refused")
            .count();
        match (refused, answer["settings_mistake"].as_str()) {
            (0, None) => Ok(()),
            (_, Some(mistake)) => Err(CliError(format!(
                "the changed settings were not applied: {mistake}"
            ))),
            (refused, None) => Err(CliError(format!("{refused} refused"))),
        }
    }
}

fn shown(answer: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let short = |value: &Value| text(value).chars().take(12).collect::<String>();
    let changes = answer["changes"].as_array().cloned().unwrap_or_default();
    let mut lines: Vec<String> = changes
        .iter()
        .map(|change| {
            let what = match change["outcome"].as_str() {
                Some("replaced") => {
                    let shadow = &change["shadow"];
                    let repeated = match shadow["replayed"].as_u64() {
                        Some(replayed) => format!(
                            "; {replayed} recent calls replayed: {} differ, {} fail ({} failed before)",
                            shadow["differing"], shadow["failed"], shadow["failed_before"]
                        ),
                        None => String::new(),
                    };
                    format!("replaces {}{repeated}", short(&change["before"]))
                }
                Some("refused") => {
                    let serving = match change["serving"].as_str() {
                        Some(_) => format!("; {} keeps serving", short(&change["serving"])),
                        None => String::new(),
                    };
                    format!("refused at {}: {}{serving}", text(&change["stage"]), text(&change["reason"]))
                }
                Some("loaded") => "serves".to_owned(),
                Some("retired") => "removed: its file was deleted".to_owned(),
                Some("disabled") => "disabled by the settings".to_owned(),
                other => other.unwrap_or("?").to_owned(),
            };
            format!("{:<16} {:<12} {what}", text(&change["id"]), short(&change["digest"]))
        })
        .collect();
    let later: Vec<String> = answer["at_next_start"]
        .as_array()
        .into_iter()
        .flatten()
        .map(text)
        .collect();
    if !later.is_empty() {
        lines.push(format!("at the next start: {}", later.join(", ")));
    }
    if lines.is_empty() {
        lines.push("nothing changed".to_owned());
    }
    lines
}
