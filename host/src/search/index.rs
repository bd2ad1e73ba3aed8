//! The index: opening, building, querying and writing.

use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use tantivy::directory::error::OpenDirectoryError;
use tantivy::index::SegmentId;
use tantivy::schema::Value;
use tantivy::{
    Index, IndexBuilder, IndexReader, IndexSettings, IndexSortByField, IndexWriter, Order,
    ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
};

use super::collect::Ranks;
use super::document::{document, ico_of};
use super::plan::{SearchCriteria, Typed, matched_former_name, plan};
use super::schema::{Fields, RANK, schema};
use super::walk::{self, Found, Matched, Page};
use crate::store::{CompanyStatus, CompanyToFind};

/// Why an index operation failed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The directory cannot be used.
    #[error("opening the directory of the search index failed: {0}")]
    Directory(#[from] OpenDirectoryError),
    /// The index engine failed; its files may be damaged.
    #[error("the index engine failed: {0}")]
    Index(#[from] TantivyError),
    /// A checksum does not match.
    #[error("files of the index are damaged: {0}")]
    Damaged(String),
}

/// A matching company by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberHit {
    pub ico: String,
    /// The former name by which it was found.
    pub former_name: Option<String>,
}

/// A matching company, as shown to users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub ico: String,
    /// The name as the register writes it.
    pub name: String,
    /// The city; empty if it is unknown.
    pub city: String,
    pub status: CompanyStatus,
    /// The former name by which it was found.
    pub former_name: Option<String>,
}

pub struct NameIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    /// The ranks of the newest searcher that was used.
    ranks: ArcSwapOption<Ranks>,
}

