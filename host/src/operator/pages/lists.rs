//! The forms of lists that operators supply: send, take, discard, put back.

use std::path::PathBuf;
use std::time::Duration;

use axum::extract::multipart::{Multipart, MultipartError, MultipartRejection};
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tracing::Instrument;

use super::{Problem, source};
use crate::datasets::{ImportError, ImportPreview};
use crate::operator::OperatorState;
use crate::operator::actions::{Actor, AuditEntry};
use crate::operator::lists::{self, Received, Reservation, TakeError, UploadState};
use crate::plain_text;
use crate::store::{ActionResult, ConnectorId, OperatorAction};

/// Time limit for receiving a file.
const RECEIVING: Duration = Duration::from_secs(600);

/// Time limit for the rest of a form that is refused.
const DRAINING: Duration = Duration::from_secs(20);

/// Checks that a host runs at the same time. Each keeps digests of all records of its list in memory.
static CHECKS: Semaphore = Semaphore::const_new(1);

/// Bytes over the limit that are read and discarded, because browsers read the answer only after sending everything.
const MAX_DISCARDED: u64 = 64 << 20;

/// Pause before another attempt to import a list that is being imported, and the number of pauses.
const WAIT: Duration = Duration::from_secs(15);
const MAX_WAITS: u32 = 240;

/// Longest name of a file, and of the value of a field, that is kept.
const MAX_NAME_CHARS: usize = 200;
const MAX_FIELD_BYTES: usize = 1_000;

/// Why a file was not received.
enum ReceiveError {
    Form(MultipartError),
    Disk(TakeError),
    TooLarge,
    NoFile,
}

impl From<MultipartError> for ReceiveError {
    fn from(error: MultipartError) -> Self {
        Self::Form(error)
    }
}

impl From<TakeError> for ReceiveError {
    fn from(error: TakeError) -> Self {
        Self::Disk(error)
    }
}

/// The connector of a list, and the list's granted file.
fn file(
    state: &OperatorState,
    connector: &str,
    dataset: &str,
) -> Result<(ConnectorId, PathBuf), Problem> {
    let catalogue = state.companies.connectors().catalogue();
    let id = ConnectorId::parse(connector).map_err(|_invalid| Problem::NoSuchSource)?;
    let loaded = catalogue.serving(&id).ok_or(Problem::NoSuchSource)?;
    let file = lists::file_of(loaded, dataset).ok_or(Problem::NoSuchList)?;
    Ok((id, file))
}

/// `POST /sources/{id}/lists/{dataset}`: receives a file and starts its check.
pub(super) async fn send(
    State(state): State<OperatorState>,
    Path((id, dataset)): Path<(String, String)>,
    actor: Actor,
    parts: Result<Multipart, MultipartRejection>,
) -> Result<Response, Problem> {
    let parts = parts.map_err(|_other_form| Problem::Invalid)?;
    let (connector, file, reservation, mut receiving) = match begin(&state, &id, &dataset).await {
        Ok(begun) => begun,
        Err(problem) => {
            drain(parts).await;
            return Err(problem);
        }
    };
    let mib = state.context.config().operator.upload_mib;
    let (sent, most) = (receiving.path.clone(), mib << 20);
    let read = tokio::time::timeout(RECEIVING, read(parts, &mut receiving, most)).await;
    let name = match read {
        Ok(Ok(name)) => name,
        Ok(Err(error)) => {
            lists::discard(&file);
            return Err(match error {
                ReceiveError::Form(error) => {
                    tracing::debug!(%error, "a form with a list could not be read");
                    Problem::Invalid
                }
                ReceiveError::Disk(error) => not_stored(&error),
                ReceiveError::TooLarge => Problem::TooLarge(mib),
                ReceiveError::NoFile => Problem::NoFile,
            });
        }
        Err(_elapsed) => {
            lists::discard(&file);
            return Err(Problem::Invalid);
        }
    };
    let bytes = receiving.bytes;
    let digest = receiving.end().await.map_err(|error| not_stored(&error))?;
    let object = format!("{id}/{dataset}");
    let about = format!("{name}, {bytes} bytes, SHA-256 {digest}");
    let entry = AuditEntry {
        action: OperatorAction::UploadList,
        object: &object,
        result: ActionResult::Done,
        about: &about,
    };
    state.record(&actor, entry).await;
    reservation.update(|upload| {
        upload.name = name;
        upload.bytes = bytes;
        upload.digest = digest;
        upload.state = UploadState::Checking(crate::datasets::Progress::default());
    });
    start_check(&state, connector, dataset, sent, reservation);
    Ok(Redirect::to(&source::address(&id, "")).into_response())
}

