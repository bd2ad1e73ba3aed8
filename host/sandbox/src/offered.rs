//! Which datasets there are, by the manifests of the components in the directory: nothing is compiled or executed.
//!
//! What only the component's code can show is not seen here: a component that does not link is listed as well.

use std::collections::BTreeSet;
use std::io;

use super::component::Refusal;
use super::configured::Configured;
use super::manifest::DatasetManifest;
use super::reload::{components, read};
use crate::settings::ConnectorsConfig;

/// A dataset of a connector that is enabled.
#[derive(Debug, Clone)]
pub struct OfferedDataset {
    /// The connector.
    pub connector: String,
    /// What its manifest says of it.
    pub manifest: DatasetManifest,
    /// Whether it is imported: the operator's word, else the manifest's.
    pub on: bool,
    /// When it is imported: the operator's word, else the manifest's.
    pub schedule: String,
}

/// What the directory of components has to import.
#[derive(Debug, Default)]
pub struct Offered {
    /// In the order of connectors; those of a connector as its manifest has them.
    pub datasets: Vec<OfferedDataset>,
    /// Components that are not let in, each by its connector's id or its file's name, and why.
    pub refused: Vec<(String, Refusal)>,
}

impl Offered {
    /// Reads the manifests of the directory of components under the settings.
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
            let Some(own) = own.filter(|own| own.enabled.unwrap_or(true)) else {
                continue;
            };
            // A second component of an id does not serve.
            if !seen.insert(manifest.id.clone()) {
                continue;
            }
            match Configured::of(&manifest, own) {
                Ok(configured) => {
                    let datasets = manifest.datasets.into_iter().map(|dataset| {
                        let settings = own.datasets.get(&dataset.id);
                        let schedule = settings.and_then(|settings| settings.schedule.clone());
                        OfferedDataset {
                            connector: manifest.id.clone(),
                            on: configured.datasets_on.contains(&dataset.id),
                            schedule: schedule.unwrap_or_else(|| dataset.schedule.clone()),
                            manifest: dataset,
                        }
                    });
                    offered.datasets.extend(datasets);
                }
                Err(refusal) => offered.refused.push((manifest.id, refusal)),
            }
        }
        offered
            .datasets
            .sort_by(|a, b| a.connector.cmp(&b.connector));
        Ok(offered)
    }
}
