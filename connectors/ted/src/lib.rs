//! TED, the supplement to the Union's Official Journal: procurement notices in which a company is the buyer.
//!
//! One company is asked for at TED's search ([`ask`]), page by page ([`page`]). A notice counts where one of its buyers
//! has the company's number ([`buyer`]); what it is about and what it is worth is read in [`notice`] and [`money`],
//! [`modifications`] says which values count, and [`section`] puts all together.
//! Invariant: *no notices* is said only for the search's own word, a list that says of itself that it is empty.

mod ask;
pub mod buyer;
pub mod modifications;
pub mod money;
pub mod notice;
pub mod page;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, Section, Subject, failure};

/// The connector.
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
