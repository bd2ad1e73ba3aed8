//! Pages of projects that could not be read. They are stored, so that sections name them and later runs read them
//! again.
//!
//! Their paths are part of the record that says how far the register was read. If a page names a readable company, the
//! company has a placeholder too; otherwise the project may be any company's.

use std::collections::BTreeMap;

use lustra_sdk::{Failure, Item, calendar, records};
use serde::{Deserialize, Serialize};

use crate::cursor;

/// The prefix of the keys of placeholders.
const PLACEHOLDER: &str = "unreadable/";
/// Any earlier day: runs count the days since then to take turns.
const FIRST_DAY: &str = "2011-01-01";

/// A page that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OddPage {
    pub path: String,
    /// Whether a company has a placeholder of it.
    pub names_company: bool,
}

/// The pages that could not be read so far, by the marks of their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OddPages(BTreeMap<String, OddPage>);

impl OddPages {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many pages name no readable company.
    #[must_use]
    pub fn without_company(&self) -> usize {
        let pages = self.0.values();
        pages.filter(|page| !page.names_company).count()
    }

    /// Adds a page, with the IČO of its company if that is readable. Returns the placeholder to store.
    ///
    /// # Errors
    /// Never: the content is always valid JSON.
    pub fn add(&mut self, path: &str, ico: Option<&str>) -> Result<Option<Item>, Failure> {
        let mark = cursor::mark(path);
        let placeholder = ico
            .map(|ico| records::unreadable_row(format!("{PLACEHOLDER}{mark}"), ico))
            .transpose()?;
        let known = self.0.get(&mark);
        let page = OddPage {
            path: path.to_owned(),
            names_company: ico.is_some() || known.is_some_and(|known| known.names_company),
        };
        self.0.insert(mark, page);
        Ok(placeholder)
    }

    /// Forgets a page that was read, or that is gone. Returns the removal of its placeholder.
    ///
    /// # Errors
    /// Never: the content is always valid JSON.
    pub fn remove(&mut self, path: &str) -> Result<Option<Item>, Failure> {
        let mark = cursor::mark(path);
        let page = self.0.remove(&mark).filter(|page| page.names_company);
        page.map(|_| {
            Ok(Item {
                removed: true,
                ..records::item(format!("{PLACEHOLDER}{mark}"), None, &())?
            })
        })
        .transpose()
    }

    /// The paths of all pages, beginning with those whose turn it is today if a run reads `most` of them.
    #[must_use]
    pub fn in_turn(&self, today: &str, most: usize) -> Vec<String> {
        let mut paths: Vec<String> = self.0.values().map(|page| page.path.clone()).collect();
        let days = calendar::days_between(FIRST_DAY, today).unwrap_or_default();
        let days = usize::try_from(days).unwrap_or_default();
        let turn = days.wrapping_mul(most).checked_rem(paths.len());
        paths.rotate_left(turn.unwrap_or_default());
        paths
    }
}
