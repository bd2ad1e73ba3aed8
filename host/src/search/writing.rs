//! The index with its single writer, in a folder that no other process uses, and a note about its origin.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tantivy::index::SegmentMeta;
use tantivy::indexer::{LogMergePolicy, NoMergePolicy};
use tantivy::{FutureResult, IndexWriter};

use super::error::SearchError;
use super::index::{IndexError, NameIndex};
use super::schema::LAYOUT;
use crate::store::CompanyToFind;

/// Minimum memory in bytes that the index engine requires per writing thread.
const MIN_BYTES_PER_THREAD: usize = 15 << 20;

/// Maximum processes per data directory; more are a mistake.
const MAX_SLOTS: u32 = 64;

/// Maximum number of segments that are left as they are at a start.
const MAX_SEGMENTS: usize = 8;

/// Interval of commits while an import changes many companies. Each commit synchronises about twenty files and makes a
/// segment that is merged later: with one each half second, they took a third of the processor time of an import and
/// delayed durable writes to the same disk.
pub(super) const COMMIT_EVERY: Duration = Duration::from_secs(5);

/// The note stored with each commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    layout: u32,
    store: String,
    /// All changes up to this revision are included.
    pub(super) revision: i64,
}

pub(super) struct Writing {
    pub(super) index: Arc<NameIndex>,
    writer: IndexWriter,
    pub(super) note: Note,
    /// Companies written since the last commit.
    pub(super) uncommitted: i64,
    pub(super) committed_at: Instant,
    /// Whether the index was built from scratch.
    pub(super) made: bool,
    /// For a new index: the store's revision at its creation. Companies up to it are written only once.
    new_until: i64,
    pub(super) slot: Arc<Slot>,
}

/// A folder that no other process uses. The operating system releases the lock when the process ends in any way.
pub(super) struct Slot {
    folder: PathBuf,
    _lock: File,
}

impl Writing {
    /// Opens the index in the first free folder of a directory. Builds a new one if there is none, or if it belongs to
    /// another store or layout. With a given folder, rebuilds the index there. `newest` is the store's revision.
    pub(super) fn open(
        directory: &Path,
        slot: Option<Arc<Slot>>,
        store: String,
        newest: i64,
        bytes: usize,
    ) -> Result<Self, SearchError> {
        let reusable = |slot: &Slot| reusable(&slot.folder, &store, newest);
        let (slot, reusable) = match slot {
            Some(slot) => (slot, Err("it is damaged".to_owned())),
            None => {
                let slot = free_slot(directory)?;
                let reusable = reusable(&slot);
                (slot, reusable)
            }
        };
        let (index, note, made) = match reusable {
            Ok((index, note)) => (index, note, false),
            Err(why) => {
                let note = Note {
                    layout: LAYOUT,
                    store,
                    revision: 0,
                };
                (recreated(&slot.folder, &why)?, note, true)
            }
        };
        // More than two threads do not help: reading the companies takes about as long as one thread needs to index
        // them.
        let threads = if bytes >= 2 * MIN_BYTES_PER_THREAD {
            2
        } else {
            1
        };
        let writer = index.writer(threads, bytes)?;
        if made {
            // All segments are merged at the end.
            writer.set_merge_policy(Box::new(NoMergePolicy));
        }
        Ok(Self {
            index: Arc::new(index),
            writer,
            note,
            uncommitted: 0,
            committed_at: Instant::now(),
            made,
            new_until: if made { newest } else { 0 },
            slot,
        })
    }

    /// Writes companies, as of the next commit. `reached` is the revision of the last one.
    pub(super) fn put(
        &mut self,
        companies: &[CompanyToFind],
        reached: i64,
    ) -> Result<(), IndexError> {
        self.index.put(&self.writer, companies, self.new_until)?;
        self.uncommitted += i64::try_from(companies.len()).unwrap_or(i64::MAX);
        self.note.revision = reached;
        Ok(())
    }

