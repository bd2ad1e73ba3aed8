//! Processing of a new batch, from the charge to the response.
//!
//! Invariant: a client learns the batch's id, or the batch is deleted and not charged. With an idempotency key
//! the client can always learn the id, so nothing is undone.

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::Instrument;

use super::may_read;
use super::request::{BatchRequest, Keyed};
use super::responses::{no_such_batch, progress, wants_lines, written};
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::charging::{Call, Receipt};
use crate::api::error::ApiError;
use crate::api::idempotency;
use crate::batches::ResultsEncoding;
use crate::store::{AccountId, Batch};

pub(super) struct BatchSubmission {
    pub(super) app: App,
    pub(super) caller: Caller,
    pub(super) request: BatchRequest,
    pub(super) headers: HeaderMap,
    pub(super) keyed: Option<Keyed>,
    /// When the client sent the request.
    pub(super) asked_at: Instant,
}

/// The response on its way to the client. If it is dropped undelivered, the batch is undone.
pub(super) struct PendingResponse {
    answer: Result<Response, ApiError>,
    undo: Option<Undo>,
}

/// How to undo a batch whose id the client will never learn.
struct Undo {
    app: App,
    account_id: AccountId,
    batch_id: String,
    receipt: Receipt,
}

impl Undo {
    async fn run(self) {
        tracing::warn!(batch.id = %self.batch_id, "client never received the batch id: batch deleted and charge refunded");
        self.receipt.refund().await;
        self.app.batches.cancel(self.account_id, self.batch_id);
    }
}

impl PendingResponse {
    pub(super) fn delivered(mut self) -> Result<Response, ApiError> {
        self.undo = None;
        std::mem::replace(&mut self.answer, Err(ApiError::internal()))
    }
}

impl Drop for PendingResponse {
    fn drop(&mut self) {
        if let Some(undo) = self.undo.take() {
            tokio::spawn(undo.run().in_current_span());
        }
    }
}

impl BatchSubmission {
    /// The response if the same request was already processed.
    pub(super) async fn replayed(&self) -> Result<Option<Response>, ApiError> {
        let account = self.caller.account_id;
        let Some(keyed) = &self.keyed else {
            return Ok(None);
        };
        let earlier = keyed.earlier.as_deref();
        let known = idempotency::known_as(&self.app, account, &keyed.request, earlier).await?;
        let Some(known) = known else {
            return Ok(None);
        };
        let batch = self.app.batches.find(account, &known.subject).await?;
        let batch = batch.filter(|batch| may_read(&self.caller, batch));
        let batch = batch.ok_or_else(no_such_batch)?;
        Ok(Some(idempotency::replayed(self.answer(batch).await?)))
    }

    pub(super) async fn execute(
        &self,
        call: Call,
        reply: &mut oneshot::Sender<PendingResponse>,
    ) -> PendingResponse {
        let failed = |error| PendingResponse {
            answer: Err(error),
            undo: None,
        };
        let receipt = match call.charge().await {
            Ok(receipt) => receipt,
            Err(error) => return failed(error),
        };
        if self.keyed.is_none() && reply.is_closed() {
            receipt.refund().await;
            return failed(ApiError::internal());
        }
        let (batches, account_id) = (&self.app.batches, self.caller.account_id);
        let keyed = self.keyed.as_ref().map(|keyed| &keyed.request);
        let created = batches
            .create(
                account_id,
                self.request.kind,
                &self.request.scopes.allowed,
                &self.request.keys,
                keyed,
            )
            .await;
        let batch = match created {
            Ok(Some(batch)) => batch,
            // The same request was sent twice concurrently, and the other one won.
            Ok(None) => {
                receipt.refund().await;
                let replayed = self.replayed().await;
                let answer =
                    replayed.and_then(|found| found.ok_or_else(ApiError::service_unavailable));
                return PendingResponse { answer, undo: None };
            }
            Err(error) => {
                receipt.refund().await;
                return failed(error.into());
            }
        };
        let undo = self.keyed.is_none().then(|| Undo {
            app: self.app.clone(),
            account_id,
            batch_id: batch.id.clone(),
            receipt,
        });
        let answer = tokio::select! {
            answer = self.answer(batch) => answer,
            () = reply.closed() => Err(ApiError::service_unavailable()),
        };
        match (answer, undo) {
            (Err(error), Some(undo)) => {
                undo.run().await;
                failed(error)
            }
            (answer, undo) => PendingResponse { answer, undo },
        }
    }

    /// The results of a small batch or as JSON lines; otherwise the progress.
    async fn answer(&self, batch: Batch) -> Result<Response, ApiError> {
        let (app, caller) = (&self.app, &self.caller);
        if wants_lines(&self.headers) {
            return written(app, caller, batch, ResultsEncoding::Lines).await;
        }
        if !app.batches.is_small(self.request.keys.len()) {
            return Ok(progress(StatusCode::ACCEPTED, &batch));
        }
        let until = app.batches.wait_from(self.asked_at);
        let batch = app
            .batches
            .ended_until(caller.account_id, batch, until)
            .await?;
        if batch.completed_at.is_none() {
            return Ok(progress(StatusCode::ACCEPTED, &batch));
        }
        written(app, caller, batch, ResultsEncoding::Object).await
    }
}