impl NameIndex {
    /// Creates an empty index in an empty directory.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn create(directory: &Path) -> Result<Self, IndexError> {
        let (builder, fields) = builder();
        Self::over(builder.create_in_dir(directory)?, fields)
    }

    /// Opens an existing index and verifies the checksums of its files.
    ///
    /// # Errors
    /// An [`IndexError`], also if there is no index or it has other fields.
    pub fn open(directory: &Path) -> Result<Self, IndexError> {
        let index = Index::open_in_dir(directory)?;
        let (schema, fields) = schema();
        if index.schema() != schema {
            return Err(IndexError::Damaged("its schema differs".to_owned()));
        }
        let this = Self::over(index, fields)?;
        this.check()?;
        Ok(this)
    }

    /// Verifies the checksums of the files.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] names a damaged file.
    pub fn check(&self) -> Result<(), IndexError> {
        let damaged = self.index.validate_checksum()?;
        match damaged.iter().next() {
            Some(file) => Err(IndexError::Damaged(file.display().to_string())),
            None => Ok(()),
        }
    }

    /// A read-only index of a few companies.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn of(companies: &[CompanyToFind]) -> Result<Self, IndexError> {
        let (builder, fields) = builder();
        let this = Self::over(builder.create_in_ram()?, fields)?;
        let mut writer = this.writer(1, 15 << 20)?;
        this.put(&writer, companies, i64::MAX)?;
        writer.commit()?;
        this.reload()?;
        Ok(this)
    }

    fn over(index: Index, fields: Fields) -> Result<Self, IndexError> {
        let reader = index
            .reader_builder()
            // Background merges change the files too.
            .reload_policy(ReloadPolicy::OnCommitWithDelay)
            .doc_store_cache_num_blocks(256)
            .try_into()?;
        Ok(Self {
            index,
            reader,
            fields,
            ranks: ArcSwapOption::empty(),
        })
    }

    /// The note that the writer stored with the last commit.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn note(&self) -> Result<Option<String>, IndexError> {
        Ok(self.index.load_metas()?.payload)
    }

    /// Opens the writer; there can be only one.
    ///
    /// # Errors
    /// An [`IndexError`], also if another writer exists.
    pub fn writer(&self, threads: usize, bytes: usize) -> Result<IndexWriter, IndexError> {
        Ok(self.index.writer_with_num_threads(threads, bytes)?)
    }

    /// Replaces the documents of companies as of the next commit. Companies with a revision up to `new_until` are known
    /// to be new. Their deletion is skipped, because each pending deletion takes memory.
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

    /// Makes committed changes visible to later queries.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn reload(&self) -> Result<(), IndexError> {
        Ok(self.reader.reload()?)
    }

    /// The segments as of the last commit or merge.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn segments(&self) -> Result<Vec<SegmentId>, IndexError> {
        Ok(self.index.searchable_segment_ids()?)
    }

    /// Number of indexed companies.
    #[must_use]
    pub fn companies(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// A page of registration numbers, and the number of all matches.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn numbers(
        &self,
        criteria: &SearchCriteria,
        page: Page,
    ) -> Result<Found<NumberHit>, IndexError> {
        let searcher = self.reader.searcher();
        let found = self.search(&searcher, criteria, page, true)?;
        let hit = |hit: &Matched| {
            let former_name = if hit.is_former {
                let document = searcher.doc(hit.ranked.address)?;
                self.former_name(&document, criteria)
            } else {
                None
            };
            Ok(NumberHit {
                ico: ico_of(hit.ranked.rank),
                former_name,
            })
        };
        let hits: Result<Vec<NumberHit>, IndexError> = found.hits.iter().map(hit).collect();
        Ok(Found {
            hits: hits?,
            more: found.more,
            total: found.total,
        })
    }

    /// A page of companies with name and city.
    ///
    /// # Errors
    /// An [`IndexError`].
    pub fn suggestions(
        &self,
        criteria: &SearchCriteria,
        page: Page,
    ) -> Result<Found<Hit>, IndexError> {
        let searcher = self.reader.searcher();
        let found = self.search(&searcher, criteria, page, false)?;
        let hits: Result<Vec<Hit>, IndexError> = found
            .hits
            .iter()
            .map(|hit| self.shown(&searcher, hit, criteria))
            .collect();
        Ok(Found {
            hits: hits?,
            more: found.more,
            total: found.total,
        })
    }

    /// The former name of a document that a search means.
    fn former_name(&self, document: &TantivyDocument, criteria: &SearchCriteria) -> Option<String> {
        let typed = Typed::read(criteria.name.as_deref()?);
        let names = document.get_all(self.fields.former.shown);
        let names = names.filter_map(|name| name.as_str().map(str::to_owned));
        matched_former_name(&typed, names)
    }

    fn shown(
        &self,
        searcher: &Searcher,
        hit: &Matched,
        criteria: &SearchCriteria,
    ) -> Result<Hit, IndexError> {
        let document: TantivyDocument = searcher.doc(hit.ranked.address)?;
        let text = |field| {
            let value = document.get_first(field);
            let text = value.as_ref().and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let status = CompanyStatus::try_from(text(self.fields.status));
        Ok(Hit {
            ico: ico_of(hit.ranked.rank),
            former_name: if hit.is_former {
                self.former_name(&document, criteria)
            } else {
                None
            },
            name: text(self.fields.shown_name),
            city: text(self.fields.shown_city),
            status: status.map_err(|unknown| IndexError::Damaged(unknown.to_string()))?,
        })
    }

    /// The ranks of a searcher's documents. They are opened once for each state of the index.
    fn ranks(&self, searcher: &Searcher) -> Result<Arc<Ranks>, IndexError> {
        if let Some(ranks) = &*self.ranks.load()
            && ranks.are_of(searcher)
        {
            return Ok(Arc::clone(ranks));
        }
        let ranks = Arc::new(Ranks::open(searcher)?);
        self.ranks.store(Some(Arc::clone(&ranks)));
        Ok(ranks)
    }

    fn search(
        &self,
        searcher: &Searcher,
        criteria: &SearchCriteria,
        page: Page,
        count: bool,
    ) -> Result<Found<Matched>, IndexError> {
        let plan = plan(criteria, &self.fields, searcher)?;
        let ranks = self.ranks(searcher)?;
        let of_index = (searcher, ranks.as_ref());
        Ok(walk::search(plan, page, count, of_index, &self.fields)?)
    }
}

/// A builder of indexes whose documents are sorted by rank.
fn builder() -> (IndexBuilder, Fields) {
    let (schema, fields) = schema();
    let settings = IndexSettings {
        sort_by_field: Some(IndexSortByField {
            field: RANK.to_owned(),
            order: Order::Asc,
        }),
        ..IndexSettings::default()
    };
    (Index::builder().schema(schema).settings(settings), fields)
}
