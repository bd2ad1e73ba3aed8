//! The index of this host, kept up to date with the store.
//!
//! A step reads what changed since the last one and commits it together with the revision that it reaches, so whoever
//! kills the process loses nothing: the next start goes on there. An index that is missing, damaged, of another layout
//! or of another store is made again. Until it has caught up for the first time it answers nothing, since a company that
//! it does not have yet would look like one that there is not.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use serde::Serialize;

use super::index::{Found, Hit, IndexError, NameIndex, Page};
use super::plan::Wanted;
use super::writing::{Slot, Writing};
use crate::config;
use crate::names;
use crate::store::{CompanyToFind, Store, StoreError};

/// Companies that are read at once.
const BATCH: u32 = 5_000;

/// While there is more to read, what was read is committed this often.
const COMMIT_EVERY: Duration = Duration::from_secs(1);

/// While nobody can ask yet, so many companies are committed at once.
const COMMIT_WHILE_BUILDING: i64 = 200_000;

/// The search of one host. Clones share everything.
#[derive(Clone)]
pub struct Search(Arc<Inner>);

struct Inner {
    store: Store,
    /// Where indexes stand, one folder for each process that uses it.
    directory: PathBuf,
    settings: config::Search,
    /// What questions are answered from; none until it has caught up.
    open: ArcSwapOption<NameIndex>,
    writing: tokio::sync::Mutex<Option<Writing>>,
    /// A question failed: the files may be damaged.
    doubted: AtomicBool,
    reached: AtomicI64,
    newest: AtomicI64,
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The index is being made.
    #[error("the search index is being built; {0} % is done")]
    Building(u8),
    /// The index failed; it is made again.
    #[error("the index failed")]
    Index(#[from] IndexError),
    /// The store failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// The folder of indexes cannot be used.
    #[error("the folder of the search index: {0}")]
    Folder(#[from] std::io::Error),
    /// A thread of it ended before its time.
    #[error("the search index stopped: {0}")]
    Stopped(String),
}

/// How far the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Whether questions are answered.
    pub ready: bool,
    /// Companies that it has.
    pub companies: u64,
    /// The revision that it has reached.
    pub reached: i64,
    /// The newest revision that was seen in the store.
    pub newest: i64,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stepped {
    /// Companies that were put in.
    pub companies: u64,
    /// Whether the index was made from nothing.
    pub made: bool,
}

/// A company that may be meant by a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its registration number.
    pub ico: String,
    /// Its name.
    pub name: String,
    /// Its city.
    pub city: Option<String>,
    /// `active`, `terminated` or `deleted`.
    pub status: String,
}

impl Search {
    /// The search over a store, with its index below a directory. Nothing is opened before the first step.
    #[must_use]
    pub fn new(store: Store, directory: PathBuf, settings: config::Search) -> Self {
        Self(Arc::new(Inner {
            store,
            directory,
            settings,
            open: ArcSwapOption::empty(),
            writing: tokio::sync::Mutex::new(None),
            doubted: AtomicBool::new(false),
            reached: AtomicI64::new(0),
            newest: AtomicI64::new(0),
        }))
    }

    /// The longest text that is looked for, in characters.
    #[must_use]
    pub fn longest_query(&self) -> usize {
        self.0.settings.query_characters
    }

    /// How far the index is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let open = self.0.open.load();
        Progress {
            ready: open.is_some(),
            companies: open.as_ref().map_or(0, |index| index.companies()),
            reached: self.0.reached.load(Ordering::Relaxed),
            newest: self.0.newest.load(Ordering::Relaxed),
        }
    }

    /// A page of numbers of companies, and how many match in all.
    ///
    /// # Errors
    /// A [`SearchError`].
    pub async fn numbers(&self, wanted: Wanted, page: Page) -> Result<Found<String>, SearchError> {
        self.ask(move |index| index.numbers(&wanted, page)).await
    }

    /// A page of companies with what people know them by.
    ///
    /// # Errors
    /// A [`SearchError`].
    pub async fn suggestions(&self, wanted: Wanted, page: Page) -> Result<Found<Hit>, SearchError> {
        self.ask(move |index| index.suggestions(&wanted, page))
            .await
    }

    /// Companies whose names are most like a whole name, at most `limit` for each way of looking for it: with its legal
    /// form, without it, and with a typo.
    ///
    /// # Errors
    /// A [`SearchError`].
    pub async fn candidates(
        &self,
        name: &str,
        limit: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        let mut ways = vec![name.to_owned(), names::bare_name(name)];
        // A name without a legal form is the same in both ways.
        ways.dedup_by_key(|name| names::fold(name));
        let found = self.ask(move |index| {
            let mut hits: Vec<Hit> = Vec::new();
            for name in ways {
                let wanted = Wanted {
                    name: Some(name),
                    ..Wanted::default()
                };
                let found = index.suggestions(&wanted, Page { limit, offset: 0 })?;
                for hit in found.hits {
                    if hits.iter().all(|known| known.ico != hit.ico) {
                        hits.push(hit);
                    }
                }
            }
            Ok(hits)
        });
        let candidates = found.await?.into_iter().map(|hit| Candidate {
            ico: hit.ico,
            name: hit.name,
            city: Some(hit.city).filter(|city| !city.is_empty()),
            status: hit.status,
        });
        Ok(candidates.collect())
    }

