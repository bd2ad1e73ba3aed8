//! What listings show of items.

use serde_json::{Map, Value};

use crate::connectors::manifest::{CollectionManifest, OfCompanyManifest, values};

/// The company whose items a listing shows.
#[derive(Debug, Clone, Copy)]
pub struct Company<'a> {
    pub listing: &'a OfCompanyManifest,
    /// Registration number (IČO), 8 digits.
    pub ico: &'a str,
}

/// A page of a listing.
#[derive(Debug)]
pub struct Listed {
    pub data: Vec<Value>,
    pub has_more: bool,
    /// The company's own item, if the listing is of a company.
    pub subject: Option<Value>,
    /// What could not be read.
    pub unread: Vec<super::Unread>,
}

/// An item's summary. A member that the item lacks is null.
pub(super) fn summary(collection: &CollectionManifest, item: &Value) -> Map<String, Value> {
    let member = |name: &String| {
        let value = item.get(name).cloned().unwrap_or_default();
        (name.clone(), value)
    };
    collection.summary.iter().map(member).collect()
}

/// An item as a listing shows it.
pub(super) fn shown(
    collection: &CollectionManifest,
    company: Option<Company<'_>>,
    item: &Value,
) -> Value {
    let mut shown = summary(collection, item);
    if let Some(Company { listing, ico }) = company {
        let elements = item.get(&listing.narrows).and_then(Value::as_array);
        let is_of_company = |element: &&Value| {
            values(element, &listing.by)
                .iter()
                .any(|value| value == ico)
        };
        let narrowed = elements.into_iter().flatten().filter(is_of_company);
        shown.insert(listing.narrows.clone(), narrowed.cloned().collect());
    }
    Value::Object(shown)
}
