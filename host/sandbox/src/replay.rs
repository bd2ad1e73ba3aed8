//! Replays a recorded call with a component, without the network.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::bindings::enrichment::exports::lustra::connector::enrichment::Subject;
use crate::call_failure::CallFailure;
use crate::calls::OpenImport;
use crate::component::Loaded;
use crate::recording::forms::{self, company_outcome, item_json, section_outcome};
use crate::recording::{CallOutcome, RecordedCall, Recording, RecordingMode, Replayer};
use crate::state::Services;
use crate::{Cost, SettingValues};

/// Most batches that a recorded or replayed import reads.
pub const MAX_BATCHES: usize = 1_000;

/// The result of a replay.
#[derive(Debug)]
pub struct Replayed {
    pub outcome: CallOutcome,
    /// The failure, if the call failed.
    pub failure: Option<CallFailure>,
    pub cost: Cost,
    /// Requests that were not recorded.
    pub unmatched: Vec<String>,
    /// Recorded requests that the replay did not make.
    pub unused: Vec<String>,
    /// Upstreams that the call used but the manifest does not declare.
    pub undeclared: Vec<String>,
    /// Log lines of the guest, as level and text.
    pub log: Vec<(&'static str, String)>,
}

impl Loaded {
    /// Replays a recorded call. `settings` replace the connector's own.
    pub async fn replay(
        self: &Arc<Self>,
        services: &Services,
        recording: &Recording,
        settings: Option<SettingValues>,
    ) -> Replayed {
        let mut replayer = Replayer::new(recording);
        replayer.settings = settings;
        self.replay_with(services, &recording.call, replayer).await
    }

    /// Runs a call with the answers of a replayer.
    pub async fn replay_with(
        self: &Arc<Self>,
        services: &Services,
        call: &RecordedCall,
        replayer: Replayer,
    ) -> Replayed {
        let recording_mode = RecordingMode::Replay(replayer);
        let (outcome, failure, cost, recording_mode) = match call {
            RecordedCall::Enrich { scope, subject } => {
                let subject = Subject::from(subject);
                let trial = self
                    .try_enrich(services, scope, &subject, recording_mode)
                    .await;
                let outcome = section_outcome(&trial.result);
                (
                    outcome,
                    trial.result.err(),
                    trial.cost,
                    trial.recording_mode,
                )
            }
            RecordedCall::FetchCompany { key, value } => {
                let key = forms::key_from(key, value);
                let trial = self.try_fetch_company(services, &key, recording_mode).await;
                let outcome = company_outcome(&trial.result);
                (
                    outcome,
                    trial.result.err(),
                    trial.cost,
                    trial.recording_mode,
                )
            }
            RecordedCall::Import { dataset, cursor } => {
                self.run_import(services, dataset, cursor.as_deref(), recording_mode)
                    .await
            }
        };
        let mut replayed = Replayed {
            outcome,
            failure,
            cost,
            unmatched: Vec::new(),
            unused: Vec::new(),
            undeclared: Vec::new(),
            log: Vec::new(),
        };
        if let RecordingMode::Replay(replayer) = recording_mode {
            replayed.unused = replayer.unused();
            replayed.unmatched = replayer.unmatched;
            replayed.undeclared = replayer.undeclared;
            replayed.log = replayer.log;
        }
        replayed
    }

    /// Runs an import to its end, as one call.
    pub async fn run_import(
        self: &Arc<Self>,
        services: &Services,
        dataset: &str,
        cursor: Option<&str>,
        recording_mode: RecordingMode,
    ) -> (CallOutcome, Option<CallFailure>, Cost, RecordingMode) {
        let mut open = match self
            .open_recorded(services, dataset, cursor, recording_mode)
            .await
        {
            Ok(open) => open,
            Err((failure, recording_mode)) => {
                let outcome = CallOutcome::Failed(failure.to_string());
                return (outcome, Some(failure), Cost::default(), recording_mode);
            }
        };
        let read = read_all(&mut open).await;
        let cost = open.cost();
        let recording_mode = open.into_recording_mode();
        match read {
            Ok(records) => (CallOutcome::Gave(records), None, cost, recording_mode),
            Err(failure) => {
                let outcome = CallOutcome::Failed(failure.to_string());
                (outcome, Some(failure), cost, recording_mode)
            }
        }
    }
}

async fn read_all(open: &mut OpenImport) -> Result<Value, CallFailure> {
    let (mut records, mut companies, mut list_date) = (Vec::new(), Vec::new(), None);
    let (mut cursors, mut notes) = (Vec::new(), serde_json::Map::new());
    while cursors.len() < MAX_BATCHES {
        let Some(batch) = open.next().await? else {
            break;
        };
        records.extend(batch.items.iter().map(item_json));
        companies.extend(batch.companies.iter().map(forms::company_json));
        list_date = batch.list_date.or(list_date);
        for note in batch.notes {
            let before = notes.get(&note.name).and_then(Value::as_u64).unwrap_or(0);
            let count = before.saturating_add(note.value.parse().unwrap_or(1));
            notes.insert(note.name, count.into());
        }
        cursors.push(batch.cursor);
    }
    Ok(json!({
        "list_date": list_date, "records": records, "companies": companies, "notes": notes, "cursors": cursors,
    }))
}
