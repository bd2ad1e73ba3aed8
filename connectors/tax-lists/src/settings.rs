//! The operator's settings beside those of [`lustra_sdk::tax_lists`].

use std::collections::BTreeMap;

#[cfg(not(target_family = "wasm"))]
use lustra_sdk::serde_json::json;
#[cfg(not(target_family = "wasm"))]
use lustra_sdk::settings::{Declared, Member, SettingType, Shape};
use lustra_sdk::tax_lists::ListKind;
use lustra_sdk::{Failure, runtime};

use crate::dataset::Dataset;

/// By which names the lists without a known slug are found, as delivered.
#[must_use]
pub fn default_names() -> BTreeMap<String, Vec<String>> {
    Dataset::ALL
        .into_iter()
        .filter(|dataset| dataset.is_found_by_name())
        .map(|dataset| (dataset.id().to_owned(), names_of(dataset)))
        .collect()
}

fn names_of(dataset: Dataset) -> Vec<String> {
    dataset
        .names()
        .iter()
        .map(|name| (*name).to_owned())
        .collect()
}

/// By which names a list is found, as the operator set it.
///
/// # Errors
/// [`Failure::Misconfigured`] for a setting of another shape.
pub fn names(dataset: Dataset) -> Result<Vec<String>, Failure> {
    let mut given = runtime::setting::<BTreeMap<String, Vec<String>>>("names")?.unwrap_or_default();
    Ok(given
        .remove(dataset.id())
        .unwrap_or_else(|| names_of(dataset)))
}

/// The setting `names`, for the comparison with the manifest. Its descriptions are written there alone.
#[cfg(not(target_family = "wasm"))]
#[must_use]
pub fn declared() -> Declared {
    let member = |name, shape, default| Member {
        name,
        description: None,
        shape,
        range: None,
        default,
    };
    let found_by_name = Dataset::ALL
        .into_iter()
        .filter(|one| one.is_found_by_name());
    let lists =
        found_by_name.map(|one| member(one.id(), Vec::<String>::shape(), json!(one.names())));
    let shape = Shape::Group(lists.collect());
    Declared(vec![member("names", shape, json!(default_names()))])
}