    /// Asks beside the threads that serve: most questions take microseconds, some a few milliseconds.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&NameIndex) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, SearchError> {
        let Some(index) = self.0.open.load_full() else {
            return Err(SearchError::Building(self.percent()));
        };
        let answer = beside(move || question(&index)).await;
        let failure = match answer {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => SearchError::Index(error),
            Err(stopped) => stopped,
        };
        tracing::error!(error = %reason(&failure), "the search index could not answer; its files are looked at");
        self.0.doubted.store(true, Ordering::Relaxed);
        Err(failure)
    }

    fn percent(&self) -> u8 {
        let (reached, newest) = (
            self.0.reached.load(Ordering::Relaxed),
            self.0.newest.load(Ordering::Relaxed),
        );
        // A hundred would say that it is done.
        let percent = reached.saturating_mul(100) / newest.max(1);
        u8::try_from(percent.clamp(0, 99)).unwrap_or(99)
    }

    /// Brings the index up to date with the store, making it first where need be.
    ///
    /// # Errors
    /// A [`SearchError`]; the next step tries again.
    pub async fn step(&self) -> Result<Stepped, SearchError> {
        let mut place = self.0.writing.lock().await;
        // Asked first, so that the writer is not given up while the store is away.
        let newest = self.0.store.companies().revision().await?;
        self.0.newest.store(newest, Ordering::Relaxed);
        let mut slot = None;
        if self.0.doubted.swap(false, Ordering::Relaxed)
            && let Some(writing) = place.take()
        {
            let index = Arc::clone(&writing.index);
            if let Err(error) = beside(move || index.check()).await? {
                tracing::error!(%error, "the search index is made again");
                self.0.open.store(None);
                slot = Some(Arc::clone(&writing.slot));
                // Its threads end before others write into the folder.
                beside(move || drop(writing)).await?;
            } else {
                *place = Some(writing);
            }
        }
        let writing = match place.take() {
            Some(writing) => writing,
            None => self.open(slot, newest).await?,
        };
        let (mut writing, companies) = self.catch_up(writing, newest).await?;
        let stepped = Stepped {
            companies,
            made: writing.made,
        };
        writing.made = false;
        self.0.open.store(Some(Arc::clone(&writing.index)));
        *place = Some(writing);
        Ok(stepped)
    }

    /// Opens the index in a folder that no other process uses, or makes it; in the given one it is made anew.
    async fn open(&self, slot: Option<Arc<Slot>>, newest: i64) -> Result<Writing, SearchError> {
        let store = self.0.store.identity().await?;
        let directory = self.0.directory.clone();
        let bytes = self.0.settings.writer_mib << 20;
        let opened = beside(move || Writing::open(&directory, slot, store, newest, bytes));
        opened.await?
    }

    async fn catch_up(
        &self,
        mut writing: Writing,
        newest: i64,
    ) -> Result<(Writing, u64), SearchError> {
        let companies = self.0.store.companies();
        self.0
            .reached
            .store(writing.note.revision, Ordering::Relaxed);
        let mut count = 0;
        let mut batch = if newest > writing.note.revision {
            companies
                .to_find_since(writing.note.revision, BATCH)
                .await?
        } else {
            Vec::new()
        };
        while let Some(last) = batch.last() {
            count += batch.len() as u64;
            let reached = last.revision;
            // The next companies are read while these are put in.
            let (put, next) = tokio::join!(
                self.put(writing, std::mem::take(&mut batch), reached),
                companies.to_find_since(reached, BATCH)
            );
            writing = put?;
            batch = next?;
            self.0.reached.store(reached, Ordering::Relaxed);
        }
        // Numbers may be left out at the end, too.
        let reached = newest.max(writing.note.revision);
        if writing.uncommitted > 0 || reached > writing.note.revision || writing.made {
            writing.note.revision = reached;
            writing = commit(writing).await?;
        }
        self.0.reached.store(reached, Ordering::Relaxed);
        Ok((writing, count))
    }

    async fn put(
        &self,
        mut writing: Writing,
        companies: Vec<CompanyToFind>,
        reached: i64,
    ) -> Result<Writing, SearchError> {
        let building = self.0.open.load().is_none();
        let writing = beside(move || {
            writing.put(&companies, reached)?;
            Ok::<_, IndexError>(writing)
        });
        let writing = writing.await??;
        let due = if building {
            writing.uncommitted >= COMMIT_WHILE_BUILDING
        } else {
            writing.committed_at.elapsed() >= COMMIT_EVERY
        };
        if due {
            commit(writing).await
        } else {
            Ok(writing)
        }
    }

    /// Follows the store for ever.
    pub async fn run(self) {
        let poll = Duration::from_millis(self.0.settings.poll_ms.max(1));
        let mut told = false;
        loop {
            let started = Instant::now();
            match self.step().await {
                Ok(stepped) => {
                    told = false;
                    if stepped.made || stepped.companies >= 10_000 {
                        tracing::info!(
                            companies = stepped.companies,
                            "the search index took up {} companies in {:.1} s",
                            stepped.companies,
                            started.elapsed().as_secs_f64()
                        );
                    }
                }
                // Every half second the same failure says nothing new.
                Err(error) if told => {
                    tracing::debug!(error = %reason(&error), "the search index is still not up to date");
                }
                Err(error) => {
                    told = true;
                    tracing::error!(error = %reason(&error), "the search index is not up to date; trying again");
                }
            }
            tokio::time::sleep(poll).await;
        }
    }
}

/// Runs what takes the processor or the disk beside the threads that serve.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SearchError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| SearchError::Stopped(error.to_string()))
}

/// An error with what caused it, for the log.
fn reason(error: &SearchError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

async fn commit(mut writing: Writing) -> Result<Writing, SearchError> {
    let committed = beside(move || {
        writing.commit()?;
        Ok::<_, IndexError>(writing)
    });
    Ok(committed.await??)
}
