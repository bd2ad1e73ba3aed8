//! `lustra doctor`.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use super::connector::running;
use super::{CliError, ConfigFile, many, print, say, start_log};
use lustra::config::{Config, ConfigFileError, check};
use lustra::doctor::{self, Check, Finding, HostState, Observer, Running, Severity, Subject};

/// Examine the host and its surroundings, and say what to do.
///
/// Checks settings, grants, components, secrets, addresses, clock, disk, file descriptors, database, lists, connectors,
/// name resolution, the mail server (without sending) and every register, through the same grants and rates as
/// connectors. Each line is `ok`, `warn` or `fail`, what was found, and what to do. Works while a host runs and while
/// none does, and changes nothing.
///
/// Ends with code 0 if nothing failed, also with warnings, and with 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lustra doctor --config lustra.toml\n  \
    lustra doctor --config lustra.toml --offline --json")]
pub struct Doctor {
    #[command(flatten)]
    config: ConfigFile,
    /// Ask no other machine: skip name resolution, mail server and registers.
    #[arg(long)]
    offline: bool,
    /// Print JSON, one object a finding.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) async fn run(self) -> Result<(), CliError> {
        start_log("off", false);
        let file = self.config.config.as_path();
        let mut report = Report::new(self.json);
        match Config::read_file(file) {
            Ok(config) => {
                let subject = Subject {
                    host: host_state(&config).await,
                    config: &config,
                    file,
                    text: &self.config.text(),
                    clock: ConfigFile::clock(&config),
                    offline: self.offline,
                };
                Box::pin(doctor::examine(&subject, &mut report)).await;
            }
            Err(ConfigFileError::Mistakes(_, error)) => {
                for finding in doctor::of_mistakes(&error.0) {
                    report.found(finding);
                }
            }
            Err(ConfigFileError::File(_, error)) => {
                report.found(doctor::of_unreadable_file(file, error.to_string()));
            }
        }
        report.end(self.offline)
    }
}

/// Asks the host that runs with these settings for its state.
async fn host_state(config: &Config) -> HostState {
    let runs = || check::is_answered_by_lustra(config.listen);
    let silent = |reason: String| HostState::Silent(reason);
    if !config.operator.on {
        return if runs() {
            silent("operator.on is false".to_owned())
        } else {
            HostState::Stopped
        };
    }
    let url = running::address(config);
    let asked = async {
        let client = running::client(Some(config))?;
        let Some(connectors) = running::ask(client.get(format!("{url}/connectors"))).await? else {
            return Ok(None);
        };
        let metrics = client.get(format!("{url}/metrics")).send().await?;
        let metrics = metrics.text().await?;
        let distrusted = metrics.lines().any(|line| {
            line == "lustra_ledger_clock_trusted 0" || line == "lustra_ledger_clock_trusted 0.0"
        });
        Ok::<_, CliError>(Some(Running {
            connectors,
            is_clock_trusted: !distrusted,
        }))
    };
    match asked.await {
        Ok(Some(running)) => HostState::Running(running),
        Ok(None) if runs() => silent(format!("nothing answers at {url}")),
        Ok(None) => HostState::Stopped,
        Err(error) => silent(error.to_string()),
    }
}

/// Prints findings as they come, and the progress of long checks on a terminal.
struct Report {
    json: bool,
    bar: ProgressBar,
    warned: usize,
    failed: usize,
}

impl Report {
    fn new(json: bool) -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::no_length()
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{prefix}: {pos} of {len} [{elapsed}]") {
            bar.set_style(style);
        }
        Self {
            json,
            bar,
            warned: 0,
            failed: 0,
        }
    }

    fn end(self, offline: bool) -> Result<(), CliError> {
        self.bar.finish_and_clear();
        if offline {
            say("· other machines were not asked (--offline)");
        }
        let warned = many(self.warned, "warning", "warnings");
        if self.failed == 0 {
            say(&format!("· nothing failed; {warned}"));
            return Ok(());
        }
        let failed = many(self.failed, "check", "checks");
        Err(CliError(format!("{failed} failed; {warned}")))
    }
}

impl Observer for Report {
    fn found(&mut self, finding: Finding) {
        let described = finding.observation.described();
        match described.severity {
            Severity::Ok => {}
            Severity::Warn => self.warned += 1,
            Severity::Fail => self.failed += 1,
        }
        self.bar.suspend(|| {
            if self.json {
                print(&finding.as_json().to_string());
                return;
            }
            let subject = match finding.subject.as_str() {
                "" => String::new(),
                subject => format!(" {subject}"),
            };
            print(&format!(
                "{:<4} {}{subject}: {}",
                described.severity.word(),
                finding.check.word(),
                described.found
            ));
            if let Some(advice) = described.advice {
                print(&format!("     → {advice}"));
            }
        });
    }

    fn progress(&mut self, check: Check, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_prefix(check.word());
        self.bar.set_position(done as u64);
    }
}
