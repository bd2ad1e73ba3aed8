//! What operators do, by pages and by JSON calls, each with its entry in the audit log.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::convert::Infallible;

use super::{MACHINE, OperatorState};
use crate::connectors::reload::{ChangeKind, TakeBackError, TakenBack};
use crate::context::Context;
use crate::reload::{ReloadMode, Reloaded};
use crate::store::{ActionResult, NewOperatorAction, OperatorAction, StoreError};
use crate::web::Client;
use crate::worker::{self, SWEEP_BATCH};

/// Who acts: the address of the client.
#[derive(Debug, Clone)]
pub(super) struct Actor(pub(super) String);

impl FromRequestParts<OperatorState> for Actor {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &OperatorState,
    ) -> Result<Self, Infallible> {
        let Ok(client) = Client::from_request_parts(parts, state).await;
        let address = client.counted();
        Ok(Self(address.map_or_else(
            || "unknown".to_owned(),
            |address| address.to_string(),
        )))
    }
}

/// An action in the audit log.
pub(super) struct AuditEntry<'a> {
    pub(super) action: OperatorAction,
    pub(super) object: &'a str,
    pub(super) result: ActionResult,
    /// Details for people.
    pub(super) about: &'a str,
}

impl OperatorState {
    /// Records an action. An action is not undone because it could not be recorded: operators must be able to act while
    /// the store is unavailable.
    pub(super) async fn record(&self, actor: &Actor, entry: AuditEntry<'_>) {
        record(&self.context, &actor.0, entry).await;
    }

    /// Reloads components and settings. `None`: it panicked.
    pub(super) async fn reload_by(&self, actor: &Actor, mode: ReloadMode) -> Option<Reloaded> {
        let reloaded = self.reload(mode).await;
        let (result, about) = match &reloaded {
            Some(reloaded) => (ActionResult::Done, summary(reloaded)),
            None => (ActionResult::Failed, "see the log".to_owned()),
        };
        let object = match mode {
            ReloadMode::Changed => "changed",
            ReloadMode::RetryRefused => "changed and refused",
            ReloadMode::Force => "forced",
        };
        let entry = AuditEntry {
            action: OperatorAction::Reload,
            object,
            result,
            about: &about,
        };
        self.record(actor, entry).await;
        reloaded
    }

    /// Accepts the host's clock. `false`: the clock of the database disagrees.
    pub(super) async fn confirm_clock_by(&self, actor: &Actor) -> Result<bool, StoreError> {
        let confirmed = self.ledger.confirm_clock().await;
        let (result, about) = match &confirmed {
            Ok(true) => (ActionResult::Done, String::new()),
            Ok(false) => (
                ActionResult::Refused,
                "the database's clock disagrees".to_owned(),
            ),
            Err(error) => (ActionResult::Failed, error.to_string()),
        };
        let entry = AuditEntry {
            action: OperatorAction::ConfirmClock,
            object: MACHINE.as_str(),
            result,
            about: &about,
        };
        self.record(actor, entry).await;
        confirmed
    }

    /// Restarts a worker. `false`: there is none of this name.
    pub(super) async fn restart_by(&self, actor: &Actor, name: &str) -> bool {
        let is_restarted = self.workers.restart(name);
        let result = if is_restarted {
            ActionResult::Done
        } else {
            ActionResult::Refused
        };
        let entry = AuditEntry {
            action: OperatorAction::RestartWorker,
            object: name,
            result,
            about: MACHINE.as_str(),
        };
        self.record(actor, entry).await;
        is_restarted
    }

    /// Lets the version of a connector before serve again.
    pub(super) async fn take_back_by(
        &self,
        actor: &Actor,
        id: &str,
    ) -> Result<TakenBack, TakeBackError> {
        let taken = self.reloader.take_back(id).await;
        let (result, about) = match &taken {
            Ok(taken) => (
                ActionResult::Done,
                format!("{} → {}", taken.version, taken.previous_version),
            ),
            Err(error) => (ActionResult::Refused, error.to_string()),
        };
        let entry = AuditEntry {
            action: OperatorAction::TakeBackVersion,
            object: id,
            result,
            about: &about,
        };
        self.record(actor, entry).await;
        taken
    }

    /// Releases the version of a connector that was taken back.
    pub(super) async fn release_by(
        &self,
        actor: &Actor,
        id: &str,
    ) -> Result<Reloaded, TakeBackError> {
        let released = self.reloader.release(id).await;
        let (result, about) = match &released {
            Ok(reloaded) => (ActionResult::Done, summary(reloaded)),
            Err(error) => (ActionResult::Refused, error.to_string()),
        };
        let entry = AuditEntry {
            action: OperatorAction::ReleaseVersion,
            object: id,
            result,
            about: &about,
        };
        self.record(actor, entry).await;
        released
    }
}

/// Records an action of a client at this address.
pub(super) async fn record(context: &Context, actor: &str, entry: AuditEntry<'_>) {
    let AuditEntry {
        action,
        object,
        result,
        about,
    } = entry;
    let new = NewOperatorAction {
        actor,
        action,
        object,
        result,
        about,
    };
    let actions = context.store.operator_actions();
    if let Err(error) = actions.record(new, context.now()).await {
        let action = action.word();
        tracing::error!(%error, actor, action, object, result = result.word(), "the action {action} of an operator could not be recorded in the audit log");
    }
}

/// What a reload changed, in a few words.
fn summary(reloaded: &Reloaded) -> String {
    let of = |wanted: fn(&ChangeKind) -> bool| {
        let changes = reloaded.changes.iter();
        let ids = changes.filter(|change| wanted(&change.kind));
        ids.map(|change| change.id.as_str()).collect::<Vec<_>>()
    };
    let refused = of(|kind| matches!(kind, ChangeKind::Refused { .. }));
    let others = of(|kind| !matches!(kind, ChangeKind::Refused { .. }));
    let mut parts = Vec::new();
    if reloaded.settings_mistake.is_some() {
        parts.push("settings rejected".to_owned());
    }
    for (what, ids) in [("changed", others), ("refused", refused)] {
        if !ids.is_empty() {
            parts.push(format!("{what}: {}", ids.join(", ")));
        }
    }
    parts.join("; ")
}

/// Worker loop that deletes old actions from the audit log.
pub async fn sweep_actions(context: Context) {
    let context = &context;
    worker::sweep("old actions of the audit log", move || async move {
        let days = time::Duration::days(context.config().operator.audit_days.into());
        let actions = context.store.operator_actions();
        actions.sweep(context.now() - days, SWEEP_BATCH).await
    })
    .await;
}
