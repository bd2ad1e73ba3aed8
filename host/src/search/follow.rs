//! Keeps this host's index up to date with the store.
//!
//! Each step reads the changes since the last one and commits them together with the reached revision. If the process
//! is killed, the next start continues there. An index that is missing, damaged, of another layout or of another store
//! is rebuilt. Before the index has caught up for the first time it answers no queries, because a missing company would
//! look like one that does not exist.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use serde::Serialize;
use tokio::task::JoinHandle;

use super::error::SearchError;
use super::former_names::FORMER_NAMES;
use super::index::{Hit, IndexError, NameIndex, NumberHit};
use super::plan::SearchCriteria;
use super::walk::{Found, Page};
use super::writing::{COMMIT_EVERY, Slot, Writing};
use crate::config;
use crate::names;
use crate::store::{CompanyStatus, CompanyToFind, Store};

/// Companies that one query reads.
const BATCH: u32 = 5_000;

/// Companies per commit while the first build runs and no queries are answered yet.
const COMMIT_WHILE_BUILDING: i64 = 200_000;

/// The search of one host. Clones share all state.
#[derive(Clone)]
pub struct Search(Arc<Inner>);

struct Inner {
    store: Store,
    /// Directory of the indexes, with one folder per process.
    directory: PathBuf,
    settings: config::Search,
    /// The index for queries. `None` until it has caught up.
    open: ArcSwapOption<NameIndex>,
    writing: tokio::sync::Mutex<Option<Writing>>,
    /// The merge that the first step started.
    merging: tokio::sync::Mutex<Option<JoinHandle<()>>>,
    /// Set after a failed query: the files may be damaged.
    needs_check: AtomicBool,
    reached: AtomicI64,
    newest: AtomicI64,
}

/// Progress of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Whether queries are answered.
    pub ready: bool,
    /// Number of indexed companies.
    pub companies: u64,
    /// The revision that the index has reached.
    pub reached: i64,
    /// The newest known revision of the store.
    pub newest: i64,
}

/// Result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stepped {
    /// Number of companies that were added or updated.
    pub companies: u64,
    /// Whether the index was built from scratch.
    pub made: bool,
}

/// A company that a name may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub ico: String,
    pub name: String,
    pub city: Option<String>,
    pub status: CompanyStatus,
}

impl Search {
    /// A search over a store, with its index in a subfolder of `directory`. Opens nothing before the first step.
    #[must_use]
    pub fn new(store: Store, directory: PathBuf, settings: config::Search) -> Self {
        Self(Arc::new(Inner {
            store,
            directory,
            settings,
            open: ArcSwapOption::empty(),
            writing: tokio::sync::Mutex::new(None),
            merging: tokio::sync::Mutex::new(None),
            needs_check: AtomicBool::new(false),
            reached: AtomicI64::new(0),
            newest: AtomicI64::new(0),
        }))
    }

    /// Maximum length of a query text, in characters.
    #[must_use]
    pub fn longest_query(&self) -> usize {
        self.0.settings.query_characters
    }

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

    /// A page of registration numbers, and the number of all matches.
    ///
    /// # Errors
    /// A [`SearchError`].
    pub async fn numbers(
        &self,
        criteria: SearchCriteria,
        page: Page,
    ) -> Result<Found<NumberHit>, SearchError> {
        self.query(move |index| index.numbers(&criteria, page))
            .await
    }

    /// A page of companies with name and city.
    ///
    /// # Errors
    /// A [`SearchError`].
    pub async fn suggestions(
        &self,
        criteria: SearchCriteria,
        page: Page,
    ) -> Result<Found<Hit>, SearchError> {
        self.query(move |index| index.suggestions(&criteria, page))
            .await
    }

