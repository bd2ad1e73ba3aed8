//! The public page about the state of the sources.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use time::OffsetDateTime;

use super::Web;
use super::frame::{Frame, page};
use super::problem::Problem;
use super::reader::Reader;
use super::texts::{Texts, list_state, service_state, source_state};
use super::texts_status::{duration, incident_reason, incident_state};
use crate::changes::{Guide, Writer};
use crate::clock::rfc3339;
use crate::connectors::catalogue::{Catalogue, CatalogueEntry};
use crate::language::Language;
use crate::status::{
    DatasetStatus, Incident, Incidents, ListState, ServiceState, SourceStatus, Status,
};

/// Most titles of scopes in the name of a source.
const MAX_TITLES: usize = 3;

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage {
    frame: Frame,
    t: &'static Texts,
    is_well: bool,
    summary: &'static str,
    late: Vec<Late>,
    history: History,
    sources: Vec<Source>,
    version: &'static str,
    started: String,
}

/// The incidents of every source that had one, and over which time states were recorded.
struct History {
    kept_days: u32,
    since: Option<String>,
    sources: Vec<SourceIncidents>,
}

struct SourceIncidents {
    title: String,
    rows: Vec<IncidentRow>,
}

struct IncidentRow {
    state: &'static str,
    from: String,
    to: Option<String>,
    /// Whether a later state was recorded.
    is_end_known: bool,
    duration: String,
    reason: &'static str,
    part: Option<String>,
}

/// A source or list that is late or failed.
struct Late {
    what: String,
    why: String,
    /// The reason as the source states it, in English.
    cause: Option<String>,
}

struct Source {
    id: String,
    title: String,
    register: String,
    is_well: bool,
    state: &'static str,
    last: Option<String>,
    next: Option<String>,
    cause: Option<String>,
    needs: Vec<String>,
    lists: Vec<List>,
}

struct List {
    title: String,
    state: &'static str,
    date: Option<String>,
    last: Option<String>,
    next: Option<String>,
    records: String,
}

pub(super) async fn status(State(web): State<Web>, reader: Reader) -> Result<Response, Problem> {
    let parts = web.parts();
    let status = Status::read(&parts.context, &parts.companies, parts.started_at).await?;
    let incidents = Incidents::read(&parts.context, &status).await?;
    let catalogue = parts.companies.connectors().catalogue();
    let now = parts.context.now();
    let writing = Writing {
        language: reader.language,
        t: reader.texts(),
        now,
    };
    let mut late = Vec::new();
    let mut sources = Vec::new();
    for source in &status.sources {
        let shown = writing.source(source, &catalogue);
        late.extend(writing.late(source, &shown.title));
        sources.push(shown);
    }
    sources.sort_by_key(|source| source.is_well);
    let t = reader.texts();
    let frame = Frame::new(&web, &reader, t.status_title);
    let cookie = frame.cookie();
    let template = StatusPage {
        frame,
        t,
        is_well: status.status == ServiceState::Operational,
        summary: service_state(status.status, t),
        late,
        history: History::of(&incidents, &sources, &writing),
        sources,
        version: status.version,
        started: writing
            .time(Some(&rfc3339(parts.started_at)))
            .unwrap_or_default(),
    };
    Ok(page(StatusCode::OK, &template, cookie))
}

impl History {
    fn of(incidents: &Incidents, sources: &[Source], writing: &Writing) -> Self {
        let mut grouped: Vec<SourceIncidents> = Vec::new();
        let mut last = None;
        for incident in &incidents.incidents {
            let row = writing.incident(incident);
            match grouped
                .last_mut()
                .filter(|_| last == Some(&incident.source))
            {
                Some(group) => group.rows.push(row),
                None => {
                    let shown = sources.iter().find(|source| source.id == incident.source);
                    let title = shown.map_or(&incident.title, |source| &source.title);
                    grouped.push(SourceIncidents {
                        title: title.clone(),
                        rows: vec![row],
                    });
                }
            }
            last = Some(&incident.source);
        }
        Self {
            kept_days: incidents.kept_days,
            since: writing.time(incidents.recorded_since.as_deref()),
            sources: grouped,
        }
    }
}

struct Writing {
    language: Language,
    t: &'static Texts,
    now: OffsetDateTime,
}

