//! The index of a collection: which items match a question, and in which order.
//!
//! Items are ordered by the folded value of the first member of the first filter for words, then by id. Filters are in
//! groups: one for the items themselves, and one for each list whose elements must meet its filters together. A group's
//! rows are the items, or the elements of the list.

use std::collections::HashMap;

use serde_json::Value;

use super::column::{Column, ColumnBuilder, Required};
use super::error::CollectionError;
use super::question::{Question, Sought, normal};
use crate::connectors::manifest::{CollectionManifest, FilterKind, Member, values};
use crate::names;

/// Estimated bytes of an item besides its texts.
const ITEM_BYTES: usize = 96;

/// The index of one generation. Positions of items are their places in the order.
#[derive(Debug)]
pub struct Index {
    keys: Vec<Box<str>>,
    by_ico: HashMap<Box<str>, Vec<u32>>,
    groups: Vec<Group>,
    /// Group and column of each filter of the manifest.
    places: Vec<(usize, usize)>,
    /// Records that are no items.
    unreadable: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Group {
    /// Where each item's rows begin; one more than items.
    starts: Vec<u32>,
    columns: Vec<Column>,
}

/// The keys of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundKeys {
    pub(super) keys: Vec<String>,
    pub(super) has_more: bool,
}

impl Index {
    #[must_use]
    pub fn items(&self) -> usize {
        self.keys.len()
    }

    /// Estimated memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Number of records that are no items, because a row of the list could not be read.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// The keys of the items that match, in order.
    pub(super) fn find(&self, question: &Question) -> FoundKeys {
        let limit = usize::try_from(question.limit).unwrap_or(usize::MAX);
        let offset = usize::try_from(question.offset).unwrap_or(usize::MAX);
        let mut found = self.matching(&question.filters).skip(offset);
        let keys: Vec<String> = found
            .by_ref()
            .take(limit)
            .map(|item| self.keys[item].to_string())
            .collect();
        FoundKeys {
            has_more: keys.len() == limit && found.next().is_some(),
            keys,
        }
    }

    /// The key of the item that belongs to a company. Of several, the first that matches the filters, or the first.
    pub(super) fn of_company(&self, ico: &str, filters: &[(usize, Sought)]) -> Option<&str> {
        let items = self.by_ico.get(ico)?;
        let conditions = self.conditions(filters);
        let preferred = items
            .iter()
            .find(|item| self.meets(**item as usize, &conditions));
        let item = preferred.or_else(|| items.first())?;
        Some(&self.keys[*item as usize])
    }

    fn matching(&self, filters: &[(usize, Sought)]) -> impl Iterator<Item = usize> {
        let conditions = self.conditions(filters);
        (0..self.keys.len()).filter(move |item| self.meets(*item, &conditions))
    }

    /// What each group's rows must have, by column.
    fn conditions(&self, filters: &[(usize, Sought)]) -> Vec<Vec<(usize, Required)>> {
        let mut conditions: Vec<Vec<(usize, Required)>> = vec![Vec::new(); self.groups.len()];
        for (filter, sought) in filters {
            let (group, column) = self.places[*filter];
            let required = self.groups[group].columns[column].required(sought);
            if !required.is_empty() {
                conditions[group].push((column, required));
            }
        }
        conditions
    }

    fn meets(&self, item: usize, conditions: &[Vec<(usize, Required)>]) -> bool {
        self.groups
            .iter()
            .zip(conditions)
            .all(|(group, conditions)| {
                let mut rows = group.starts[item] as usize..group.starts[item + 1] as usize;
                conditions.is_empty()
                    || rows.any(|row| {
                        let has = |(column, required): &(usize, Required)| {
                            group.columns[*column].has(row, required)
                        };
                        conditions.iter().all(has)
                    })
            })
    }
}

/// A filter of a group: how it is compared, and its members relative to a row.
#[derive(Debug)]
struct Compared {
    kind: FilterKind,
    members: Vec<Member>,
    column: ColumnBuilder,
}

#[derive(Debug)]
struct GroupBuilder {
    /// The list whose elements are the rows; `None`: the items.
    list: Option<String>,
    starts: Vec<u32>,
    rows: u32,
    filters: Vec<Compared>,
}

impl GroupBuilder {
    fn new(list: Option<String>) -> Self {
        Self {
            list,
            starts: vec![0],
            rows: 0,
            filters: Vec::new(),
        }
    }

