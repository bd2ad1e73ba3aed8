//! What a host serves, in one line of the log.

use super::super::{CliError, many};
use lustra::operator::state::{self, ConnectorState, ServingState};
use lustra::server::Host;

/// Version, connectors and lists of a host, in one line.
pub(super) async fn summary(host: &Host) -> Result<String, CliError> {
    let context = &host.app.context;
    let connectors = state::all(&context.store, &host.app.companies).await?;
    let serving = |state: &&ConnectorState| state.state == ServingState::Serving;
    let enabled = |state: &&ConnectorState| state.state != ServingState::NotEnabled;
    let (serving, enabled): (Vec<_>, Vec<_>) = (
        connectors.iter().filter(serving).collect(),
        connectors.iter().filter(enabled).collect(),
    );
    let lists = serving.iter().flat_map(|state| &state.lists);
    let lists: Vec<_> = lists.filter(|list| list.on).collect();
    let never = lists.iter().filter(|list| list.imported_at.is_none());
    let paused = lists.iter().filter(|list| list.paused_at.is_some());
    let failed = lists.iter().filter(|list| list.failure.is_some());
    Ok(format!(
        "version {}, {} of {} connectors serve; {}: {} never imported, {} failed, {} paused",
        env!("CARGO_PKG_VERSION"),
        serving.len(),
        enabled.len(),
        many(lists.len(), "list", "lists"),
        never.count(),
        failed.count(),
        paused.count(),
    ))
}
