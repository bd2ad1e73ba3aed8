//! The register of financial statements (Register účtovných závierok): a company's filed statements and key figures.
//!
//! A look-up goes from the company's accounting unit over its statements to their reports. The cells of a report need
//! the report's template. Requests ([`ask`], [`reading`]) and parsing ([`answers`], [`forms`], [`figures`]) are
//! separate.
//! Invariants: figures are never guessed (a line that a form does not have, or that is blank, is null), and everything
//! beyond the allowance of one call is named as unread.

pub mod answers;
mod as_number;
pub mod ask;
pub mod content;
pub mod figure;
pub mod figures;
pub mod forms;
pub mod reading;
pub mod sections;
pub mod settings;
pub mod sizes;
pub mod statement;
pub mod unread;

use lustra_sdk::{Enrichment, Failure, Section, Subject, failure};

pub struct Ruz;

lustra_sdk::export!(Ruz: Enrichment);

impl Enrichment for Ruz {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "financials" => sections::financials::section(&subject),
            "financial_statements" => sections::financial_statements::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}
