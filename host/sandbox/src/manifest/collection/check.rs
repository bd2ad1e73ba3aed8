//! Checks that the parts of a collection agree with each other and with the rest of the manifest.

use std::collections::BTreeSet;

use super::member::{Steps, is_described, is_list};
use super::{CollectionManifest, FilterKind, FilterManifest, OfCompanyManifest};
use crate::manifest::{DatasetKind, Manifest, Target};

/// First parts of the host's own addresses after `/v1`. A connector with such an id can have no collection.
pub const OWN_PATHS: [&str; 10] = [
    "account",
    "batch",
    "company",
    "docs",
    "health",
    "notifications",
    "openapi",
    "sandbox",
    "search",
    "status",
];

/// Parameters of every listing.
const PAGING: [&str; 2] = ["limit", "offset"];

/// Members of `meta` that every listing may have.
const OWN_META: [&str; 4] = ["limit", "offset", "has_more", "unread"];

impl Manifest {
    /// Why the collections are inconsistent.
    pub(in crate::manifest) fn check_collections(&self) -> Result<(), String> {
        if !self.collections.is_empty() && OWN_PATHS.contains(&self.id.as_str()) {
            return Err(format!(
                "/v1/{} is an address of the host: rename the connector or remove its collections",
                self.id
            ));
        }
        let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
        let steps = Steps::of_manifest();
        for collection in &self.collections {
            let name = &collection.collection;
            if !names.insert(name) {
                return Err(format!("the collection {name} is named twice"));
            }
            let path = collection
                .of_company
                .iter()
                .find(|of| !paths.insert(&of.path));
            let why = match path {
                Some(of) => Err(format!("the path {} is named twice", of.path)),
                None => collection.check(self, &steps),
            };
            why.map_err(|why| format!("the collection {name}: {why}"))?;
        }
        Ok(())
    }
}

impl CollectionManifest {
    fn check(&self, manifest: &Manifest, steps: &Steps) -> Result<(), String> {
        let dataset = manifest.dataset(&self.dataset);
        let dataset = dataset.ok_or_else(|| unknown_dataset(&self.dataset))?;
        if dataset.target != Target::Records || dataset.kind != DatasetKind::Snapshot {
            return Err(format!(
                "the dataset {} must be a snapshot with the target records",
                self.dataset
            ));
        }
        let lists = self.of_company.iter().flat_map(|of| &of.sources);
        if let Some(unknown) = lists
            .chain(&self.sources)
            .find(|source| manifest.dataset(source).is_none())
        {
            return Err(unknown_dataset(unknown));
        }
        let members = self.summary.iter().chain([&self.id]);
        for member in members {
            self.described(member, steps)?;
        }
        if !self.summary.contains(&self.id) {
            return Err(format!("add the id {} to the summary", self.id));
        }
        let mut names = BTreeSet::new();
        for filter in &self.filters {
            let name = filter.name.as_str();
            let why = if PAGING.contains(&name) || !names.insert(name) {
                Err("the name is taken".to_owned())
            } else {
                self.check_filter(filter, steps)
            };
            why.map_err(|why| format!("the filter {name}: {why}"))?;
        }
        for of in &self.of_company {
            self.check_of_company(of, steps)
                .map_err(|why| format!("the path {}: {why}", of.path))?;
        }
        Ok(())
    }

    fn described(&self, member: &str, steps: &Steps) -> Result<(), String> {
        if is_described(&self.schema, member, steps) {
            return Ok(());
        }
        steps.check()?;
        Err(format!("its schema describes no member {member}"))
    }

    fn check_filter(&self, filter: &FilterManifest, steps: &Steps) -> Result<(), String> {
        for member in &filter.members {
            self.described(member.as_str(), steps)?;
        }
        let choices = &filter.choices;
        match filter.kind {
            FilterKind::Choice if choices.is_empty() => {
                return Err("it has no choices".to_owned());
            }
            FilterKind::Choice => {}
            FilterKind::Code => {
                if let Some(code) = choices.keys().find(|name| name.len() == 2) {
                    return Err(format!("the choice {code} is a code itself"));
                }
            }
            FilterKind::Words
            | FilterKind::Label
            | FilterKind::Ico
            | FilterKind::Id
            | FilterKind::Boolean => {
                if !choices.is_empty() {
                    return Err("only codes and choices have choices".to_owned());
                }
            }
        }
        let both = choices
            .iter()
            .find(|(_, condition)| condition.is.is_some() && condition.not.is_some());
        if let Some((choice, _)) = both {
            return Err(format!("the choice {choice} has both is and not"));
        }
        match &filter.default {
            Some(default) if !choices.contains_key(default) => {
                Err(format!("its default {default} is not one of the choices"))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn check_of_company(&self, of: &OfCompanyManifest, steps: &Steps) -> Result<(), String> {
        let filter = self.filter(&of.filter);
        if filter.is_none_or(|filter| filter.kind != FilterKind::Ico) {
            return Err(format!("{} is not a filter of the kind ico", of.filter));
        }
        let known = |name: &&String| self.filter(name).is_some() && **name != of.filter;
        if let Some(unknown) = of.parameters.iter().find(|name| !known(name)) {
            return Err(format!("the parameter {unknown} is not another filter"));
        }
        if !is_list(&self.schema, &of.narrows) {
            return Err(format!("its schema describes no list {}", of.narrows));
        }
        self.described(&format!("{}.{}", of.narrows, of.by.as_str()), steps)?;
        if OWN_META.contains(&of.subject.as_str()) {
            return Err(format!(
                "the subject {} is a member of every meta",
                of.subject
            ));
        }
        Ok(())
    }
}

fn unknown_dataset(dataset: &str) -> String {
    format!("the manifest has no dataset {dataset}")
}
