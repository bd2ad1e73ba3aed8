//! Results of a batch as a table: one row per item, one column per member of the base data and details.
//!
//! The columns follow from the schemas and not from the companies, so that every table of a host has the same ones.

mod cells;
mod columns;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::sync::{Semaphore, mpsc};

use super::responses::with_batch_id;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::error::ApiError;
use crate::api::files::{CSV, XLSX, download};
use crate::api::parameters::types::Words;
use crate::batches::{ResultsEncoding, ResultsError};
use crate::companies::AllowedScopes;
use crate::language::Language;
use crate::store::{Batch, ScopeName};
use crate::tables::csv::{Cell, append_row};
use crate::tables::{Workbook, WorkbookError};
use cells::{Shown, cell};
use columns::{Column, add_sections, chosen, of_company};

/// Bytes of a file that are read at a time.
const PIECE: usize = 64 * 1024;

/// Workbooks that a host writes at the same time, because each needs a processor and space on the disk.
static WRITING: Semaphore = Semaphore::const_new(2);

/// What the first rows of a table say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum HeaderForm {
    #[default]
    Names,
    Titles,
    Both,
}

impl Words for HeaderForm {
    type Value = Self;
    const WORDS: &'static [(&'static str, Self)] = &[
        ("names", Self::Names),
        ("titles", Self::Titles),
        ("both", Self::Both),
    ];
}

/// The form of a table.
#[derive(Clone)]
pub(super) struct Table {
    columns: Vec<Column>,
    header: HeaderForm,
}

impl Table {
    /// The table that a request wants.
    ///
    /// # Errors
    /// 422 for unknown columns, and for scopes that the batch was not created with.
    pub(super) async fn of(
        app: &App,
        caller: &Caller,
        batch: &Batch,
        scope: Option<&str>,
        columns: Option<String>,
        header: Option<HeaderForm>,
    ) -> Result<Self, ApiError> {
        let keys = app.context.store.keys();
        let language = keys.language(caller.account_id).await?;
        let language = language.as_deref().and_then(Language::parse);
        let language = language.unwrap_or_default();
        let catalogue = app.companies.connectors().catalogue();
        let mut company = of_company(&catalogue, language);
        let scopes = scopes_of(batch, scope)?;
        add_sections(&mut company, &scopes, &catalogue, language);
        let mut all = columns::of_item(batch.kind, language);
        let company = match columns {
            Some(wanted) => chosen(&company, &all, &wanted)?,
            None => company,
        };
        all.extend(company);
        Ok(Self {
            columns: all,
            header: header.unwrap_or_default(),
        })
    }

    /// The rows above the items.
    fn heads(&self) -> Vec<Vec<&str>> {
        let names = || self.columns.iter().map(|column| column.name.as_str());
        let titles = || self.columns.iter().map(|column| column.title.as_str());
        match self.header {
            HeaderForm::Names => vec![names().collect()],
            HeaderForm::Titles => vec![titles().collect()],
            HeaderForm::Both => vec![names().collect(), titles().collect()],
        }
    }

