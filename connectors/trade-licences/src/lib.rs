//! Trade licences (Živnostenský register): which trades a company has, which of them are suspended and which ended.
//!
//! The trade register itself has nothing but a form for people, so RPO is asked, which is fed by it ([`section`]).
//! Which of several records speaks of trades, [`source`] says; what it says of them, [`activities`] reads.
//! Invariant: no trades are told only where a record was read that has none, or that is of another register.

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
