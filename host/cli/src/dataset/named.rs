//! Finds a dataset by the name that a user gives.

use std::collections::BTreeSet;

use super::super::CliError;
use lustra_sandbox::dataset_catalogue::DatasetCatalogue;
use lustra_store::{ConnectorId, Store, StoreError};

/// Connector and id of every dataset of the components, on or off, and of every dataset in the store.
pub(super) async fn known(
    store: &Store,
    offered: &DatasetCatalogue,
) -> Result<BTreeSet<(ConnectorId, String)>, StoreError> {
    let stored = store.datasets().states().await?.into_iter();
    let stored = stored.map(|state| (state.connector, state.dataset));
    let offered = offered.datasets.iter();
    let offered = offered.map(|offered| (offered.connector.clone(), offered.manifest.id.clone()));
    Ok(stored.chain(offered).collect())
}

/// The dataset with a name: `connector/dataset`, or `dataset` alone if it is unique.
pub(super) fn find<'a>(
    known: &'a BTreeSet<(ConnectorId, String)>,
    name: &str,
) -> Result<(&'a ConnectorId, &'a str), CliError> {
    let is_meant = |(connector, dataset): &&(ConnectorId, String)| match name.split_once('/') {
        Some((of, id)) => *connector == *of && dataset == id,
        None => dataset == name,
    };
    let meant: Vec<&(ConnectorId, String)> = known.iter().filter(is_meant).collect();
    let names = |datasets: &mut dyn Iterator<Item = &(ConnectorId, String)>| {
        let names = datasets.map(|(connector, dataset)| format!("{connector}/{dataset}"));
        names.collect::<Vec<_>>().join(", ")
    };
    match meant.as_slice() {
        [(connector, dataset)] => Ok((connector, dataset)),
        [] if known.is_empty() => Err(CliError(format!(
            "there is no dataset {name}; no enabled connector has a dataset"
        ))),
        [] => Err(CliError(format!(
            "there is no dataset {name}; there are {}",
            names(&mut known.iter())
        ))),
        several => Err(CliError(format!(
            "{name} may be {}; name its connector too",
            names(&mut several.iter().copied())
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_dataset_name_is_an_error() {
        let known = [("one", "list"), ("two", "list"), ("two", "other")];
        let id = |id: &str| ConnectorId::parse(id).expect("an id");
        let two = id("two");
        let known = known.map(|(connector, dataset)| (id(connector), dataset.to_owned()));
        let known = BTreeSet::from(known);
        let said = |name| find(&known, name).err().map(|error| error.to_string());
        assert_eq!(find(&known, "two/list").ok(), Some((&two, "list")));
        assert_eq!(find(&known, "other").ok(), Some((&two, "other")));
        assert_eq!(
            said("list").as_deref(),
            Some("list may be one/list, two/list; name its connector too")
        );
        assert_eq!(
            said("three/list").as_deref(),
            Some("there is no dataset three/list; there are one/list, two/list, two/other")
        );
    }
}
