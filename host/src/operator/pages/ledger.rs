//! The check of the ledger: its state, its mistakes, and a button that starts it.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::texts::Texts;
use super::{Frame, Problem, page, time_of};
use crate::operator::OperatorState;
use crate::operator::actions::{Actor, AuditEntry};
use crate::operator::ledger_job::{self, CheckState, ShownMistake};
use crate::store::{ActionResult, LedgerCheck, OperatorAction};
use crate::web::{Reader, number};

#[derive(Template)]
#[template(path = "operator/ledger.html")]
struct LedgerPage {
    frame: Frame,
    t: &'static Texts,
    is_running: bool,
    is_well: bool,
    verdict: &'static str,
    /// Why the check did not finish, in English.
    failure: String,
    facts: Vec<(&'static str, String)>,
    mistakes: Vec<ShownMistake>,
}

/// `GET /ledger`.
pub(super) async fn ledger(
    State(state): State<OperatorState>,
    reader: Reader,
) -> Result<Response, Problem> {
    let frame = Frame::new(&state, &reader, super::texts(reader.language).ledger);
    let t = frame.t;
    let newest = ledger_job::state(&state.context).await?;
    let (verdict, check) = match newest {
        CheckState::Never => (t.ledger_never, None),
        CheckState::Running(check) => (t.ledger_running, Some((check, true))),
        CheckState::Interrupted(check) => (t.ledger_interrupted, Some((check, false))),
        CheckState::Finished(check) => {
            let verdict = match (&check.failure, check.mistake_count) {
                (Some(_), _) => t.ledger_failed,
                (None, 0) => t.ledger_right,
                (None, _) => t.ledger_wrong,
            };
            (verdict, Some((check, false)))
        }
    };
    let is_running = check.as_ref().is_some_and(|(_, is_running)| *is_running);
    let check = check.map(|(check, _)| check);
    let mistakes = check.as_ref().map(|check| check.mistakes.as_str());
    let template = LedgerPage {
        is_running,
        is_well: verdict == t.ledger_right,
        verdict,
        failure: check
            .as_ref()
            .and_then(|check| check.failure.clone())
            .unwrap_or_default(),
        mistakes: mistakes
            .and_then(|mistakes| serde_json::from_str(mistakes).ok())
            .unwrap_or_default(),
        facts: check.map_or_else(Vec::new, |check| facts(&check, &reader, t)),
        frame,
        t,
    };
    Ok(page(&reader, StatusCode::OK, &template))
}

fn facts(check: &LedgerCheck, reader: &Reader, t: &'static Texts) -> Vec<(&'static str, String)> {
    let language = reader.language;
    let whole = |count: i64| number(count, language);
    let accounts = format!("{} {} {}", whole(check.checked), t.of, whole(check.planned));
    let mut facts = vec![(t.begun, time_of(check.started_at, language))];
    if let Some(at) = check.finished_at {
        facts.push((t.ended, time_of(at, language)));
    }
    facts.extend([
        (t.ledger_accounts, accounts),
        (t.ledger_entries, whole(check.entries)),
        (t.ledger_credits, whole(check.credits)),
        (t.ledger_mistakes, whole(check.mistake_count)),
    ]);
    facts
}

/// `POST /actions/ledger`: starts a check.
pub(super) async fn start(
    State(state): State<OperatorState>,
    actor: Actor,
) -> Result<Response, Problem> {
    let started = ledger_job::start(&state.context).await?;
    let (result, about) = if started {
        (ActionResult::Done, "")
    } else {
        (ActionResult::Refused, "a check is running")
    };
    let entry = AuditEntry {
        action: OperatorAction::VerifyLedger,
        object: "ledger",
        result,
        about,
    };
    state.record(&actor, entry).await;
    if started {
        Ok(Redirect::to("/ledger").into_response())
    } else {
        Err(Problem::LedgerBusy)
    }
}
