//! The index itself: opened or made, asked, and written.

use std::path::Path;

use tantivy::directory::error::OpenDirectoryError;
use tantivy::schema::Value;
use tantivy::{
    Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
};

use super::collect::{BestByRank, Ranked};
use super::document::{document, ico_of};
use super::plan::{Plan, Tier, Wanted, plan};
use super::schema::{Fields, schema};
use crate::store::CompanyToFind;

/// Where fewer companies than this match, those with a typo are looked for, too.
const LITTLE: u64 = 3;

/// Why the index could not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Its directory cannot be used.
    #[error("the directory of the index: {0}")]
    Directory(#[from] OpenDirectoryError),
    /// It failed; its files may be damaged.
    #[error("the index: {0}")]
    Index(#[from] TantivyError),
    /// Files are not what was written.
    #[error("files of the index are damaged: {0}")]
    Damaged(String),
}

/// Which of all that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// So many.
    pub limit: usize,
    /// Behind so many.
    pub offset: usize,
}

/// A company that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its registration number.
    pub ico: String,
    /// Its name, as the register writes it.
    pub name: String,
    /// Its city; empty where it is not known.
    pub city: String,
    /// `active`, `terminated` or `deleted`.
    pub status: String,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The page.
    pub hits: Vec<T>,
    /// Whether there are more behind it.
    pub more: bool,
    /// How many there are in all; at least so many where only a page was asked for.
    pub total: u64,
}

/// The index of one host.
pub struct NameIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

