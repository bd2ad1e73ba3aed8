//! One connector: its versions, addresses, failures and lists.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::overview::run_progress;
use super::texts::Texts;
use super::{Frame, Problem, page, state_of, time_of, time_text};
use crate::language::Language;
use crate::operator::OperatorState;
use crate::operator::state::{ConnectorState, UpstreamOfConnector};
use crate::status::{Need, Status};
use crate::store::{ConnectorId, ImportRun, RunState, StoreError};
use crate::web::{Reader, number};

/// Runs of a list that are shown.
const RUNS: u32 = 10;

struct List {
    id: String,
    is_on: bool,
    imported: String,
    next: String,
    records: String,
    failure: String,
    runs: Vec<Run>,
}

struct Run {
    started: String,
    finished: String,
    state: &'static str,
    records: String,
    skipped: String,
    /// Progress, notes or the failure.
    notes: String,
}

#[derive(Template)]
#[template(path = "operator/source.html")]
struct SourcePage {
    frame: Frame,
    t: &'static Texts,
    id: String,
    is_well: bool,
    state: &'static str,
    reason: String,
    /// What the operator has to supply, in English.
    needs: Vec<Need>,
    facts: Vec<(&'static str, String)>,
    /// The component that waits because it was rejected.
    rejected: Vec<(&'static str, String)>,
    /// What a new version answered differently, as JSON.
    shadow: Option<String>,
    /// Kind of failure and number of calls.
    failures: Vec<(String, String)>,
    upstreams: Vec<UpstreamOfConnector>,
    lists: Vec<List>,
}

pub(super) async fn source(
    State(state): State<OperatorState>,
    Path(id): Path<String>,
    reader: Reader,
) -> Result<Response, Problem> {
    let language = reader.language;
    let connectors = state.states().await?;
    let found = connectors.into_iter().find(|connector| connector.id == id);
    let connector = found.ok_or(Problem::NoSuchSource)?;
    let title = connector.title.as_deref().unwrap_or(&connector.id);
    let frame = Frame::new(&state, &reader, title);
    let t = frame.t;
    let status = Status::read(&state.context, &state.companies, state.started_at).await?;
    let needs = status.sources.into_iter().find(|source| source.id == id);
    let facts = facts(&connector, language, t);
    let rejected = connector.rejected.as_ref().map(|rejected| {
        vec![
            (t.version, rejected.version.clone().unwrap_or_default()),
            (t.digest, short(rejected.digest.as_deref())),
            (t.at, time_text(&rejected.at, language)),
            (t.reason, rejected.reason.clone()),
        ]
    });
    let (word, is_well) = state_of(&connector, t);
    let lists = lists(&state, &connector, language, t).await?;
    let shadow = connector.shadow.as_ref();
    let template = SourcePage {
        id: connector.id.clone(),
        is_well,
        state: word,
        reason: connector.reason.clone().unwrap_or_default(),
        needs: needs.map(|source| source.needs).unwrap_or_default(),
        facts,
        rejected: rejected.unwrap_or_default(),
        shadow: shadow.map(|shadow| serde_json::to_string_pretty(shadow).unwrap_or_default()),
        failures: connector
            .calls
            .failures
            .iter()
            .map(|(kind, count)| (kind.clone(), whole(*count, language)))
            .collect(),
        upstreams: connector.upstreams.clone(),
        lists,
        frame,
        t,
    };
    Ok(page(&reader, StatusCode::OK, &template))
}

/// Facts about the serving version and its calls; those without a value are left out.
fn facts(
    connector: &ConnectorState,
    language: Language,
    t: &'static Texts,
) -> Vec<(&'static str, String)> {
    let whole = |count: u64| whole(count, language);
    let seconds = |seconds: Option<f64>| {
        seconds.map_or_else(String::new, |seconds| {
            format!("≤ {:.0} ms", seconds * 1_000.0)
        })
    };
    let calls = &connector.calls;
    let failure = connector.last_failure.as_ref();
    let probation = connector.probation.as_ref().map(|probation| {
        format!(
            "{} · {} · {}",
            short(Some(&probation.previous)),
            time_text(&probation.until, language),
            whole(probation.calls_left)
        )
    });
    let facts: [(&'static str, String); 12] = [
        (t.version, connector.version.clone().unwrap_or_default()),
        (t.digest, short(connector.digest.as_deref())),
        (t.loaded, at(connector.loaded_at.as_deref(), language)),
        (t.probation, probation.unwrap_or_default()),
        (t.scopes, connector.scopes.join(", ")),
        (t.calls, whole(calls.ended)),
        (t.in_flight, whole(calls.in_flight)),
        (t.median, seconds(calls.p50_seconds)),
        (t.slowest, seconds(calls.p99_seconds)),
        (t.memory, format!("{} KiB", whole(calls.memory_high >> 10))),
        (
            t.last_failure,
            failure.map_or_else(String::new, |failure| {
                format!("{}: {}", time_text(&failure.at, language), failure.reason)
            }),
        ),
        (
            t.retried_at,
            at(connector.circuit_open_until.as_deref(), language),
        ),
    ];
    let facts = facts.into_iter();
    facts.filter(|(_, text)| !text.is_empty()).collect()
}

/// The lists of a connector with their newest runs.
async fn lists(
    state: &OperatorState,
    connector: &ConnectorState,
    language: Language,
    t: &'static Texts,
) -> Result<Vec<List>, StoreError> {
    let mut lists = Vec::new();
    // A component without a readable manifest has neither an id nor lists.
    let Ok(id) = ConnectorId::parse(&connector.id) else {
        return Ok(lists);
    };
    for list in &connector.lists {
        let datasets = state.context.store.datasets();
        let runs = datasets.history(&id, &list.id, RUNS).await?;
        let run = |run: ImportRun| Run {
            started: time_of(run.started_at, language),
            finished: run
                .finished_at
                .map_or_else(String::new, |at| time_of(at, language)),
            state: match run.state {
                RunState::Running => t.run_running,
                RunState::Succeeded => t.run_succeeded,
                RunState::Failed => t.run_failed,
            },
            records: number(run.records, language),
            skipped: number(run.skipped, language),
            notes: match &run.failure {
                Some(failure) => failure.detail.clone(),
                None if run.state == RunState::Running => run_progress(&run),
                None => run
                    .notes
                    .clone()
                    .filter(|notes| notes != "{}")
                    .unwrap_or_default(),
            },
        };
        lists.push(List {
            id: list.id.clone(),
            is_on: list.on,
            imported: at(list.imported_at.as_deref(), language),
            next: at(list.next_run_at.as_deref(), language),
            records: number(list.records, language),
            failure: list.failure.clone().unwrap_or_default(),
            runs: runs.into_iter().map(run).collect(),
        });
    }
    Ok(lists)
}

fn whole(count: u64, language: Language) -> String {
    number(i64::try_from(count).unwrap_or(i64::MAX), language)
}

/// A time for people; empty without one.
fn at(at: Option<&str>, language: Language) -> String {
    at.map_or_else(String::new, |at| time_text(at, language))
}

/// The beginning of a digest.
fn short(digest: Option<&str>) -> String {
    digest.unwrap_or_default().chars().take(12).collect()
}
