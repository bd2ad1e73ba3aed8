//! `lustra connector list`.

use super::super::{CliError, ConfigFile, print, say, start_log};
use crate::clock::Clock;
use crate::connectors::catalogue::{Entry, EntryState};
use crate::server::Host;

/// List the components in the directory and what became of each.
///
/// A component that was refused shows why, down to the configuration line that is missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra connector list --config lustra.toml")]
pub struct List {
    #[command(flatten)]
    config: ConfigFile,
    /// Print JSON, one object a line.
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) async fn run(self) -> Result<(), CliError> {
        start_log("off", false);
        let host = Host::prepare(self.config.read()?, Clock::system()).await?;
        let catalogue = host.app.companies.connectors().catalogue();
        for (id, entry) in &catalogue.entries {
            if self.json {
                print(&as_json(id, entry).to_string());
            } else {
                print(&as_line(id, entry));
            }
        }
        if catalogue.entries.is_empty() {
            say("there are no components in the directory `components` of the settings");
        }
        Ok(())
    }
}

fn state(entry: &Entry) -> (&'static str, Option<String>) {
    match &entry.state {
        EntryState::Serving(_) => ("serving", None),
        EntryState::NotEnabled => ("not enabled", None),
        EntryState::Refused(why) => ("refused", Some(why.clone())),
    }
}

fn as_json(id: &str, entry: &Entry) -> serde_json::Value {
    let (state, reason) = state(entry);
    let manifest = entry.manifest.as_ref();
    serde_json::json!({
        "id": id,
        "state": state,
        "reason": reason,
        "version": manifest.map(|manifest| &manifest.version),
        "title": manifest.map(|manifest| &manifest.title),
        "digest": entry.digest,
        "file": entry.file,
        "scopes": manifest.map(|manifest| manifest.scopes.iter().map(|scope| &scope.scope).collect::<Vec<_>>()),
        "datasets": manifest.map(|manifest| manifest.datasets.iter().map(|dataset| &dataset.id).collect::<Vec<_>>()),
    })
}

fn as_line(id: &str, entry: &Entry) -> String {
    let (state, reason) = state(entry);
    let version = entry
        .manifest
        .as_ref()
        .map_or("?", |manifest| manifest.version.as_str());
    let scopes: Vec<&str> = entry
        .manifest
        .iter()
        .flat_map(|manifest| manifest.scopes.iter().map(|scope| scope.scope.as_str()))
        .collect();
    let digest: String = entry
        .digest
        .as_deref()
        .unwrap_or("-")
        .chars()
        .take(12)
        .collect();
    let hint = match &entry.state {
        EntryState::NotEnabled => Some(format!(
            "to enable it, add [connector.{id}] with its grants"
        )),
        EntryState::Serving(_) | EntryState::Refused(_) => reason,
    };
    let line = format!(
        "{id:<16} {version:<8} {digest:<12} {state:<12} {}",
        scopes.join(", ")
    );
    match hint {
        Some(hint) => format!("{}\n    {hint}", line.trim_end()),
        None => line.trim_end().to_owned(),
    }
}