    /// Calls `row` with the cells of each line of results.
    fn rows<E>(
        &self,
        lines: &[u8],
        mut row: impl FnMut(Vec<Cell<'_>>) -> Result<(), E>,
    ) -> Result<(), E> {
        for line in lines.split(|byte| *byte == b'\n') {
            let entry: Value = serde_json::from_slice(line).unwrap_or_default();
            // The last line has the totals.
            if entry.get("found").is_none() {
                continue;
            }
            let texts: Vec<_> = self
                .columns
                .iter()
                .map(|column| cell(&entry, &column.pointers, column.items))
                .collect();
            row(texts.iter().map(Shown::cell).collect())?;
        }
        Ok(())
    }

    /// The results as CSV, written while they are read.
    pub(super) fn csv(self, app: &App, caller: &Caller, batch: &Batch) -> Response {
        let mut head = String::new();
        for titles in self.heads() {
            append_row(&mut head, titles.into_iter().map(Cell::Text));
        }
        let results = app
            .batches
            .results(caller.account_id, batch.clone(), ResultsEncoding::Lines);
        let rows = results.map_ok(move |lines| {
            let mut table = String::new();
            let written = self.rows(&lines, |cells| {
                append_row(&mut table, cells);
                Ok::<_, std::convert::Infallible>(())
            });
            let Ok(()) = written;
            Bytes::from(table)
        });
        let rows = rows.inspect_err(|error| {
            // The status has been sent, so ending the stream early is the only way to signal the failure.
            tracing::error!(%error, "writing batch results failed; the table ends early");
        });
        let table = stream::iter([Ok(Bytes::from(head))]).chain(rows);
        with_batch_id(
            download(CSV, "companies.csv", Body::from_stream(table)),
            batch,
        )
    }

    /// The results as a workbook, which is written to a temporary file before the response begins.
    pub(super) async fn xlsx(
        self,
        app: &App,
        caller: &Caller,
        batch: &Batch,
    ) -> Result<Response, ApiError> {
        let _turn = WRITING.acquire().await;
        let directory = app.config.data.join("spool");
        let (sender, mut receiver) = mpsc::channel::<Bytes>(2);
        let writing = tokio::task::spawn_blocking(move || {
            let mut workbook = Workbook::new(&directory)?;
            for titles in self.heads() {
                workbook.append_head(titles)?;
            }
            while let Some(lines) = receiver.blocking_recv() {
                self.rows(&lines, |cells| workbook.append_row(cells))?;
            }
            workbook.finish(tempfile::tempfile_in(&directory)?)
        });
        let results = app
            .batches
            .results(caller.account_id, batch.clone(), ResultsEncoding::Lines);
        let mut results = std::pin::pin!(results);
        let mut read: Result<(), ResultsError> = Ok(());
        while let Some(lines) = results.next().await {
            match lines {
                // A writer that failed says why when it is awaited.
                Ok(lines) => {
                    if sender.send(lines).await.is_err() {
                        break;
                    }
                }
                Err(error) => {
                    read = Err(error);
                    break;
                }
            }
        }
        drop(sender);
        let written: Result<std::fs::File, WorkbookError> = writing.await.map_err(|panicked| {
            tracing::error!(%panicked, "writing a workbook panicked");
            ApiError::internal()
        })?;
        read?;
        let file = written.map_err(|error| {
            tracing::error!(%error, "writing a workbook failed");
            ApiError::internal()
        })?;
        let file = tokio::fs::File::from_std(file);
        let pieces = stream::try_unfold(file, |mut file| async move {
            let mut piece = vec![0; PIECE];
            let count = file.read(&mut piece).await?;
            piece.truncate(count);
            Ok::<_, std::io::Error>((count > 0).then(|| (Bytes::from(piece), file)))
        });
        let response = download(XLSX, "companies.xlsx", Body::from_stream(pieces));
        Ok(with_batch_id(response, batch))
    }
}

/// The scopes of a batch that a table has sections of.
fn scopes_of(batch: &Batch, wanted: Option<&str>) -> Result<Vec<ScopeName>, ApiError> {
    let own = batch.scopes.as_deref().map(AllowedScopes::of_key);
    let own = own.unwrap_or_default();
    let Some(wanted) = wanted else {
        return Ok(own.iter().cloned().collect());
    };
    let names = wanted.split(',').map(str::trim);
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    let is_own = |name: &&str| own.iter().any(|scope| scope.as_str() == *name);
    let others: Vec<&str> = names.iter().copied().filter(|name| !is_own(name)).collect();
    if !others.is_empty() {
        let others: String = others.join(", ").chars().take(100).collect();
        let why = format!("the batch was created without {others}");
        return Err(ApiError::invalid("scope", why));
    }
    let chosen = own.iter().filter(|scope| names.contains(&scope.as_str()));
    Ok(chosen.cloned().collect())
}