    /// Commits the written companies and makes them visible to queries.
    pub(super) fn commit(&mut self) -> Result<(), IndexError> {
        let note = serde_json::to_string(&self.note).expect("texts and numbers become JSON");
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&note);
        prepared.commit()?;
        self.index.reload()?;
        self.uncommitted = 0;
        self.committed_at = Instant::now();
        Ok(())
    }

    /// Starts merging the segments into one if there are many, because each query looks its words up in every segment.
    /// Segments of later commits are merged with others of their size. The writer must have no other merge in progress.
    pub(super) fn merge_segments(&mut self) -> Result<Option<Merge>, IndexError> {
        let segments = self.index.segments()?;
        let merge = (segments.len() > MAX_SEGMENTS).then(|| self.writer.merge(&segments));
        self.writer
            .set_merge_policy(Box::<LogMergePolicy>::default());
        Ok(merge)
    }
}

/// A merge on another thread, which continues if this is dropped.
pub(super) type Merge = FutureResult<Option<SegmentMeta>>;

fn free_slot(directory: &Path) -> io::Result<Arc<Slot>> {
    std::fs::create_dir_all(directory)?;
    for number in 0..MAX_SLOTS {
        let lock = File::create(directory.join(format!("{number}.lock")))?;
        match lock.try_lock() {
            Ok(()) => {
                return Ok(Arc::new(Slot {
                    folder: directory.join(number.to_string()),
                    _lock: lock,
                }));
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    let why = format!("{MAX_SLOTS} processes use {}", directory.display());
    Err(io::Error::other(why))
}

/// Creates an empty index in a folder and deletes what was there.
fn recreated(folder: &Path, why: &str) -> Result<NameIndex, SearchError> {
    if folder.exists() {
        tracing::warn!("rebuilding the search index: {why}");
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    Ok(NameIndex::create(folder)?)
}

/// The existing index of a folder if it can be continued, otherwise the reason.
fn reusable(folder: &Path, store: &str, newest: i64) -> Result<(NameIndex, Note), String> {
    let index = NameIndex::open(folder).map_err(|error| error.to_string())?;
    let note = index.note().map_err(|error| error.to_string())?;
    let note = note.and_then(|note| serde_json::from_str::<Note>(&note).ok());
    let note = note.ok_or("it has no commit")?;
    if note.layout != LAYOUT {
        return Err(format!("it has layout {}, not {LAYOUT}", note.layout));
    }
    if note.store != store {
        return Err("it belongs to another store".to_owned());
    }
    if note.revision > newest {
        return Err("the store was restored to an earlier state".to_owned());
    }
    Ok((index, note))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::names;
    use crate::search::document::rank;
    use crate::search::plan::SearchCriteria;
    use crate::search::walk::Page;
    use crate::store::CompanyStatus;

    const WORDS: [&str; 5] = ["alfa", "alfonz", "beta", "betka", "gama"];

    fn company(number: u32, name: &str, revision: i64) -> CompanyToFind {
        CompanyToFind {
            ico: format!("{number:08}"),
            name: name.to_owned(),
            city: None,
            legal_form: None,
            legal_form_code: None,
            status: CompanyStatus::Active,
            nace_code: None,
            established_date: None,
            facts: None,
            revision,
        }
    }

    fn open(folder: &Path, newest: i64) -> Writing {
        let opened = Writing::open(
            folder,
            None,
            "store".to_owned(),
            newest,
            MIN_BYTES_PER_THREAD,
        );
        opened.expect("the folder is ours")
    }

    fn first(prefix: &str, page: Page, writing: &Writing) -> (Vec<String>, bool) {
        let criteria = SearchCriteria {
            name: Some(prefix.to_owned()),
            ..SearchCriteria::default()
        };
        let found = writing.index.suggestions(&criteria, page);
        let found = found.expect("the index is whole");
        let icos = found.hits.into_iter().map(|hit| hit.ico);
        (icos.collect(), found.more)
    }

    /// A name and whether the company is active.
    type Named = (String, bool);

    /// All companies with these words, of which the last one is the beginning of a word, in the order of their results.
    /// `s r` is the beginning of a legal form.
    fn all(typed: &str, companies: &BTreeMap<u32, Named>) -> Vec<String> {
        let (words, with_form) = match typed.strip_suffix(" s r") {
            Some(words) => (format!("{words} "), true),
            None => (typed.to_owned(), false),
        };
        let (whole, last) = words.rsplit_once(' ').unwrap_or(("", &words));
        let first = words.split(' ').next().unwrap_or_default();
        let is_first_whole = words.contains(' ');
        let mut found = Vec::new();
        for (number, (name, is_active)) in companies {
            let bare = names::bare_name(name);
            let of_name: Vec<_> = bare.split(' ').collect();
            let is_found = whole.split_whitespace().all(|word| of_name.contains(&word))
                && of_name.iter().any(|word| word.starts_with(last))
                && (!with_form || name.ends_with("s. r. o."));
            let begins = match is_first_whole {
                true => of_name[0] == first,
                false => of_name[0].starts_with(first),
            };
            if is_found {
                let ico = format!("{number:08}");
                found.push((!begins, !is_active, rank(&bare, &ico), ico));
            }
        }
        found.sort();
        found.into_iter().map(|(.., ico)| ico).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn pages_of_many_segments_are_in_order(
            commits in prop::collection::vec(
                prop::collection::vec((1..90_u32, 0..5_usize, 0..5_usize, 0..3_u8), 1..60),
                1..6,
            ),
            limit in 1..12_usize,
            offset in 0..6_usize,
        ) {
            let folder = tempfile::tempdir().expect("temporary files can be written");
            let mut writing = open(folder.path(), 0);
            let mut companies = BTreeMap::new();
            for (commit, changes) in (1..).zip(&commits) {
                for (number, one, two, kind) in changes {
                    let form = if *kind == 0 { "" } else { ", s. r. o." };
                    let name = format!("{} {}{form}", WORDS[*one], WORDS[*two]);
                    let mut changed = company(*number, &name, commit);
                    if *kind == 2 {
                        changed.status = CompanyStatus::Terminated;
                    }
                    writing.put(&[changed], commit).expect("the folder is ours");
                    companies.insert(*number, (name, *kind != 2));
                }
                writing.commit().expect("the folder is ours");
            }
            let page = Page { limit, offset };
            for typed in ["a", "alf", "be", "g", "alfa be", "gama al", "alfonz s r"] {
                let all = all(typed, &companies);
                let expected: Vec<_> = all.iter().skip(offset).take(limit).cloned().collect();
                let more = expected.len() == limit && all.len() > offset + limit;
                prop_assert_eq!(first(typed, page, &writing), (expected.clone(), more));
                let criteria = SearchCriteria { name: Some(typed.to_owned()), ..SearchCriteria::default() };
                let counted = writing.index.numbers(&criteria, page).expect("the index is whole");
                let icos: Vec<_> = counted.hits.into_iter().map(|hit| hit.ico).collect();
                prop_assert_eq!((icos, counted.total), (expected, all.len() as u64));
            }
        }
    }

    #[test]
    fn many_segments_of_a_new_index_become_one() {
        let folder = tempfile::tempdir().expect("temporary files can be written");
        let mut writing = open(folder.path(), 10);
        for revision in 1..=10 {
            let number = u32::try_from(revision).expect("a small number");
            // A segment that loses its only company during the merge would end the merge.
            let companies =
                [number, number + 100].map(|number| company(number, "Mlyn, s. r. o.", revision));
            writing
                .put(&companies, revision)
                .expect("the folder is ours");
            writing.commit().expect("the folder is ours");
        }
        let segments = |writing: &Writing| writing.index.segments().expect("it is open").len();
        assert_eq!(segments(&writing), 10);
        let merge = writing.merge_segments().expect("it is open");
        // A company that changes during the merge replaces the one in the merged segment.
        let changed = [company(1, "Pila, s. r. o.", 11)];
        writing.put(&changed, 11).expect("the folder is ours");
        writing.commit().expect("the folder is ours");
        merge.expect("they are many").wait().expect("it succeeds");
        assert_eq!(segments(&writing), 2);
        drop(writing);
        let mut again = open(folder.path(), 11);
        assert_eq!((again.made, again.note.revision), (false, 11));
        assert_eq!(again.index.companies(), 20);
        let page = Page {
            limit: 20,
            offset: 0,
        };
        assert_eq!(first("ml", page, &again).0.len(), 19);
        assert_eq!(first("pi", page, &again).0, ["00000001"]);
        assert!(again.merge_segments().expect("it is open").is_none());
    }
}
