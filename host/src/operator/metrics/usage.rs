//! Metrics of the cache of answers and of the ledger's decisions on this host.

use std::fmt;

use prometheus_client::encoding::DescriptorEncoder;

use crate::billing::LedgerCounts;
use crate::companies::CacheState;
use crate::operator::metric::{Labels, float, metric};

pub(super) fn encode(
    encoder: &mut DescriptorEncoder<'_>,
    cache: &CacheState,
    ledger: LedgerCounts,
) -> fmt::Result {
    for (name, help, value) in [
        (
            "lustra_cache_hits",
            "Answers about companies from the cache.",
            cache.hits,
        ),
        (
            "lustra_cache_misses",
            "Answers about companies that were assembled.",
            cache.misses,
        ),
        (
            "lustra_credits_refused",
            "Calls refused because the account has no credits or calls left.",
            ledger.refused,
        ),
        (
            "lustra_credits_refunded",
            "Charged calls that were refunded because their answer failed or was not sent.",
            ledger.refunded,
        ),
    ] {
        metric(encoder, name, help).counters(&[(Labels::new(), float(value))])?;
    }
    for (name, help, value) in [
        (
            "lustra_cache_companies",
            "Companies in the cache of answers.",
            cache.companies,
        ),
        (
            "lustra_cache_bytes",
            "Memory of the answers in the cache, approximately.",
            cache.bytes,
        ),
        (
            "lustra_cache_max_bytes",
            "Memory that the answers in the cache may take.",
            cache.max_bytes,
        ),
    ] {
        metric(encoder, name, help).gauges(&[(Labels::new(), float(value))])?;
    }
    Ok(())
}
