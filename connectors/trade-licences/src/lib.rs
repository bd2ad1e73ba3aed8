//! Trade licences (Živnostenský register): a company's trades, including suspended and ended ones.
//!
//! The trade register itself offers only a form for people. So the connector asks RPO, which takes its data from that
//! register ([`section`]). [`source`] decides which of several records describes trades; [`activities`] reads the
//! trades.
//! Invariant: a company counts as without trades only if a record was read that has none, or that is of another
//! register.

pub mod activities;
pub mod section;
pub mod source;

use lustra_sdk::{Enrichment, Failure, Section, Subject, failure};

pub struct TradeLicences;

lustra_sdk::export!(TradeLicences: Enrichment);

impl Enrichment for TradeLicences {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "trade_license_activities" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}
