//! The first page: what is wrong, what waits, and the sources and workers of this host.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::queue_plots::{QueuePlot, plots};
use super::texts::Texts;
use super::{Frame, Problem, page, state_of, time_of, time_text};
use crate::language::Language;
use crate::operator::actions::Actor;
use crate::operator::metrics::Stored;
use crate::operator::state::{self, CircuitState, ConnectorState, ServingState};
use crate::operator::{OperatorState, queue_recorder};
use crate::reload::ReloadMode;
use crate::store::{DatabaseKind, ImportRun};
use crate::web::{Reader, number};

/// Revisions of companies by which the name index may be behind without being a problem.
const INDEX_MAY_BE_BEHIND: i64 = 10_000;

/// Seconds for which an event may wait to be sent out without being a problem.
const EVENT_MAY_WAIT: i64 = 300;

/// Something that needs the operator.
struct Trouble {
    /// Where more is said; empty if nowhere.
    path: String,
    what: String,
    /// The reason, in English.
    why: String,
}

/// A source in the list.
struct SourceRow {
    id: String,
    title: String,
    state: &'static str,
    is_well: bool,
    version: String,
    /// The oldest and the newest import of its lists; empty without lists.
    imported: String,
    next: String,
    calls: String,
    failures: String,
}

struct WorkerRow {
    name: &'static str,
    restarts: String,
    is_failing: bool,
}

struct RunRow {
    source: String,
    list: String,
    started: String,
    records: String,
    /// In percent; empty if it is unknown.
    progress: String,
    owner: String,
}

