//! The office for public procurement (Úrad pre verejné obstarávanie): barred persons, qualified suppliers,
//! contracting authorities, and references that buyers wrote about suppliers.
//!
//! All data come from HTML pages ([`site`]): paginated lists ([`listing`], [`table`]) and pages of labels and
//! values ([`labels`]). The short list of barred persons is imported whole ([`block`], [`import`], [`history`])
//! and shown by [`debarred`]. The other scopes query one company at a time ([`suppliers`], [`authorities`],
//! [`references`]). Invariant: *no entry* is reported only on the office's own statement or after a list was
//! read to its end.

pub mod asking;
pub mod authorities;
pub mod ban;
pub mod block;
pub mod classification;
pub mod debarred;
pub mod history;
pub mod import;
pub mod labels;
pub mod listing;
mod names;
pub mod reference;
pub mod references;
pub mod settings;
pub mod site;
pub mod suppliers;
pub mod table;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure, ico};

pub use names::UPSTREAM;

pub struct Uvo;

lustra_sdk::export!(Uvo: Enrichment, Importer);

impl Enrichment for Uvo {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        ico::required(&subject.ico, "entries of the office's registers")?;
        match scope {
            "debarred" => debarred::section(&subject.ico),
            "reges" => suppliers::section(&subject.ico),
            "contracting_authority" => authorities::section(&subject),
            "uvo_references" => references::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for Uvo {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            import::DATASET => import::open(cursor.as_deref()),
            _ => Err(failure::not_offered(&format!("the dataset {dataset}"))),
        }
    }
}
