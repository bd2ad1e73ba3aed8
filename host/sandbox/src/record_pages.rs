//! Pages of records. The next page is read while the guest works on the one before, and the first page of the company
//! that a section is about is read with the state of its dataset.

use std::sync::Arc;

use lustra_store::{Store, StoreError, StoredRecord};
use tokio::task::JoinSet;

use crate::background_runtime::BackgroundRuntime;
use crate::configured::Configured;

/// Most records of a page.
pub(crate) const MAX_RECORDS: u32 = 1_000;

/// Sorts before every key.
const BEFORE_ALL_KEYS: &str = "";

type Page = Result<Vec<StoredRecord>, StoreError>;

/// Which records of a dataset are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those of the company with this IČO.
    OfCompany(String),
    /// Those whose key begins with this text.
    WithKey(String),
}

/// A query of at most `limit` records in key order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageQuery {
    pub(crate) dataset: String,
    pub(crate) which: Which,
    after: String,
    limit: u32,
}

impl PageQuery {
    /// The first page.
    pub(crate) fn first(dataset: String, which: Which, limit: u32) -> Self {
        Self::after(dataset, which, BEFORE_ALL_KEYS.to_owned(), limit)
    }

    /// The page after a key.
    pub(crate) fn after(dataset: String, which: Which, after: String, limit: u32) -> Self {
        let limit = limit.min(MAX_RECORDS);
        Self {
            dataset,
            which,
            after,
            limit,
        }
    }

    /// Reads the page: at most one record beyond `piece` bytes of content.
    pub(crate) async fn read(&self, store: &Store, connector: &Configured, piece: u64) -> Page {
        let (id, dataset, after) = (&connector.manifest.id, &*self.dataset, &*self.after);
        let records = store.records().within(piece);
        match &self.which {
            Which::OfCompany(ico) => {
                records
                    .by_company(id, dataset, ico, after, self.limit)
                    .await
            }
            Which::WithKey(key) => {
                records
                    .by_key_prefix(id, dataset, key, after, self.limit)
                    .await
            }
        }
    }

    /// The query of the page after this one. `None` if there is none, and after a page smaller than the largest, which
    /// a guest requests to find single records.
    fn next(&self, page: &Page) -> Option<Self> {
        let records = page.as_ref().ok()?;
        let is_full = self.limit == MAX_RECORDS && records.len() == MAX_RECORDS as usize;
        let last = records.last().filter(|_| is_full)?;
        let (dataset, which) = (self.dataset.clone(), self.which.clone());
        Some(Self::after(dataset, which, last.key.clone(), self.limit))
    }
}

/// Pages that a guest is about to request. Dropping them ends the reading.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// The page that is being read, at most one for each call.
    reading: Option<(PageQuery, JoinSet<Page>)>,
    /// First pages that were read with the state of their datasets.
    first: Vec<(PageQuery, Vec<StoredRecord>)>,
}

impl ReadAhead {
    /// The page of a query, if it was read or is being read. A page of another query that is being read is forgotten.
    pub(crate) async fn take(&mut self, query: &PageQuery) -> Option<Page> {
        if let Some(place) = self.first.iter().position(|(first, _)| first == query) {
            return Some(Ok(self.first.swap_remove(place).1));
        }
        let (ahead, mut reading) = self.reading.take()?;
        if ahead != *query {
            return None;
        }
        reading.join_next().await?.ok()
    }

    /// Keeps the first page of a query, if all kept ones have at most `piece` bytes of content in total.
    pub(crate) fn keep(&mut self, query: PageQuery, records: Vec<StoredRecord>, piece: u64) {
        self.first.retain(|(first, _)| *first != query);
        let kept = self.first.iter().flat_map(|(_, records)| records);
        let bytes = |record: &StoredRecord| record.content.len() as u64;
        if kept.chain(&records).map(bytes).sum::<u64>() <= piece {
            self.first.push((query, records));
        }
    }

    /// Begins to read the page after this one, if there may be one.
    pub(crate) fn start(
        &mut self,
        (query, page): (&PageQuery, &Page),
        (store, connector): (&Store, &Arc<Configured>),
        background: &BackgroundRuntime,
        piece: u64,
    ) {
        let Some(next) = query.next(page) else { return };
        let (store, connector, ahead) = (store.clone(), Arc::clone(connector), next.clone());
        let mut reading = JoinSet::new();
        let read = async move { next.read(&store, &connector, piece).await };
        reading.spawn_on(read, background.handle());
        self.reading = Some((ahead, reading));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(count: u32) -> Page {
        let record = |number| StoredRecord {
            key: format!("{number:04}"),
            ico: None,
            name: None,
            name_key: None,
            city: None,
            postal_code: None,
            content: "{}".to_owned(),
        };
        Ok((0..count).map(record).collect())
    }

    #[test]
    fn only_a_full_largest_page_has_a_next_one() {
        let of_company = || Which::OfCompany("10000001".to_owned());
        let first = |limit| PageQuery::first("list".to_owned(), of_company(), limit);
        let next = first(5_000).next(&page(1_000));
        let after = PageQuery::after("list".to_owned(), of_company(), "0999".to_owned(), 1_000);
        assert_eq!(next, Some(after));
        assert_eq!(first(1_000).next(&page(999)), None);
        assert_eq!(first(1).next(&page(1)), None);
        assert_eq!(
            first(1_000).next(&Err(StoreError::InvalidUrl(String::new()))),
            None
        );
    }

    #[tokio::test]
    async fn only_the_query_that_was_read_ahead_gets_the_page() {
        let query = |dataset: &str| {
            PageQuery::first(dataset.to_owned(), Which::WithKey(String::new()), 1_000)
        };
        let ahead = || {
            let mut reading = JoinSet::new();
            reading.spawn(async { page(2) });
            ReadAhead {
                reading: Some((query("list"), reading)),
                first: Vec::new(),
            }
        };
        let (mut right, mut wrong) = (ahead(), ahead());
        assert!(
            matches!(right.take(&query("list")).await, Some(Ok(records)) if records.len() == 2)
        );
        assert!(right.take(&query("list")).await.is_none());
        assert!(wrong.take(&query("other")).await.is_none());
        assert!(wrong.take(&query("list")).await.is_none());
    }

    #[tokio::test]
    async fn first_pages_are_kept_up_to_a_size() {
        let query = |dataset: &str| {
            let which = Which::OfCompany("10000001".to_owned());
            PageQuery::first(dataset.to_owned(), which, MAX_RECORDS)
        };
        let records = |count| page(count).expect("the pages of this test are not errors");
        let mut ahead = ReadAhead::default();
        // Each content has 2 bytes.
        for (dataset, count) in [("one", 9), ("one", 2), ("two", 3), ("three", 1)] {
            ahead.keep(query(dataset), records(count), 10);
        }
        assert!(matches!(ahead.take(&query("two")).await, Some(Ok(records)) if records.len() == 3));
        assert!(matches!(ahead.take(&query("one")).await, Some(Ok(records)) if records.len() == 2));
        assert!(ahead.take(&query("one")).await.is_none());
        assert!(ahead.take(&query("three")).await.is_none());
    }
}
