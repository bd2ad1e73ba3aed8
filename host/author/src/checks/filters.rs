//! The requirement that each filter of a collection has values in a recorded list.

use lustra_sandbox::manifest::{CollectionManifest, FilterManifest, values};
use lustra_sandbox::recording::CallOutcome;
use serde_json::Value;

use super::{Found, Mistake, Suite};

impl Suite<'_> {
    /// A filter without a value in any recorded list is a mistake, unless further datasets go into the items.
    pub(super) fn filters(&self) -> Found {
        let collections = &self.on_bench.manifest().collections;
        let (mut mistakes, mut looked_at, mut without) = (Vec::new(), 0, Vec::new());
        for collection in collections {
            let items = self.items(collection);
            if items.is_empty() {
                continue;
            }
            for filter in &collection.filters {
                looked_at += 1;
                if items.iter().any(|item| has_value(filter, item)) {
                    continue;
                }
                let place = format!("{}: {}", collection.collection, filter.name);
                if has_sources(collection) {
                    without.push(place);
                } else {
                    mistakes.push(Mistake::new(place, "no recorded record has a value there"));
                }
            }
        }
        let missing = if collections.is_empty() {
            "the manifest has no collections"
        } else {
            "there is no cassette of an import of a collection's dataset"
        };
        match Found::of(mistakes, looked_at, "filters", missing) {
            Found::Passed { how } if !without.is_empty() => {
                Found::passed(format!("{how}; without a value: {}", without.join(", ")))
            }
            found @ (Found::Passed { .. } | Found::Failed { .. } | Found::Skipped { .. }) => found,
        }
    }

    /// The recorded records of a collection's dataset.
    fn items(&self, collection: &CollectionManifest) -> Vec<&Value> {
        let imports = self.imports();
        let of_dataset = imports.filter(|(_, _, dataset)| **dataset == collection.dataset);
        let records = of_dataset.filter_map(|(_, cassette, _)| match &cassette.recording.outcome {
            CallOutcome::Gave(value) => value.get("records")?.as_array(),
            CallOutcome::Failed(_) => None,
        });
        records
            .flatten()
            .filter_map(|record| record.get("content"))
            .collect()
    }
}

fn has_value(filter: &FilterManifest, item: &Value) -> bool {
    let mut members = filter.members.iter();
    members.any(|member| !values(item, member).is_empty())
}

fn has_sources(collection: &CollectionManifest) -> bool {
    let mut listings = collection.of_company.iter();
    !collection.sources.is_empty() || listings.any(|listing| !listing.sources.is_empty())
}