#[derive(Template)]
#[template(path = "operator/overview.html")]
struct OverviewPage {
    frame: Frame,
    t: &'static Texts,
    troubles: Vec<Trouble>,
    facts: Vec<(&'static str, String)>,
    runs: Vec<RunRow>,
    sources: Vec<SourceRow>,
    workers: Vec<WorkerRow>,
    is_clock_trusted: bool,
    plots: Vec<QueuePlot>,
}

#[derive(Template)]
#[template(path = "operator/done.html")]
struct DonePage {
    frame: Frame,
    t: &'static Texts,
    /// What the API returns, as JSON.
    result: String,
}

fn troubles(
    state: &OperatorState,
    connectors: &[ConnectorState],
    stored: &Stored,
    t: &'static Texts,
) -> Vec<Trouble> {
    let mut found = Vec::new();
    let mut add = |what: &str, why: &str, source: Option<&str>| {
        found.push(Trouble {
            path: source.map_or_else(String::new, |id| format!("/sources/{id}")),
            what: what.to_owned(),
            why: why.to_owned(),
        });
    };
    if let Some(mistake) = state.reloader.settings_mistake() {
        add(t.settings_rejected, &mistake, None);
    }
    let clock = state.ledger.clock_state();
    if !clock.trusted {
        let why = format!("{:.0} s ahead", clock.ahead_seconds);
        add(t.clock_untrusted, &why, None);
    }
    if state.disk.is_low() {
        add(t.disk_low, "", None);
    }
    let index = state.search.progress();
    if !index.ready || index.newest - index.reached > INDEX_MAY_BE_BEHIND {
        let why = format!("{} of {} revisions", index.reached, index.newest);
        add(t.index_behind, &why, None);
    }
    if stored.oldest_event_seconds > EVENT_MAY_WAIT {
        let why = format!("{} s", stored.oldest_event_seconds);
        add(t.events_late, &why, None);
    }
    for worker in state.workers.states() {
        if worker.failing {
            add(t.worker_failing, worker.name, None);
        }
    }
    for connector in connectors {
        let id = Some(connector.id.as_str());
        let reason = connector.reason.as_deref().unwrap_or_default();
        if connector.state == ServingState::Refused {
            add(&format!("{}: {}", connector.id, t.refused), reason, id);
        }
        if let Some(rejected) = connector.rejected_component() {
            let what = format!("{}: {}", connector.id, t.rejected);
            add(&what, &rejected.reason, id);
        }
        if let Some(reason) = connector.rejected_settings() {
            let what = format!("{}: {}", connector.id, t.settings_rejected);
            add(&what, reason, id);
        }
        if connector.breaker == Some(CircuitState::Open) {
            let failure = connector.last_failure.as_ref();
            let why = failure.map_or("", |failure| failure.reason.as_str());
            add(&format!("{}: {}", connector.id, t.circuit_open), why, id);
        }
        for list in &connector.lists {
            if let Some(failure) = list.failure.as_deref().filter(|_| list.on) {
                let what = format!("{}/{}: {}", connector.id, list.id, t.import_failed);
                add(&what, failure, id);
            }
        }
        if let Some((problems, all)) = stored.sentinels.get(connector.id.as_str())
            && *problems > 0
        {
            let why = format!("{problems} of {all}");
            add(&format!("{}: {}", connector.id, t.sentinel), &why, id);
        }
    }
    found
}

fn source_row(connector: &ConnectorState, language: Language, t: &'static Texts) -> SourceRow {
    let imported = connector
        .lists
        .iter()
        .filter_map(|list| list.imported_at.as_deref());
    let (oldest, newest) = (imported.clone().min(), imported.max());
    let imported = match (oldest, newest) {
        (Some(oldest), Some(newest)) if oldest != newest => {
            format!(
                "{} – {}",
                time_text(oldest, language),
                time_text(newest, language)
            )
        }
        (Some(only), _) => time_text(only, language),
        (None, _) if connector.lists.is_empty() => String::new(),
        (None, _) => t.never_imported.to_owned(),
    };
    let on = connector.lists.iter().filter(|list| list.on);
    let next = on.filter_map(|list| list.next_run_at.as_deref()).min();
    let (word, is_well) = state_of(connector, t);
    let failures: u64 = connector.calls.failures.values().sum();
    let whole = |count: u64| number(i64::try_from(count).unwrap_or(i64::MAX), language);
    SourceRow {
        id: connector.id.clone(),
        title: connector.title.clone().unwrap_or_default(),
        state: word,
        is_well,
        version: connector.version.clone().unwrap_or_default(),
        imported,
        next: next.map_or_else(String::new, |next| time_text(next, language)),
        calls: whole(connector.calls.ended),
        failures: whole(failures),
    }
}

pub(super) fn run_progress(run: &ImportRun) -> String {
    let percent = run.progress.map(|thousandths| thousandths / 10);
    percent.map_or_else(String::new, |percent| format!("{percent} %"))
}

fn facts(
    state: &OperatorState,
    stored: &Stored,
    language: Language,
    t: &'static Texts,
) -> Vec<(&'static str, String)> {
    let whole = |count: i64| number(count, language);
    let of = |(all, due): (i64, i64)| format!("{} ({}: {})", whole(all), t.due, whole(due));
    let free = state.disk.free_bytes().map(|bytes| bytes >> 20);
    let free = free.map(|mib| format!("{} MiB", whole(i64::try_from(mib).unwrap_or(i64::MAX))));
    let index = state.search.progress();
    let indexed = i64::try_from(index.companies).unwrap_or(i64::MAX);
    let store = match state.context.store.kind() {
        DatabaseKind::Sqlite => "SQLite",
        DatabaseKind::Postgres => "PostgreSQL",
    };
    vec![
        (t.deliveries, of(stored.deliveries)),
        (t.mail, whole(stored.mail)),
        (t.batch_parts, whole(stored.batches.unfinished)),
        (t.watched, of(stored.watched)),
        (t.indexed, whole(indexed)),
        (t.disk_free, free.unwrap_or_default()),
        (t.store, store.to_owned()),
    ]
}

pub(super) async fn overview(
    State(state): State<OperatorState>,
    reader: Reader,
) -> Result<Response, Problem> {
    let language = reader.language;
    let stored = Stored::read(&state.context).await?;
    let connectors = state::all_with(&state.companies, &stored.lists);
    let now = state.context.now();
    let samples = state.context.store.queue_samples();
    let samples = samples.since(now - queue_recorder::SHOWN).await?;
    let unfinished = state.context.store.datasets().unfinished().await?;
    let frame = Frame::new(&state, &reader, super::texts(language).overview);
    let t = frame.t;
    let run = |run: ImportRun| RunRow {
        progress: run_progress(&run),
        started: time_of(run.started_at, language),
        records: number(run.records, language),
        source: run.connector.to_string(),
        list: run.dataset,
        owner: run.owner.unwrap_or_default(),
    };
    let workers = state.workers.states().into_iter();
    let worker = |worker: crate::worker::WorkerState| WorkerRow {
        name: worker.name,
        restarts: number(i64::try_from(worker.restarts).unwrap_or(i64::MAX), language),
        is_failing: worker.failing,
    };
    let mut sources: Vec<SourceRow> = connectors
        .iter()
        .map(|connector| source_row(connector, language, t))
        .collect();
    sources.sort_by_key(|source| source.is_well);
    let template = OverviewPage {
        troubles: troubles(&state, &connectors, &stored, t),
        plots: plots(&samples, now, language, t),
        facts: facts(&state, &stored, language, t),
        runs: unfinished.into_iter().map(run).collect(),
        sources,
        workers: workers.map(worker).collect(),
        is_clock_trusted: state.ledger.clock_state().trusted,
        frame,
        t,
    };
    Ok(page(&reader, StatusCode::OK, &template))
}

/// `POST /actions/reload`: loads changed components and settings, and shows what became of them.
pub(super) async fn reload(
    State(state): State<OperatorState>,
    actor: Actor,
    reader: Reader,
) -> Result<Response, Problem> {
    let reloaded = state.reload_by(&actor, ReloadMode::RetryRefused).await;
    let reloaded = reloaded.ok_or(Problem::ReloadFailed)?;
    let frame = Frame::new(&state, &reader, super::texts(reader.language).reloaded);
    let template = DonePage {
        t: frame.t,
        frame,
        result: serde_json::to_string_pretty(&reloaded).unwrap_or_default(),
    };
    Ok(page(&reader, StatusCode::OK, &template))
}

/// `POST /actions/clock`: accepts the host's clock.
pub(super) async fn confirm_clock(
    State(state): State<OperatorState>,
    actor: Actor,
) -> Result<Response, Problem> {
    if state.confirm_clock_by(&actor).await? {
        Ok(Redirect::to("/").into_response())
    } else {
        Err(Problem::ClockDisagrees)
    }
}

/// `POST /actions/workers/{name}`: restarts a worker.
pub(super) async fn restart(
    State(state): State<OperatorState>,
    Path(name): Path<String>,
    actor: Actor,
) -> Result<Response, Problem> {
    if state.restart_by(&actor, &name).await {
        Ok(Redirect::to("/").into_response())
    } else {
        Err(Problem::NoSuchWorker)
    }
}
