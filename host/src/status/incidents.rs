//! Incidents of sources from their recorded states.

use serde::Serialize;
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use super::{IncidentState, Status};
use crate::clock::rfc3339;
use crate::context::Context;
use crate::store::{SourceSpan, StoreError};

/// Most recorded states that incidents are made from; older ones are left out.
const MAX_SPANS: u32 = 5_000;

/// Recorded incidents of all sources.
#[derive(Debug, Serialize, ToSchema)]
pub struct Incidents {
    /// Since when states are recorded, RFC 3339, at most `kept_days` ago. Null: no state was recorded yet, so nothing
    /// can be said about incidents.
    pub recorded_since: Option<String>,
    /// When the states were last compared, RFC 3339.
    pub recorded_until: Option<String>,
    /// For how many days states are kept.
    pub kept_days: u32,
    /// The incidents, by source and time.
    pub incidents: Vec<Incident>,
}

/// A time in which a source was not operational or late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Incident {
    /// Id of the source.
    pub source: String,
    /// Name of the source for people.
    pub title: String,
    /// The last state within the incident: `late` (an import did not begin in time), `degraded`, `circuit_open` or
    /// `refused`.
    #[schema(value_type = String)]
    pub state: IncidentState,
    /// Code of the reason: `unavailable`, `throttled`, `malformed`, `misconfigured`, `refused`, `limit`, `busy`,
    /// `circuit_open`, `truncated`, `trap`, `schema`, `known_company` (the check of a known company found something
    /// missing), `not_loaded`, `import_late` or `other`. Null if it is not known.
    pub reason: Option<String>,
    /// The scope or dataset that the reason is about.
    pub part: Option<String>,
    /// When the incident began, RFC 3339.
    pub from: String,
    /// When the incident ended, RFC 3339; null while it lasts.
    pub to: Option<String>,
    /// The state after the incident. Null while it lasts, and if the state was not recorded afterwards.
    pub ended_as: Option<String>,
    /// Duration in seconds; of an incident that lasts, until it was last seen.
    pub seconds: i64,
}

impl Incidents {
    /// Reads the incidents of the last days. `status` gives the names of the sources.
    ///
    /// # Errors
    /// The store failed.
    pub async fn read(context: &Context, status: &Status) -> Result<Self, StoreError> {
        let kept_days = context.config().operator.incident_days;
        let oldest = context.now() - Duration::days(kept_days.into());
        let store = context.store.source_states();
        let recording = store.recording().await?;
        let words: Vec<&str> = IncidentState::ALL
            .iter()
            .map(|state| state.word())
            .collect();
        let spans = store.spans(&words, oldest, MAX_SPANS).await?;
        let until = recording.map_or(oldest, |recording| recording.seen_at);
        let title = |id: &str| {
            let source = status.sources.iter().find(|source| source.id == id);
            source.map_or_else(|| id.to_owned(), |source| source.title.clone())
        };
        Ok(Self {
            recorded_since: recording.map(|recording| rfc3339(recording.since.max(oldest))),
            recorded_until: recording.map(|recording| rfc3339(recording.seen_at)),
            kept_days,
            incidents: joined(spans, until, title),
        })
    }
}

/// One incident for states that follow each other without a pause. `until` is when the states were last seen.
fn joined(
    spans: Vec<SourceSpan>,
    until: OffsetDateTime,
    title: impl Fn(&str) -> String,
) -> Vec<Incident> {
    let mut incidents: Vec<Incident> = Vec::new();
    let mut begun = OffsetDateTime::UNIX_EPOCH;
    for span in spans {
        // A host of another version may have written a word that this one does not know.
        let Ok(state) = IncidentState::try_from(span.state) else {
            continue;
        };
        let from = rfc3339(span.from_at);
        let follows = |last: &&mut Incident| {
            last.source == span.source && last.ended_as.is_some() && last.to.as_ref() == Some(&from)
        };
        let continued = incidents.last_mut().filter(follows);
        if continued.is_none() {
            begun = span.from_at;
        }
        let seconds = (span.to_at.unwrap_or(until) - begun).whole_seconds().max(0);
        let to = span.to_at.map(rfc3339);
        if let Some(last) = continued {
            last.state = state;
            last.to = to;
            last.ended_as = span.next_state;
            last.seconds = seconds;
            if span.reason.is_some() {
                (last.reason, last.part) = (span.reason, span.part);
            }
            continue;
        }
        incidents.push(Incident {
            title: title(&span.source),
            source: span.source,
            state,
            reason: span.reason,
            part: span.part,
            from,
            to,
            ended_as: span.next_state,
            seconds,
        });
    }
    incidents
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const START: OffsetDateTime = datetime!(2026-07-01 06:00 UTC);

    fn span(source: &str, state: &str, minutes: (i64, Option<i64>), next: &str) -> SourceSpan {
        let at = |minute| START + Duration::minutes(minute);
        SourceSpan {
            source: source.to_owned(),
            state: state.to_owned(),
            reason: Some(format!("reason of {state}")),
            part: None,
            from_at: at(minutes.0),
            to_at: minutes.1.map(at),
            next_state: Some(next.to_owned()).filter(|next| !next.is_empty()),
        }
    }

    fn shown(spans: Vec<SourceSpan>) -> Vec<(String, &'static str, i64, bool)> {
        let until = START + Duration::hours(1);
        let incidents = joined(spans, until, str::to_owned);
        let incidents = incidents.into_iter();
        let row = |one: Incident| (one.source, one.state.word(), one.seconds, one.to.is_some());
        incidents.map(row).collect()
    }

    #[test]
    fn states_without_a_pause_are_one_incident() {
        let spans = vec![
            span("a", "degraded", (0, Some(5)), "circuit_open"),
            span("a", "circuit_open", (5, Some(7)), "operational"),
            span("a", "degraded", (20, Some(21)), "operational"),
            span("b", "late", (21, None), ""),
        ];
        let expected = [
            ("a".to_owned(), "circuit_open", 420, true),
            ("a".to_owned(), "degraded", 60, true),
            ("b".to_owned(), "late", 2_340, false),
        ];
        assert_eq!(shown(spans), expected);
    }

    #[test]
    fn unrecorded_time_separates_incidents() {
        let spans = vec![
            span("a", "degraded", (0, Some(5)), ""),
            span("a", "degraded", (5, None), ""),
        ];
        assert_eq!(shown(spans).len(), 2);
    }

    #[test]
    fn unknown_state_does_not_cost_the_others() {
        let spans = vec![
            span("a", "resting", (0, Some(5)), "operational"),
            span("a", "refused", (9, None), ""),
        ];
        assert_eq!(shown(spans), [("a".to_owned(), "refused", 3_060, false)]);
    }
}
