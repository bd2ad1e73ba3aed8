//! The journal of public procurement (Vestník verejného obstarávania) as open data: awards and published contacts.
//!
//! Issues are files of the national portal of open data ([`listing`], [`issue`]). The import ([`import`]) stores the
//! awards and contacts of each notice ([`notice`]). The sections ([`sections`]) use these records alone.
//! Invariant: a journal that was not read up to now is named as unread, never taken for *nothing was won*.

pub mod amount;
pub mod award;
pub mod component;
pub mod contact;
pub mod cursor;
pub mod facts;
pub mod gaps;
pub mod import;
pub mod issue;
pub mod listing;
mod names;
pub mod notice;
mod numbers;
pub mod organisation;
pub mod pending;
mod run;
pub mod sections;
pub mod series;
pub mod settings;
pub mod unread;
pub mod winners;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

pub use names::{DATASET, UPSTREAM};

pub struct ProcurementJournal;

lustra_sdk::export!(ProcurementJournal: Enrichment, Importer);

impl Enrichment for ProcurementJournal {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "procurement" => sections::procurement::section(&subject),
            "contacts" => sections::contacts::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for ProcurementJournal {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        if dataset != DATASET {
            return Err(failure::not_offered(&format!("the dataset {dataset}")));
        }
        import::open(cursor.as_deref())
    }
}
