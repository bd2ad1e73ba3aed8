//! Streams results part by part, so memory use does not grow with the batch.

use bytes::Bytes;
use futures_util::{Stream, stream};
use serde::Serialize;

use super::Batches;
use crate::store::{AccountId, Batch, BatchKind, BatchPart, StoreError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultsEncoding {
    /// One JSON object: `data` by key, then `meta`.
    Object,
    /// JSON lines: one per item, then one for `meta`.
    Lines,
}

/// Why the stream of results ended early.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The batch expired meanwhile.
    #[error("the batch has expired")]
    Expired,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Totals of a batch.
#[derive(Serialize)]
struct Meta<'a> {
    total: i64,
    found: i64,
    not_found: i64,
    failed: i64,
    batch_id: &'a str,
}

/// The next chunk of the stream.
enum Next {
    Part(i64),
    Meta,
    Nothing,
}

impl Batches {
    /// Streams the results of an account's batch in order. Waits for unfinished parts.
    pub fn results(
        &self,
        account_id: AccountId,
        batch: Batch,
        form: ResultsEncoding,
    ) -> impl Stream<Item = Result<Bytes, ResultsError>> + Send + 'static {
        let this = self.clone();
        stream::try_unfold(Next::Part(0), move |next| {
            let (this, batch) = (this.clone(), batch.clone());
            async move {
                match next {
                    Next::Part(number) => {
                        let part = this.finished_part(account_id, &batch, number).await?;
                        let following = if number + 1 < batch.parts {
                            Next::Part(number + 1)
                        } else {
                            Next::Meta
                        };
                        let text = encode_part(batch.kind, &part, form, number == 0)?;
                        Ok(Some((Bytes::from(text), following)))
                    }
                    Next::Meta => {
                        // Read the batch again: it may have been in progress when the first part was written.
                        let whole = this.find(account_id, &batch.id).await?;
                        let whole = whole.ok_or(ResultsError::Expired)?;
                        Ok(Some((Bytes::from(encode_end(&whole, form)), Next::Nothing)))
                    }
                    Next::Nothing => Ok(None),
                }
            }
        })
    }

    /// Waits until a part is finished and returns it.
    async fn finished_part(
        &self,
        account_id: AccountId,
        batch: &Batch,
        number: i64,
    ) -> Result<BatchPart, ResultsError> {
        let batches = self.store().batches();
        let batches = batches.of(account_id);
        loop {
            let mut finished = self.0.finished.subscribe();
            let part = batches.part(batch, number).await?;
            let part = part.ok_or(ResultsError::Expired)?;
            if part.results.is_some() {
                return Ok(part);
            }
            drop(tokio::time::timeout(self.poll(), finished.changed()).await);
        }
    }
}

fn encode_part(
    kind: BatchKind,
    part: &BatchPart,
    form: ResultsEncoding,
    is_first: bool,
) -> Result<String, StoreError> {
    let results = part.results.as_deref().unwrap_or_default();
    let lines: Vec<&str> = results.split('\n').collect();
    if lines.len() != part.keys.len() {
        return Err(StoreError::Unreadable {
            table: "batch_part",
            why: format!("{} results for {} keys", lines.len(), part.keys.len()),
        });
    }
    let name = kind.member();
    let mut text = String::with_capacity(results.len() + part.keys.len() * 32);
    if is_first && form == ResultsEncoding::Object {
        text.push_str("{\"data\":{");
    }
    for (number, (key, line)) in part.keys.iter().zip(lines).enumerate() {
        let key = serde_json::to_string(key).expect("a text always becomes JSON");
        match form {
            ResultsEncoding::Object => {
                if !(is_first && number == 0) {
                    text.push(',');
                }
                text.push_str(&key);
                text.push(':');
                text.push_str(line);
            }
            ResultsEncoding::Lines => {
                text.push_str("{\"");
                text.push_str(name);
                text.push_str("\":");
                text.push_str(&key);
                text.push(',');
                text.push_str(line.strip_prefix('{').unwrap_or(line));
                text.push('\n');
            }
        }
    }
    Ok(text)
}

fn encode_end(batch: &Batch, form: ResultsEncoding) -> String {
    let meta = Meta {
        total: batch.total,
        found: batch.found,
        not_found: batch.not_found,
        failed: batch.failed,
        batch_id: &batch.id,
    };
    let meta = serde_json::to_string(&meta).expect("texts and numbers always become JSON");
    match form {
        ResultsEncoding::Object => format!("}},\"meta\":{meta}}}"),
        ResultsEncoding::Lines => format!("{{\"meta\":{meta}}}\n"),
    }
}