    /// Companies with the names most similar to a whole name. Searches with the legal form, without it, and with a
    /// typo; at most `limit` results each.
    ///
    /// # Errors
    /// A [`SearchError`].
    pub async fn candidates(
        &self,
        name: &str,
        limit: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        let mut ways = vec![name.to_owned(), names::bare_name(name)];
        // Without a legal form both names are equal.
        ways.dedup_by_key(|name| names::fold(name));
        let found = self.query(move |index| {
            let mut hits: Vec<Hit> = Vec::new();
            for name in ways {
                let criteria = SearchCriteria {
                    name: Some(name),
                    ..SearchCriteria::default()
                };
                let found = index.suggestions(&criteria, Page { limit, offset: 0 })?;
                // What a company is called now decides whether a name means it.
                let current = found.hits.into_iter();
                for hit in current.filter(|hit| hit.former_name.is_none()) {
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

    /// Runs a query on the blocking thread pool. Most take microseconds, some a few milliseconds.
    async fn query<T: Send + 'static>(
        &self,
        question: impl FnOnce(&NameIndex) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, SearchError> {
        let Some(index) = self.0.open.load_full() else {
            return Err(SearchError::Building(self.percent()));
        };
        let answer = run_blocking(move || question(&index)).await;
        let failure = match answer {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => SearchError::Index(error),
            Err(stopped) => stopped,
        };
        tracing::error!(error = %reason(&failure), "a search query failed; checking the index files");
        self.0.needs_check.store(true, Ordering::Relaxed);
        Err(failure)
    }

    fn percent(&self) -> u8 {
        let (reached, newest) = (
            self.0.reached.load(Ordering::Relaxed),
            self.0.newest.load(Ordering::Relaxed),
        );
        // 100 % would mean that it is done.
        let percent = reached.saturating_mul(100) / newest.max(1);
        u8::try_from(percent.clamp(0, 99)).unwrap_or(99)
    }

    /// The pause between two steps that find nothing.
    pub(super) fn poll(&self) -> Duration {
        Duration::from_millis(self.0.settings.poll_ms.max(1))
    }

    /// Brings the index up to date with the store; builds it first if necessary.
    ///
    /// # Errors
    /// A [`SearchError`]; the next step retries.
    pub async fn step(&self) -> Result<Stepped, SearchError> {
        let mut place = self.0.writing.lock().await;
        // Query the store first, so that the writer is kept while the store is unavailable.
        let newest = self.0.store.companies().revision().await?;
        self.0.newest.store(newest, Ordering::Relaxed);
        let mut slot = None;
        if self.0.needs_check.swap(false, Ordering::Relaxed)
            && let Some(writing) = place.take()
        {
            let index = Arc::clone(&writing.index);
            if let Err(error) = run_blocking(move || index.check()).await? {
                tracing::error!(%error, "rebuilding the damaged search index");
                self.0.open.store(None);
                slot = Some(Arc::clone(&writing.slot));
                // Stop its threads before another writer uses the folder.
                run_blocking(move || drop(writing)).await?;
            } else {
                *place = Some(writing);
            }
        }
        let writing = match place.take() {
            Some(writing) => writing,
            None => {
                let mut writing = self.open(slot, newest).await?;
                if !writing.made {
                    self.merge(&mut writing).await?;
                }
                writing
            }
        };
        let (mut writing, companies) = self.catch_up(writing, newest).await?;
        let stepped = Stepped {
            companies,
            made: writing.made,
        };
        self.0.open.store(Some(Arc::clone(&writing.index)));
        if writing.made {
            writing.made = false;
            self.merge(&mut writing).await?;
        }
        *place = Some(writing);
        Ok(stepped)
    }

    /// Starts merging the segments of an index if there are many.
    async fn merge(&self, writing: &mut Writing) -> Result<(), IndexError> {
        let Some(merge) = writing.merge_segments()? else {
            return Ok(());
        };
        let merging = tokio::spawn(async move {
            let started = Instant::now();
            match merge.await {
                Ok(_merged) => tracing::info!(
                    "merged the segments of the search index in {:.1} s",
                    started.elapsed().as_secs_f64()
                ),
                // It works as before, but slower, and the next start tries again.
                Err(error) => {
                    tracing::warn!(%error, "merging the segments of the search index failed");
                }
            }
        });
        *self.0.merging.lock().await = Some(merging);
        Ok(())
    }

    /// Waits for the merge of segments that the first step started, if it did.
    pub async fn merged(&self) {
        let merging = self.0.merging.lock().await.take();
        if let Some(merging) = merging
            && let Err(error) = merging.await
        {
            tracing::warn!(%error, "the wait for the merge of the search index failed");
        }
    }

    /// Opens the index in a folder that no other process uses, or builds it. With a given folder, rebuilds the index
    /// there.
    async fn open(&self, slot: Option<Arc<Slot>>, newest: i64) -> Result<Writing, SearchError> {
        let store = self.0.store.identity().await?;
        let directory = self.0.directory.clone();
        let bytes = self.0.settings.writer_mib << 20;
        let opened = run_blocking(move || Writing::open(&directory, slot, store, newest, bytes));
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
                .to_find_since(writing.note.revision, FORMER_NAMES, BATCH)
                .await?
        } else {
            Vec::new()
        };
        while let Some(last) = batch.last() {
            count += batch.len() as u64;
            let reached = last.revision;
            // Read the next companies while these are being indexed.
            let (put, next) = tokio::join!(
                self.put(writing, std::mem::take(&mut batch), reached),
                companies.to_find_since(reached, FORMER_NAMES, BATCH)
            );
            writing = put?;
            batch = next?;
            self.0.reached.store(reached, Ordering::Relaxed);
        }
        // The newest revisions may have no company.
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
        let writing = run_blocking(move || {
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
}

/// Runs work that needs much CPU or disk on the blocking thread pool.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SearchError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| SearchError::Stopped(error.to_string()))
}

/// An error with its causes, for the log.
pub(super) fn reason(error: &SearchError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

async fn commit(mut writing: Writing) -> Result<Writing, SearchError> {
    let committed = run_blocking(move || {
        writing.commit()?;
        Ok::<_, IndexError>(writing)
    });
    Ok(committed.await??)
}
