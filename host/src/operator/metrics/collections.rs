//! Metrics of the indexes of collections.

use std::fmt;

use prometheus_client::encoding::DescriptorEncoder;

use crate::collections::CollectionState;
use crate::operator::metric::{Labels, float, metric};

/// Writes the size and age of each index.
pub(super) fn encode(
    encoder: &mut DescriptorEncoder<'_>,
    states: &[CollectionState],
) -> fmt::Result {
    let of_each = |value: fn(&CollectionState) -> f64| -> Vec<(Labels<'_>, f64)> {
        let labelled = states.iter().map(|state| {
            let labels = vec![
                ("connector", state.connector.as_str()),
                ("collection", state.collection.as_str()),
            ];
            (labels, value(state))
        });
        labelled.collect()
    };
    metric(
        encoder,
        "lustra_collection_items",
        "Items in the index of a collection on this host.",
    )
    .gauges(&of_each(|state| float(state.items)))?;
    metric(
        encoder,
        "lustra_collection_bytes",
        "Estimated memory of the index of a collection.",
    )
    .gauges(&of_each(|state| float(state.bytes)))?;
    metric(
        encoder,
        "lustra_collection_age_seconds",
        "Time since the index of a collection was built.",
    )
    .gauges(&of_each(|state| state.age.as_seconds_f64()))
}