impl NameIndex {
    /// Makes an empty index in a directory that has none.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn create(directory: &Path) -> Result<Self, IndexError> {
        let (schema, fields) = schema();
        Self::over(Index::create_in_dir(directory, schema)?, fields)
    }

    /// Opens the index of a directory and holds its files against their checksums.
    ///
    /// # Errors
    /// An [`IndexError`], also where there is none or it has other fields.
    pub fn open(directory: &Path) -> Result<Self, IndexError> {
        let index = Index::open_in_dir(directory)?;
        let (schema, fields) = schema();
        if index.schema() != schema {
            return Err(IndexError::Damaged("it has other fields".to_owned()));
        }
        let this = Self::over(index, fields)?;
        this.check()?;
        Ok(this)
    }

    /// Holds the files against their checksums.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] names one that differs.
    pub fn check(&self) -> Result<(), IndexError> {
        let damaged = self.index.validate_checksum()?;
        match damaged.iter().next() {
            Some(file) => Err(IndexError::Damaged(file.display().to_string())),
            None => Ok(()),
        }
    }

    /// An index of a few companies, which nobody writes any more.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn of(companies: &[CompanyToFind]) -> Result<Self, IndexError> {
        let (schema, fields) = schema();
        let this = Self::over(Index::create_in_ram(schema), fields)?;
        let mut writer = this.writer(1, 15 << 20)?;
        this.put(&writer, companies, i64::MAX)?;
        writer.commit()?;
        this.reload()?;
        Ok(this)
    }

    fn over(index: Index, fields: Fields) -> Result<Self, IndexError> {
        let reader = index
            .reader_builder()
            // Merges in the background change the files, too.
            .reload_policy(ReloadPolicy::OnCommitWithDelay)
            .doc_store_cache_num_blocks(256)
            .try_into()?;
        Ok(Self {
            index,
            reader,
            fields,
        })
    }

    /// What its writer noted at the last commit.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn note(&self) -> Result<Option<String>, IndexError> {
        Ok(self.index.load_metas()?.payload)
    }

    /// The one writer.
    ///
    /// # Errors
    /// An [`IndexError`], also while there is another.
    pub fn writer(&self, threads: usize, bytes: usize) -> Result<IndexWriter, IndexError> {
        Ok(self.index.writer_with_num_threads(threads, bytes)?)
    }

    /// Puts companies in the place of what was known of them, as of the next commit. Of those with a revision up to
    /// `new_until` nothing was known, so nothing is looked for to be removed: that would be kept in memory for each.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn put(
        &self,
        writer: &IndexWriter,
        companies: &[CompanyToFind],
        new_until: i64,
    ) -> Result<(), IndexError> {
        for company in companies {
            if company.revision > new_until {
                writer.delete_term(Term::from_field_text(self.fields.ico, &company.ico));
            }
            writer.add_document(document(company, &self.fields))?;
        }
        Ok(())
    }

    /// Lets questions from now on see what was committed.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn reload(&self) -> Result<(), IndexError> {
        Ok(self.reader.reload()?)
    }

    /// How many companies it has.
    #[must_use]
    pub fn companies(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// A page of numbers of companies, and how many match in all.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn numbers(&self, wanted: &Wanted, page: Page) -> Result<Found<String>, IndexError> {
        let searcher = self.reader.searcher();
        let found = self.search(&searcher, wanted, page, true)?;
        Ok(Found {
            hits: found.hits.iter().map(|hit| ico_of(hit.rank)).collect(),
            more: found.more,
            total: found.total,
        })
    }

    /// A page of companies with what people know them by.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn suggestions(&self, wanted: &Wanted, page: Page) -> Result<Found<Hit>, IndexError> {
        let searcher = self.reader.searcher();
        let found = self.search(&searcher, wanted, page, false)?;
        let hits: Result<Vec<Hit>, IndexError> = found
            .hits
            .iter()
            .map(|hit| self.shown(&searcher, hit))
            .collect();
        Ok(Found {
            hits: hits?,
            more: found.more,
            total: found.total,
        })
    }

    fn shown(&self, searcher: &Searcher, hit: &Ranked) -> Result<Hit, IndexError> {
        let document: TantivyDocument = searcher.doc(hit.address)?;
        let text = |field| {
            let value = document.get_first(field);
            let text = value.as_ref().and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        Ok(Hit {
            ico: ico_of(hit.rank),
            name: text(self.fields.shown_name),
            city: text(self.fields.shown_city),
            status: text(self.fields.status),
        })
    }

    fn search(
        &self,
        searcher: &Searcher,
        wanted: &Wanted,
        page: Page,
        count: bool,
    ) -> Result<Found<Ranked>, IndexError> {
        let Plan { plain, tolerant } = plan(wanted, &self.fields, searcher)?;
        let mut found = Found {
            hits: Vec::new(),
            more: false,
            total: 0,
        };
        let mut walk = Walk {
            searcher,
            page,
            count,
            found: &mut found,
        };
        walk.through(plain)?;
        if walk.found.total < LITTLE
            && let Some(tolerant) = tolerant
        {
            let found = walk.found.total;
            walk.through(tolerant.tiers(found, LITTLE, &self.fields, searcher)?)?;
        }
        found.more = found.total > (page.offset as u64).saturating_add(found.hits.len() as u64)
            && found.hits.len() == page.limit;
        Ok(found)
    }
}

/// One tier after the other until the page is full.
struct Walk<'a> {
    searcher: &'a Searcher,
    page: Page,
    /// Whether to go on for the sake of the total.
    count: bool,
    found: &'a mut Found<Ranked>,
}

impl Walk<'_> {
    fn through(&mut self, tiers: Vec<Tier>) -> Result<(), IndexError> {
        for tier in tiers {
            let wanted = (self.page.offset as u64).saturating_add(self.page.limit as u64);
            // One more than the page says that there is more.
            if !self.count && self.found.total > wanted {
                return Ok(());
            }
            let before = self.found.total;
            let first = (self.page.offset as u64).saturating_sub(before);
            let missing = self.page.limit - self.found.hits.len();
            let first = usize::try_from(first).unwrap_or(usize::MAX);
            let most = usize::try_from(self.searcher.num_docs()).unwrap_or(usize::MAX);
            let limit = if missing == 0 || first >= most {
                0
            } else {
                first.saturating_add(missing)
            };
            let best = self.searcher.search(
                &tier.query,
                &BestByRank {
                    limit,
                    order: tier.order,
                },
            )?;
            self.found.total += best.count;
            self.found
                .hits
                .extend(best.ranked.into_iter().skip(first).take(missing));
        }
        Ok(())
    }
}
