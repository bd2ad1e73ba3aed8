//! Lists that operators supply as files: where each file is, and what the settings lack.
//!
//! A sent file is stored beside the current one and read by its connector in a trial import. An operator may then let it
//! replace the current file, which is kept so that the change can be undone. All of this concerns one host: each host
//! reads the files that its own settings grant.

mod files;
mod uploads;

use std::path::{Path, PathBuf};

use crate::connectors::Loaded;
use crate::connectors::catalogue::CatalogueEntry;
use crate::connectors::egress::Address;
use crate::connectors::manifest::{DatasetManifest, Manifest};
pub(super) use files::{Received, StoredFile, TakeError, receive};
pub(super) use files::{discard, previous_of, stored, take, take_back};
pub(super) use uploads::{Reservation, Upload, UploadState, Uploads};

/// Name of a file in the settings that a page proposes.
const FOLDER: &str = "lists";

/// A list that the operator supplies.
#[derive(Debug)]
pub(super) struct OwnList {
    pub(super) dataset: String,
    pub(super) title: String,
    /// What the file has to be, in English.
    pub(super) about: String,
    pub(super) source: ListSource,
}

/// Where the list is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListSource {
    /// The granted file.
    File(PathBuf),
    /// An address that serves the list; there is nothing to send.
    Address(String),
    /// What the settings lack.
    Missing(Missing),
}

/// Lines that the settings lack. A table must not stand twice in a file, so the line of the grants is apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    /// The line of grants in the table `connector`; empty if the file is granted.
    pub(super) grants: String,
    /// Tables for the end of the file.
    pub(super) tables: String,
}

/// The lists of a connector that the operator supplies.
pub(super) fn of(entry: &CatalogueEntry, grants: &[String], data: &Path) -> Vec<OwnList> {
    let Some(manifest) = entry.manifest.as_ref() else {
        return Vec::new();
    };
    let loaded = entry.serving().map(AsRef::as_ref);
    let lists = manifest.datasets.iter().filter_map(|dataset| {
        let upstream = dataset.operator_file.as_deref()?;
        let about = manifest.upstreams.get(upstream);
        Some(OwnList {
            dataset: dataset.id.clone(),
            title: dataset.title.clone(),
            about: about.map_or_else(String::new, |upstream| upstream.about.clone()),
            source: source(manifest, loaded, dataset, upstream, grants, data),
        })
    });
    lists.collect()
}

/// The granted file of a list. `None`: there is none, or imports of the list are off.
pub(super) fn file_of(loaded: &Loaded, dataset: &str) -> Option<PathBuf> {
    let upstream = loaded.manifest.dataset(dataset)?.operator_file.as_ref()?;
    match &loaded.upstreams.get(upstream)?.address {
        Address::File(path) if loaded.datasets_on.contains(dataset) => Some(path.clone()),
        Address::File(_) | Address::Http(_) | Address::Unset => None,
    }
}

fn source(
    manifest: &Manifest,
    loaded: Option<&Loaded>,
    dataset: &DatasetManifest,
    upstream: &str,
    grants: &[String],
    data: &Path,
) -> ListSource {
    let address = loaded.and_then(|loaded| loaded.upstreams.get(upstream));
    let address = address.map(|upstream| &upstream.address);
    let is_on = loaded.is_some_and(|loaded| loaded.datasets_on.contains(&dataset.id));
    match address {
        Some(Address::File(path)) if is_on => ListSource::File(path.clone()),
        Some(Address::Http(url)) if is_on => ListSource::Address(url.to_string()),
        Some(Address::File(_) | Address::Http(_)) => ListSource::Missing(Missing {
            grants: String::new(),
            tables: switched_on(manifest.id.as_str(), &dataset.id),
        }),
        Some(Address::Unset) | None => {
            let file = format!("{}-{}", manifest.id, dataset.id);
            let file = data.join(FOLDER).join(file);
            let file = std::path::absolute(&file).unwrap_or(file);
            ListSource::Missing(lines(
                manifest.id.as_str(),
                &dataset.id,
                upstream,
                grants,
                &file,
            ))
        }
    }
}

fn switched_on(connector: &str, dataset: &str) -> String {
    format!("[connector.{connector}.datasets.{dataset}]\non = true\n")
}

/// The lines that grant a file and switch the imports on.
fn lines(
    connector: &str,
    dataset: &str,
    upstream: &str,
    grants: &[String],
    file: &Path,
) -> Missing {
    let address = toml::Value::String(format!("file:{}", file.display()));
    let grants = grants.iter().cloned();
    let mut all: Vec<toml::Value> = grants.map(toml::Value::String).collect();
    if !all.contains(&address) {
        all.push(address.clone());
    }
    let grants = toml::Value::Array(all);
    let on = switched_on(connector, dataset);
    Missing {
        grants: format!("{connector}.grants = {grants}"),
        tables: format!(
            "[connector.{connector}.upstreams.{upstream}]\naddress = {address}\n\n{on}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn proposed_lines_are_settings_that_keep_the_grants() {
        let before = ["https://www.vszp.sk".to_owned()];
        let file = Path::new("/srv/a \"b\"/debtors-dovera");
        let Missing { grants, tables } = lines("debtors", "dovera", "dovera-list", &before, file);
        let text = format!("[connector]\n{grants}\n{tables}");
        let config = Config::read(&text, |_| None).expect("they are settings");
        let own = &config.connector["debtors"];
        let address = "file:/srv/a \"b\"/debtors-dovera";
        assert_eq!(own.grants, ["https://www.vszp.sk", address]);
        let upstream = own.upstreams["dovera-list"].address.as_deref();
        assert_eq!(upstream, Some(address));
        assert_eq!(own.datasets["dovera"].on, Some(true));
    }
}
