//! `lustra connector list` and `lustra connector inspect`.

use super::super::{CliError, ConfigFile, print, say};
use super::running::{self, Source};
use lustra::operator::state::{CallsState, CircuitState, ConnectorState, ServingState};

/// List the components in the directory with their states.
///
/// Asks the host that runs with these settings. If none runs, the command loads the components like a start would. A
/// refused component is shown with the reason, such as a missing line of the settings.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra connector list --config lustra.toml")]
pub struct List {
    #[command(flatten)]
    config: Option<ConfigFile>,
    /// Operator address of a running host, instead of its settings.
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "offline"])]
    operator: Option<String>,
    /// Load the components without asking a running host.
    #[arg(long)]
    offline: bool,
    /// Print JSON, one object a line.
    #[arg(long)]
    json: bool,
}

/// Show everything about one connector.
///
/// Shows version, digest, circuit breaker, calls, failures, lists, upstreams, and the newest refused component.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra connector inspect orsr --config lustra.toml")]
pub struct Inspect {
    /// Id of the connector.
    id: String,
    #[command(flatten)]
    config: Option<ConfigFile>,
    /// Operator address of a running host, instead of its settings.
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "offline"])]
    operator: Option<String>,
    /// Load the components without asking a running host.
    #[arg(long)]
    offline: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let (states, source) =
            running::states(self.config.as_ref(), self.operator.as_deref(), self.offline).await?;
        for state in &states {
            if self.json {
                print(&serde_json::to_string(state)?);
            } else {
                print(&as_line(state));
            }
        }
        if states.is_empty() {
            say("there are no components in the directory `components` of the settings");
        }
        if let Some(mistake) = states
            .iter()
            .find_map(|state| state.settings_mistake.as_ref())
        {
            say(&format!("the changed settings were not applied: {mistake}"));
        }
        print_source(&source, self.json);
        Ok(())
    }
}

impl Inspect {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let (states, source) =
            running::states(self.config.as_ref(), self.operator.as_deref(), self.offline).await?;
        let ids: Vec<&str> = states.iter().map(|state| state.id.as_str()).collect();
        let Some(state) = states.iter().find(|state| state.id == self.id) else {
            return Err(CliError(format!(
                "there is no connector {}; there are {}",
                self.id,
                ids.join(", ")
            )));
        };
        if self.json {
            print(&serde_json::to_string(state)?);
        } else {
            print(&as_page(state));
        }
        print_source(&source, self.json);
        Ok(())
    }
}

fn print_source(source: &Source, json: bool) {
    if !json && let Source::Host(address) = source {
        say(&format!("· reported by the host at {address}"));
    }
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

fn as_line(state: &ConnectorState) -> String {
    let line = format!(
        "{:<16} {:<8} {:<12} {:<12} {}",
        state.id,
        state.version.as_deref().unwrap_or("?"),
        short(state.digest.as_deref().unwrap_or("-")),
        shown_state(state),
        state.scopes.join(", ")
    );
    let mut lines = vec![line.trim_end().to_owned()];
    lines.extend(
        remarks(state)
            .into_iter()
            .map(|remark| format!("    {remark}")),
    );
    lines.join("\n")
}

/// The state in words. `circuit open` instead of `serving` while its calls are refused.
fn shown_state(state: &ConnectorState) -> &'static str {
    if state.breaker == Some(CircuitState::Open) {
        "circuit open"
    } else {
        state.state.word()
    }
}

fn remarks(state: &ConnectorState) -> Vec<String> {
    let mut remarks = Vec::new();
    if state.state == ServingState::NotEnabled {
        remarks.push(format!(
            "to enable it: lustra connector enable {}",
            state.file.display()
        ));
    }
    remarks.extend(state.reason.clone());
    if let Some(rejected) = state.rejected_component() {
        remarks.push(format!(
            "the component in the directory ({} {}) is not the one that serves, refused at {}: {}",
            rejected.version.as_deref().unwrap_or("version unknown,"),
            short(rejected.digest.as_deref().unwrap_or("unreadable")),
            rejected.stage,
            rejected.reason
        ));
    }
    remarks.extend(
        state
            .rejected_settings()
            .map(|reason| format!("the changed settings do not apply: {reason}")),
    );
    if let Some(probation) = &state.probation {
        remarks.push(format!(
            "on probation for {} more calls or until {}; a rollback restores {}",
            probation.calls_left,
            probation.until,
            short(&probation.previous)
        ));
    }
    if let Some(until) = &state.circuit_open_until {
        remarks.push(format!("circuit open until {until}"));
    }
    remarks
}

fn as_page(state: &ConnectorState) -> String {
    let mut lines = vec![as_line(state)];
    let mut row = |name: &str, value: String| lines.push(format!("{name:<12} {value}"));
    row("title", state.title.clone().unwrap_or_default());
    row("file", state.file.display().to_string());
    row("digest", state.digest.clone().unwrap_or_default());
    if let (Some(at), Some(code)) = (&state.loaded_at, state.code) {
        row("loaded", format!("{at}, machine code {}", code.word()));
    }
    if let Some(breaker) = state.breaker {
        row("breaker", breaker.word().to_owned());
    }
    row("calls", calls(&state.calls));
    for (kind, count) in &state.calls.failures {
        row("", format!("{count} failed: {kind}"));
    }
    if let Some(failure) = &state.last_failure {
        row(
            "last failure",
            format!("{}: {}", failure.at, failure.reason),
        );
    }
    if let Some(shadow) = &state.shadow {
        row("shadow", serde_json::json!(shadow).to_string());
    }
    if let Some(mistake) = &state.settings_mistake {
        row("settings", format!("changes not applied: {mistake}"));
    }
    for digest in &state.draining {
        row("draining", short(digest).to_owned());
    }
    for list in &state.lists {
        let imported = list.imported_at.as_deref().unwrap_or("never");
        let what = match (list.on, &list.failure) {
            (false, _) => "off".to_owned(),
            (true, None) => format!("{} records, imported {imported}", list.records),
            (true, Some(why)) => format!("failed: {why} (in use: {imported})"),
        };
        row("list", format!("{}: {what}", list.id));
    }
    for upstream in &state.upstreams {
        let address = upstream.address.as_deref().unwrap_or("no address");
        let held = upstream
            .held_seconds
            .map(|seconds| format!(", paused for {seconds} s"));
        let (under_way, waiting) = (upstream.under_way, upstream.waiting);
        let held = held.unwrap_or_default();
        row(
            "upstream",
            format!(
                "{}: {address}, {under_way} under way, {waiting} waiting{held}",
                upstream.name
            ),
        );
    }
    lines.join("\n")
}

fn calls(calls: &CallsState) -> String {
    let millis = |seconds: Option<f64>| match seconds {
        Some(seconds) => format!("≤ {} ms", seconds * 1_000.0),
        None => "-".to_owned(),
    };
    format!(
        "{} ended, {} under way, p50 {}, p99 {}, {} requests, at most {:.1} MiB, {:.3} s CPU",
        calls.ended,
        calls.in_flight,
        millis(calls.p50_seconds),
        millis(calls.p99_seconds),
        calls.requests,
        mib(calls.memory_high),
        calls.cpu_seconds
    )
}

#[expect(clippy::cast_precision_loss, reason = "bytes far below 2^52")]
fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
