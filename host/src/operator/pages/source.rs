//! One connector: its versions, addresses, failures and lists.

use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::overview::run_progress;
use super::own_lists::{OwnListView, own_lists};
use super::texts::Texts;
use super::{Frame, Problem, page, state_of, time_of, time_text, whole};
use crate::connectors::ShadowReport;
use crate::language::Language;
use crate::operator::OperatorState;
use crate::operator::state::{ConnectorState, UpstreamOfConnector};
use crate::status::{Need, Status};
use crate::store::{ConnectorId, ImportRun, RunState, StoreError};
use crate::web::{Reader, number, parameter};

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
    shadow: Vec<(&'static str, String)>,
    /// Kind of failure and number of calls.
    failures: Vec<(String, String)>,
    upstreams: Vec<UpstreamOfConnector>,
    lists: Vec<List>,
    /// What the form before this page has done; empty without one.
    done: &'static str,
    own: Vec<OwnListView>,
    /// Lists that are being imported.
    running: Vec<String>,
    /// Whether something of them changes by itself.
    is_live: bool,
    /// Largest file, with its unit.
    most: String,
    /// Digest of the version that would serve after taking the present one back; empty without one.
    earlier: String,
    /// Whether an operator took the rejected version back.
    is_held: bool,
}

/// The page of a source after a form; `done` says which.
pub(super) fn address(id: &str, done: &str) -> String {
    let id = utf8_percent_encode(id, NON_ALPHANUMERIC);
    if done.is_empty() {
        format!("/sources/{id}")
    } else {
        format!("/sources/{id}?done={done}")
    }
}

fn done(query: Option<&str>, t: &'static Texts) -> &'static str {
    let done = parameter(query.unwrap_or_default(), "done");
    match done.as_deref() {
        Some("taken") => t.list_taken,
        Some("discarded") => t.list_discarded,
        Some("taken-back") => t.version_taken,
        Some("released") => t.version_released,
        _ => "",
    }
}

pub(super) async fn source(
    State(state): State<OperatorState>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
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
    let mut facts = facts(&connector, language, t);
    let rejected = connector.rejected_component().map(|rejected| {
        vec![
            (t.version, rejected.version.clone().unwrap_or_default()),
            (t.digest, short(rejected.digest.as_deref())),
            (t.at, time_text(&rejected.at, language)),
            (t.reason, rejected.reason.clone()),
        ]
    });
    let settings = connector.rejected_settings();
    facts.extend(settings.map(|reason| (t.settings_reason, reason.to_owned())));
    let (word, is_well) = state_of(&connector, t);
    let lists = lists(&state, &connector, language, t).await?;
    let shadow = connector.shadow.as_ref();
    let own = own_lists(&state, &id, language, t).await?;
    let running = running(&state, &id, language).await?;
    let manager = state.companies.connectors();
    let mib = state.context.config().operator.upload_mib;
    let rejected_digest = connector.rejected_component();
    let rejected_digest = rejected_digest.and_then(|rejected| rejected.digest.as_deref());
    // A file without a readable manifest has no id, and no versions.
    let own_id = ConnectorId::parse(&id).ok();
    let earlier = own_id.as_ref().and_then(|id| manager.earlier_version(id));
    let is_held = own_id.zip(rejected_digest);
    let is_held = is_held.is_some_and(|(id, digest)| manager.is_held(&id, digest));
    let template = SourcePage {
        id: connector.id.clone(),
        is_well,
        state: word,
        reason: connector.reason.clone().unwrap_or_default(),
        needs: needs.map(|source| source.needs).unwrap_or_default(),
        facts,
        rejected: rejected.unwrap_or_default(),
        shadow: shadow.map_or_else(Vec::new, |shadow| shadow_facts(shadow, language, t)),
        failures: connector
            .calls
            .failures
            .iter()
            .map(|(kind, count)| (kind.clone(), whole(*count, language)))
            .collect(),
        upstreams: connector.upstreams.clone(),
        lists,
        done: done(query.as_deref(), t),
        is_live: !running.is_empty() || own.iter().any(OwnListView::is_under_way),
        most: format!("{} MiB", whole(mib, language)),
        earlier: short(earlier.as_deref()),
        is_held,
        own,
        running,
        frame,
        t,
    };
    Ok(page(&reader, StatusCode::OK, &template))
}

/// The lists of the connector that are being imported, each with its progress.
async fn running(
    state: &OperatorState,
    id: &str,
    language: Language,
) -> Result<Vec<String>, StoreError> {
    let now = state.context.now();
    let runs = state.context.store.datasets().unfinished().await?;
    let runs = runs.iter().filter(|run| run.connector == *id);
    let runs = runs.filter(|run| run.is_under_way(now)).map(|run| {
        let (dataset, progress) = (&run.dataset, run_progress(run));
        format!("{dataset} {} {progress}", number(run.records, language))
    });
    Ok(runs.collect())
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
            "{} · {} {} · {}: {}",
            short(Some(&probation.previous)),
            t.probation_until,
            time_text(&probation.until, language),
            t.probation_calls,
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

/// What the calls that were repeated with a new version gave.
fn shadow_facts(
    shadow: &ShadowReport,
    language: Language,
    t: &'static Texts,
) -> Vec<(&'static str, String)> {
    let count = |count: usize| whole(u64::try_from(count).unwrap_or(u64::MAX), language);
    let mut facts = vec![
        (t.shadow_replayed, count(shadow.replayed)),
        (t.shadow_differing, count(shadow.differing)),
        (t.shadow_failed, count(shadow.failed)),
        (t.shadow_failed_before, count(shadow.failed_before)),
        (t.shadow_not_comparable, count(shadow.not_comparable)),
        (t.shadow_withdrawn, count(shadow.withdrawn)),
    ];
    if let Some(first) = &shadow.first_failure {
        facts.push((t.shadow_first, first.clone()));
    }
    facts
}

/// The notes of an import, which are a JSON object of counts, as text.
fn notes_text(notes: &str) -> String {
    let Ok(counts) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(notes)
    else {
        return notes.to_owned();
    };
    let counts = counts
        .iter()
        .map(|(name, count)| format!("{name}: {count}"));
    counts.collect::<Vec<_>>().join(", ")
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
                None => run.notes.as_deref().map_or_else(String::new, notes_text),
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

/// A time for people; empty without one.
fn at(at: Option<&str>, language: Language) -> String {
    at.map_or_else(String::new, |at| time_text(at, language))
}

/// The beginning of a digest.
fn short(digest: Option<&str>) -> String {
    digest.unwrap_or_default().chars().take(12).collect()
}