/// Begins to receive a file, if it may be sent now.
async fn begin(
    state: &OperatorState,
    id: &str,
    dataset: &str,
) -> Result<(ConnectorId, PathBuf, Reservation, Received), Problem> {
    let (connector, file) = file(state, id, dataset)?;
    if state.disk.look() {
        return Err(Problem::DiskLow);
    }
    let uploads = &state.memory.uploads;
    let reservation = uploads.reserve(id, dataset, state.context.now());
    let reservation = reservation.ok_or(Problem::ListBusy)?;
    let receiving = lists::receive(&file).await;
    let receiving = receiving.map_err(|error| not_stored(&error))?;
    Ok((connector, file, reservation, receiving))
}

/// Reads and discards a form that is refused, within bounds: a browser shows the answer only then.
async fn drain(mut parts: Multipart) {
    let reading = async {
        let mut discarded = 0_u64;
        while let Ok(Some(mut part)) = parts.next_field().await {
            while let Ok(Some(chunk)) = part.chunk().await {
                discarded += chunk.len() as u64;
                if discarded > MAX_DISCARDED {
                    return;
                }
            }
        }
    };
    if tokio::time::timeout(DRAINING, reading).await.is_err() {
        tracing::debug!("a refused form was sent too slowly");
    }
}

fn not_stored(error: &TakeError) -> Problem {
    tracing::warn!(%error, "a list that an operator sent could not be stored");
    Problem::NotStored(error.to_string())
}

/// Reads a form with one file. Returns the file's name.
async fn read(
    mut parts: Multipart,
    receiving: &mut Received,
    most: u64,
) -> Result<String, ReceiveError> {
    let mut name = None;
    let mut discarded = 0_u64;
    while let Some(mut part) = parts.next_field().await? {
        let given = part.file_name().filter(|_| name.is_none());
        let given = given.map(|given| plain_text::one_line(given, MAX_NAME_CHARS));
        while let Some(chunk) = part.chunk().await? {
            let length = chunk.len() as u64;
            if given.is_some() && discarded == 0 && receiving.bytes + length <= most {
                receiving.write(&chunk).await?;
                continue;
            }
            discarded += length;
            if discarded > MAX_DISCARDED {
                return Err(ReceiveError::TooLarge);
            }
        }
        name = name.or(given);
        if discarded > 0 && name.is_some() {
            return Err(ReceiveError::TooLarge);
        }
    }
    name.filter(|_| receiving.bytes > 0)
        .ok_or(ReceiveError::NoFile)
}

/// Reads a file through its connector in the background.
fn start_check(
    state: &OperatorState,
    connector: ConnectorId,
    dataset: String,
    sent: PathBuf,
    reservation: Reservation,
) {
    let importer = state.importer.clone();
    let background = &state.companies.connectors().services.background;
    background.handle().spawn(async move {
        let show = |progress| {
            reservation.update(|upload| upload.state = UploadState::Checking(progress));
        };
        let _turn = CHECKS.acquire().await;
        let checked = importer.preview(&connector, &dataset, &sent, &show).await;
        let checked = match checked {
            Ok(preview) => accepted(connector.as_str(), &dataset, preview),
            Err(error) => {
                tracing::info!(connector.id = %connector, dataset, %error, "the list of {connector}/{dataset} that an operator sent cannot be used: {error}");
                UploadState::Rejected(plain_text::one_line(&error.to_string(), plain_text::REASON))
            }
        };
        reservation.update(|upload| upload.state = checked);
    });
}

fn accepted(connector: &str, dataset: &str, preview: ImportPreview) -> UploadState {
    let records = preview.records;
    tracing::info!(
        connector.id = connector,
        dataset,
        records,
        "the list of {connector}/{dataset} that an operator sent can be used; it has {records} records"
    );
    UploadState::Accepted(preview)
}

/// `POST /sources/{id}/lists/{dataset}/take`: the checked file replaces the other one and is imported.
pub(super) async fn take(
    State(state): State<OperatorState>,
    Path((id, dataset)): Path<(String, String)>,
    actor: Actor,
    form: axum::body::Bytes,
) -> Result<Response, Problem> {
    let (connector, file) = file(&state, &id, &dataset)?;
    let wanted = field(&form, "digest");
    let Some(taking) = state.memory.uploads.take(&id, &dataset, &wanted) else {
        let upload = state.memory.uploads.get(&id, &dataset);
        let is_under_way = upload.is_some_and(|upload| upload.is_under_way());
        return Err(if is_under_way {
            Problem::ListBusy
        } else {
            Problem::NotChecked
        });
    };
    let there = source::address(&id, "taken");
    to_the_end(async move {
        let digest = taking.upload().digest.clone();
        let about = format!("{}, SHA-256 {digest}", taking.upload().name);
        let taken = spawn_blocking(move || lists::take(&file, &digest)).await;
        let action = OperatorAction::TakeList;
        finish(&state, &actor, action, (&id, &dataset), taken, &about).await?;
        taking.end();
        start_import(&state, connector, dataset);
        Ok(())
    })
    .await?;
    Ok(Redirect::to(&there).into_response())
}

