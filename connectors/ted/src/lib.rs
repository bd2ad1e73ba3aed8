//! TED, the supplement to the Union's Official Journal: procurement notices in which a company is the buyer.
//!
//! The connector queries TED's search for one company ([`ask`]), page by page ([`page`]). A notice counts if
//! one of its buyers has the company's number ([`buyer`]). [`notice`] and [`money`] read its subject and value,
//! [`modifications`] decides which values count, and [`section`] builds the section. Invariant: *no notices* is
//! reported only if the search returns a list that declares itself empty.

mod ask;
pub mod buyer;
pub mod modifications;
pub mod money;
pub mod notice;
pub mod page;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, Section, Subject, failure};

pub struct Ted;

lustra_sdk::export!(Ted: Enrichment);

impl Enrichment for Ted {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "ted_tenders" => ask::about(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}