    fn add(&mut self, item: &Value) -> usize {
        let rows: Vec<&Value> = match &self.list {
            None => vec![item],
            Some(list) => {
                let elements = item.get(list).and_then(Value::as_array);
                elements.into_iter().flatten().collect()
            }
        };
        let mut bytes = size_of::<u32>();
        for row in rows {
            for filter in &mut self.filters {
                let found = filter.members.iter().flat_map(|member| values(row, member));
                let normal = found.flat_map(|value| normal(filter.kind, &value));
                bytes += filter.column.add(normal.filter(|value| !value.is_empty()));
            }
            self.rows += 1;
        }
        self.starts.push(self.rows);
        bytes
    }

    fn finish(self, order: &[usize]) -> Group {
        let mut starts = vec![0];
        let mut rows = Vec::with_capacity(self.rows as usize);
        for item in order {
            rows.extend(self.starts[*item]..self.starts[*item + 1]);
            starts.push(u32::try_from(rows.len()).unwrap_or(u32::MAX));
        }
        let columns = self
            .filters
            .into_iter()
            .map(|filter| filter.column.finish(&rows));
        Group {
            columns: columns.collect(),
            starts,
        }
    }
}

/// Texts of an item that the order and look-ups need.
#[derive(Debug)]
struct Item {
    sorted_by: Box<str>,
    key: Box<str>,
    ico: Option<Box<str>>,
}

/// Builds an [`Index`] item by item.
#[derive(Debug)]
pub struct IndexBuilder {
    items: Vec<Item>,
    groups: Vec<GroupBuilder>,
    places: Vec<(usize, usize)>,
    sorted_by: Option<Member>,
    unreadable: u64,
    bytes: usize,
    most_bytes: usize,
}

impl IndexBuilder {
    /// An empty index of a collection that may use so many bytes.
    #[must_use]
    pub fn new(collection: &CollectionManifest, most_bytes: usize) -> Self {
        let mut groups = vec![GroupBuilder::new(None)];
        let mut places = Vec::new();
        for filter in &collection.filters {
            let list = collection.list_of(filter).map(str::to_owned);
            let known = groups.iter().position(|group| group.list == list);
            let group = known.unwrap_or_else(|| {
                groups.push(GroupBuilder::new(list.clone()));
                groups.len() - 1
            });
            let members = filter.members.iter().map(|member| match &list {
                Some(_) => member
                    .split()
                    .map_or_else(|| member.clone(), |(_, rest)| rest),
                None => member.clone(),
            });
            places.push((group, groups[group].filters.len()));
            groups[group].filters.push(Compared {
                kind: filter.kind,
                members: members.collect(),
                column: ColumnBuilder::default(),
            });
        }
        let mut filters = collection.filters.iter();
        let names = filters.find(|filter| filter.kind == FilterKind::Words);
        Self {
            items: Vec::new(),
            groups,
            places,
            sorted_by: names.and_then(|filter| filter.members.first()).cloned(),
            unreadable: 0,
            bytes: 0,
            most_bytes,
        }
    }

    /// Adds an item.
    ///
    /// # Errors
    /// [`CollectionError::TooLarge`].
    pub fn add(
        &mut self,
        key: &str,
        ico: Option<&str>,
        item: &Value,
    ) -> Result<(), CollectionError> {
        let sorted_by = self
            .sorted_by
            .as_ref()
            .map(|member| values(item, member).join(" "));
        let item_texts = Item {
            sorted_by: names::fold(&sorted_by.unwrap_or_default()).into_boxed_str(),
            key: key.into(),
            ico: ico.map(Into::into),
        };
        self.bytes += ITEM_BYTES + item_texts.sorted_by.len() + 2 * key.len();
        self.items.push(item_texts);
        for group in &mut self.groups {
            self.bytes += group.add(item);
        }
        if self.bytes > self.most_bytes {
            return Err(CollectionError::TooLarge);
        }
        Ok(())
    }

    /// Counts a record that is no item.
    pub fn add_unreadable(&mut self) {
        self.unreadable += 1;
    }

    #[must_use]
    pub fn finish(self) -> Index {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_unstable_by(|one, other| {
            let (one, other) = (&self.items[*one], &self.items[*other]);
            (&one.sorted_by, &one.key).cmp(&(&other.sorted_by, &other.key))
        });
        let mut by_ico: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        for (place, item) in (0_u32..).zip(&order) {
            if let Some(ico) = &self.items[*item].ico {
                by_ico.entry(ico.clone()).or_default().push(place);
            }
        }
        let groups = self.groups.into_iter().map(|group| group.finish(&order));
        let groups = groups.collect();
        let mut items: Vec<Option<Item>> = self.items.into_iter().map(Some).collect();
        let keys = order
            .iter()
            .filter_map(|item| Some(items[*item].take()?.key));
        Index {
            keys: keys.collect(),
            by_ico,
            groups,
            places: self.places,
            unreadable: self.unreadable,
            bytes: self.bytes,
        }
    }
}
