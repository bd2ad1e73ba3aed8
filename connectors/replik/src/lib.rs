//! IS REPLIK, the register of insolvencies: the proceedings over a company, and the administrators who carry them out.
//!
//! The section of proceedings is asked for live ([`pages`], [`section`]); administrators are gathered from the details
//! of proceedings that changed ([`import`]), since the register has no list of them, or taken from the ministry's list
//! where the operator has it ([`list_import`]); [`administrator_section`] tells of them. [`soap`] is all that knows of
//! envelopes.
//! Invariant: whether a proceeding is under way is said by its state alone, and what could not be told is never `false`.

pub mod administrator_section;
pub mod administrator_settings;
pub mod administrators;
pub mod changes;
pub mod codes;
pub mod detail;
pub mod import;
pub mod list_import;
pub mod list_page;
pub mod moment;
pub mod pages;
pub mod proceedings;
pub mod section;
pub mod settings;
pub mod soap;
pub use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

/// The connector.
pub struct Replik;

lustra_sdk::export!(Replik: Enrichment, Importer);

impl Enrichment for Replik {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "insolvency" => section::insolvency(&subject),
            "replik_administrator" => administrator_section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for Replik {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            import::ADMINISTRATORS => import::open(cursor.as_deref()),
            list_import::ADMINISTRATOR_LIST => list_import::open(cursor.as_deref()),
            _ => Err(failure::not_offered(&format!("the dataset {dataset}"))),
        }
    }
}
