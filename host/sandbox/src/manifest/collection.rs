//! Collections: datasets that the host offers for listing and look-up over HTTP, as their connector declares them.

mod check;
mod member;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

pub use check::OWN_PATHS;
pub use member::{Member, text as text_of, values};

/// A dataset that is offered for listing and look-up. Each record is one item: its key is the item's id, its content
/// the item.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionManifest {
    /// Name in the path `/v1/{connector}/{collection}`.
    pub collection: String,
    pub title: String,
    /// Description of the items.
    #[serde(default)]
    pub about: String,
    /// The dataset whose records are the items.
    pub dataset: String,
    /// Feature that a plan must include.
    pub feature: String,
    /// Member of an item that equals the record's key.
    pub id: String,
    /// Members of an item that listings contain.
    pub summary: Vec<String>,
    /// JSON Schema of one whole item.
    pub schema: Value,
    /// Parameters by which listings are filtered.
    #[serde(default)]
    pub filters: Vec<FilterManifest>,
    /// Further datasets that the items are made from. Those that were not read are named in each listing.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Listings of the items that belong to one company.
    #[serde(default)]
    pub of_company: Vec<OfCompanyManifest>,
}

/// A parameter that selects items.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterManifest {
    /// Name of the parameter.
    pub name: String,
    /// How its value is compared.
    pub kind: FilterKind,
    /// Paths of the members that it is compared with. An item matches if one of them does.
    pub members: Vec<Member>,
    #[serde(default)]
    pub about: String,
    /// Named conditions, for codes and choices.
    #[serde(default)]
    pub choices: BTreeMap<String, Condition>,
    /// The choice of a request without the parameter.
    #[serde(default)]
    pub default: Option<String>,
}

/// How a parameter is compared with members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilterKind {
    /// Each word of the parameter begins a word of the member, without diacritics and case.
    Words,
    /// Equal without diacritics, case and punctuation.
    Label,
    /// A registration number (IČO), 8 digits.
    Ico,
    /// The value equals the member exactly.
    Id,
    /// A code of two letters in any case, or a choice.
    Code,
    /// `true`, `false`, `1` or `0`.
    Boolean,
    /// One of the choices.
    Choice,
}

/// What a choice requires of a member.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The member has this value.
    #[serde(default)]
    pub is: Option<Value>,
    /// The member has another value than this one. An item without a value does not match.
    #[serde(default)]
    pub not: Option<Value>,
}

/// A listing of the items that belong to one company, at `/v1/company/ico/{ico}/{path}`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfCompanyManifest {
    /// Last part of the address.
    pub path: String,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub about: String,
    /// The filter of kind `ico` that the company's number is the value of.
    pub filter: String,
    /// Filters that are parameters of this listing too.
    #[serde(default)]
    pub parameters: Vec<String>,
    /// A list member that is added to each summary, with the elements that belong to the company.
    pub narrows: String,
    /// Path within an element to the company's number.
    pub by: Member,
    /// Member of `meta` with the summary of the company's own item.
    pub subject: String,
    /// Further datasets that this listing is made from. Those that were not read are named.
    #[serde(default)]
    pub sources: Vec<String>,
}

/// Whether a record's content is the placeholder of a row that could not be read: `{"unreadable_row": true}`.
#[must_use]
pub fn is_unreadable_row(content: &Value) -> bool {
    content.as_object().is_some_and(|object| {
        object.len() == 1 && object.get("unreadable_row") == Some(&Value::Bool(true))
    })
}

impl CollectionManifest {
    /// The filter with this name.
    #[must_use]
    pub fn filter(&self, name: &str) -> Option<&FilterManifest> {
        self.filters.iter().find(|filter| filter.name == name)
    }

    /// The list of objects that all members of a filter are in. Filters of one list must be met by one element.
    #[must_use]
    pub fn list_of<'a>(&self, filter: &'a FilterManifest) -> Option<&'a str> {
        let mut lists = filter.members.iter().map(|member| {
            let (list, _) = member.split()?;
            member::is_list(&self.schema, list).then_some(list)
        });
        let first = lists.next()??;
        lists.all(|other| other == Some(first)).then_some(first)
    }

    /// Why a record's content is not an item with its key; `None` if it is.
    #[must_use]
    pub fn mismatch(&self, key: &str, item: &Value) -> Option<String> {
        let id = item.get(&self.id).and_then(Value::as_str);
        (id != Some(key)).then(|| format!("its {} is not its key", self.id))
    }

    /// The texts for people.
    pub(super) fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let filters = self.filters.iter_mut().map(|filter| &mut filter.about);
        let listings = self.of_company.iter_mut();
        let listings = listings.flat_map(|listing| [&mut listing.title, &mut listing.about]);
        [&mut self.title, &mut self.about]
            .into_iter()
            .chain(filters)
            .chain(listings)
    }
}