/// A field of a form; empty if it is missing.
fn field(form: &[u8], name: &str) -> String {
    let mut fields = url::form_urlencoded::parse(&form[..form.len().min(MAX_FIELD_BYTES)]);
    let found = fields.find(|(found, _)| found == name);
    found.map_or_else(String::new, |(_, value)| value.into_owned())
}

/// Runs the steps of an action even if the client disconnects.
async fn to_the_end(
    steps: impl Future<Output = Result<(), Problem>> + Send + 'static,
) -> Result<(), Problem> {
    let ended = tokio::spawn(steps.in_current_span()).await;
    ended.map_err(|panicked| Problem::NotTaken(panicked.to_string()))?
}

/// `POST /sources/{id}/lists/{dataset}/discard`: deletes the file that was sent.
pub(super) async fn discard(
    State(state): State<OperatorState>,
    Path((id, dataset)): Path<(String, String)>,
    actor: Actor,
) -> Result<Response, Problem> {
    let (_, file) = file(&state, &id, &dataset)?;
    let removed = state.memory.uploads.remove(&id, &dataset);
    let removed = removed.ok_or(Problem::NotChecked)?;
    let discarded = spawn_blocking(move || lists::discard(&file)).await;
    finish(
        &state,
        &actor,
        OperatorAction::DiscardList,
        (&id, &dataset),
        discarded.map(Ok),
        &removed.name,
    )
    .await?;
    Ok(Redirect::to(&source::address(&id, "discarded")).into_response())
}

/// `POST /sources/{id}/lists/{dataset}/previous`: the file before replaces the present one and is imported.
pub(super) async fn take_back(
    State(state): State<OperatorState>,
    Path((id, dataset)): Path<(String, String)>,
    actor: Actor,
    form: axum::body::Bytes,
) -> Result<Response, Problem> {
    let (connector, file) = file(&state, &id, &dataset)?;
    let (tag, there) = (field(&form, "tag"), source::address(&id, "taken"));
    to_the_end(async move {
        let moved = spawn_blocking(move || lists::take_back(&file, &tag)).await;
        let action = OperatorAction::TakeBackList;
        finish(&state, &actor, action, (&id, &dataset), moved, "").await?;
        start_import(&state, connector, dataset);
        Ok(())
    })
    .await?;
    Ok(Redirect::to(&there).into_response())
}

/// Records the outcome of a change of files.
async fn finish(
    state: &OperatorState,
    actor: &Actor,
    action: OperatorAction,
    (connector, dataset): (&str, &str),
    outcome: Result<Result<(), TakeError>, tokio::task::JoinError>,
    about: &str,
) -> Result<(), Problem> {
    let object = format!("{connector}/{dataset}");
    let outcome = match outcome {
        Ok(outcome) => outcome.map_err(|error| error.to_string()),
        Err(panicked) => Err(panicked.to_string()),
    };
    let (result, about) = match &outcome {
        Ok(()) => (ActionResult::Done, about),
        Err(why) => (ActionResult::Failed, why.as_str()),
    };
    let entry = AuditEntry {
        action,
        object: &object,
        result,
        about,
    };
    state.record(actor, entry).await;
    outcome.map_err(Problem::NotTaken)
}

/// Imports a list in the background. If it is being imported already, that run may have read the file before, so this
/// one waits for its end.
fn start_import(state: &OperatorState, connector: ConnectorId, dataset: String) {
    let importer = state.importer.clone();
    let background = &state.companies.connectors().services.background;
    background.handle().spawn(async move {
        for _ in 0..MAX_WAITS {
            match importer.run(&connector, &dataset, &|_| {}).await {
                Ok(imported) => {
                    let records = imported.records;
                    tracing::info!(connector.id = %connector, dataset, records, "imported {connector}/{dataset}: {records} records");
                    return;
                }
                Err(ImportError::Busy) => tokio::time::sleep(WAIT).await,
                Err(error) => {
                    tracing::warn!(connector.id = %connector, dataset, %error, "the import of {connector}/{dataset} failed");
                    return;
                }
            }
        }
        tracing::warn!(connector.id = %connector, dataset, "{connector}/{dataset} is being imported for very long; its new file is read by the next scheduled import");
    });
}
