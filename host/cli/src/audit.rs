//! Entries of commands in the audit log.

use time::OffsetDateTime;

use super::say;
use lustra_store::{ActionResult, NewOperatorAction, OperatorAction, Store};

/// Who acts.
const ACTOR: &str = "cli";

/// Records what a command has done. The command has taken effect already, so a failure to record it is only reported.
pub(super) async fn done(
    store: &Store,
    action: OperatorAction,
    object: &str,
    about: &str,
    now: OffsetDateTime,
) {
    ended(store, action, object, ActionResult::Done, about, now).await;
}

/// Like [`done`], with another result.
pub(super) async fn ended(
    store: &Store,
    action: OperatorAction,
    object: &str,
    result: ActionResult,
    about: &str,
    now: OffsetDateTime,
) {
    let new = NewOperatorAction {
        actor: ACTOR,
        action,
        object,
        result,
        about,
    };
    if let Err(error) = store.operator_actions().record(new, now).await {
        say(&format!("the audit log could not be written: {error}"));
    }
}
