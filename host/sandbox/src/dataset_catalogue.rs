//! Lists the datasets in the manifests of the components directory, without compiling or executing anything.
//!
//! Errors that need the component's code are not detected: a component that does not link is listed too.

use std::collections::BTreeSet;
use std::io;

use lustra_store::ConnectorId;

use super::configured::Configured;
use super::manifest::DatasetManifest;
use super::refusal::Refusal;
use super::reload::{components, read};
use crate::settings::ConnectorsConfig;

/// A dataset of an enabled connector.
#[derive(Debug, Clone)]
pub struct CatalogueDataset {
    pub connector: ConnectorId,
    pub manifest: DatasetManifest,
    /// Whether it is imported: the operator's setting, or else the manifest's.
    pub on: bool,
    /// When it is imported: the operator's setting, or else the manifest's.
    pub schedule: String,
}

/// All datasets in the components directory.
#[derive(Debug, Default)]
pub struct DatasetCatalogue {
    /// Sorted by connector, then in the order of the manifest.
    pub datasets: Vec<CatalogueDataset>,
    /// Refused components, each by its connector's id or its file name, with the reason.
    pub refused: Vec<(String, Refusal)>,
}

impl DatasetCatalogue {
    /// Reads the manifests of the components directory with the operator's settings.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn read(config: &ConnectorsConfig) -> io::Result<Self> {
        let mut offered = Self::default();
        let mut seen = BTreeSet::new();
        for file in components(&config.components)? {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let manifest = match read(&file) {
                Ok(candidate) => candidate.manifest,
                Err(refusal) => {
                    offered.refused.push((name.into_owned(), refusal));
                    continue;
                }
            };
            let own = config.connector.get(&manifest.id);
            let Some(own) = own.filter(|own| own.is_enabled()) else {
                continue;
            };
            // Only the first component with an id serves.
            if !seen.insert(manifest.id.clone()) {
                continue;
            }
            let id = manifest.id.clone();
            match Configured::of(manifest, own) {
                Ok(configured) => {
                    let datasets = configured.manifest.datasets.into_iter().map(|dataset| {
                        let settings = own.datasets.get(&dataset.id);
                        let schedule = settings.and_then(|settings| settings.schedule.clone());
                        CatalogueDataset {
                            connector: id.clone(),
                            on: configured.datasets_on.contains(&dataset.id),
                            schedule: schedule.unwrap_or_else(|| dataset.schedule.clone()),
                            manifest: dataset,
                        }
                    });
                    offered.datasets.extend(datasets);
                }
                Err(refusal) => offered.refused.push((id.to_string(), refusal)),
            }
        }
        offered
            .datasets
            .sort_by(|a, b| a.connector.cmp(&b.connector));
        Ok(offered)
    }
}