impl Writing {
    /// A time for people. `None` without one.
    fn time(&self, at: Option<&str>) -> Option<String> {
        let language = self.language;
        let text = Writer { language }.date(at?)?;
        Some(format!("{text} UTC"))
    }

    fn incident(&self, incident: &Incident) -> IncidentRow {
        let from = self.time(Some(&incident.from));
        IncidentRow {
            state: incident_state(incident.state, self.language),
            from: from.unwrap_or_else(|| incident.from.clone()),
            to: self.time(incident.to.as_deref()),
            is_end_known: incident.ended_as.is_some(),
            duration: duration(incident.seconds, self.language),
            reason: incident_reason(incident.reason.as_deref(), self.language),
            part: incident.part.clone(),
        }
    }

    fn day(&self, day: Option<&str>) -> Option<String> {
        let language = self.language;
        Writer { language }.date(day?)
    }

    fn source(&self, source: &SourceStatus, catalogue: &Catalogue) -> Source {
        let loaded = catalogue
            .entries
            .get(&source.id)
            .and_then(CatalogueEntry::serving);
        let manifest = loaded.map(|loaded| &loaded.manifest);
        let register = manifest.map(|manifest| manifest.register.clone());
        Source {
            id: source.id.clone(),
            title: self.title(source, catalogue),
            register: register.unwrap_or_default(),
            is_well: source.state.is_well(),
            state: source_state(source.state, self.language),
            last: self.time(source.last_success_at.as_deref()),
            next: self.time(source.next_run_at.as_deref()),
            cause: source.reason.clone(),
            needs: source.needs.iter().map(|need| need.what.clone()).collect(),
            lists: source.datasets.iter().map(|list| self.list(list)).collect(),
        }
    }

    /// The name of a source. Manifests name sources in English and the sections that they give in both languages.
    fn title(&self, source: &SourceStatus, catalogue: &Catalogue) -> String {
        if self.language == Language::English {
            return source.title.clone();
        }
        let scopes = source
            .scopes
            .iter()
            .filter_map(|scope| catalogue.scope(scope));
        let titles = scopes.filter_map(|(_, scope)| Guide::of(&scope.schema).title(self.language));
        let titles: Vec<&str> = titles.take(MAX_TITLES).collect();
        let details = catalogue.entries.get(&source.id).and_then(|entry| {
            let schema = entry
                .serving()?
                .manifest
                .company_source
                .as_ref()?
                .schema
                .as_ref()?;
            Guide::of(schema).title(self.language)
        });
        if titles.is_empty() {
            return details.unwrap_or(&source.title).to_owned();
        }
        titles.join(", ")
    }

    fn list(&self, list: &DatasetStatus) -> List {
        let records = serde_json::Value::from(list.records);
        let detail = crate::changes::Detail::Brief;
        let language = self.language;
        let nothing = serde_json::Value::Null;
        let guide = Guide::of(&nothing);
        let writer = Writer { language };
        List {
            title: list.title.clone(),
            state: list_state(list.state, self.language),
            date: self
                .day(list.list_date.as_deref())
                .or_else(|| list.list_date.clone()),
            last: self.time(list.last_success_at.as_deref()),
            next: match self.time(list.paused_at.as_deref()) {
                Some(since) => Some(format!("{} {since}", self.t.paused_since)),
                None => self.time(list.next_run_at.as_deref()),
            },
            // The name of a count, so that thousands are separated.
            records: writer.value(&records, "count", None, &guide, detail),
        }
    }

    /// What of a source is late or failed.
    fn late(&self, source: &SourceStatus, title: &str) -> Vec<Late> {
        let mut late = Vec::new();
        for list in &source.datasets {
            let why = match list.state {
                ListState::Off => continue,
                ListState::Failed => list_state(list.state, self.language).to_owned(),
                ListState::Imported | ListState::NeverImported => match self.overdue(list) {
                    Some(since) => format!("{} {since}", self.t.late_since),
                    None => continue,
                },
            };
            late.push(Late {
                what: format!("{title} – {}", list.title),
                why,
                cause: list.reason.clone(),
            });
        }
        if late.is_empty() && !source.state.is_well() {
            late.push(Late {
                what: title.to_owned(),
                why: source_state(source.state, self.language).to_owned(),
                cause: source.reason.clone(),
            });
        }
        late
    }

    /// Since when an import is late.
    fn overdue(&self, list: &DatasetStatus) -> Option<String> {
        self.time(list.late_since(self.now))
    }
}
