//! IS REPLIK, the register of insolvencies: the proceedings over a company, and the administrators who conduct
//! them.
//!
//! The section of proceedings is queried live ([`pages`], [`section`]). The register has no list of
//! administrators, so they are collected from the details of changed proceedings ([`import`]), or read from the
//! ministry's list if the operator configured it ([`list_import`]); [`administrator_section`] shows them. Only
//! [`soap`] deals with envelopes. Invariant: whether a proceeding is active follows from its state alone, and
//! an unknown result is never `false`.

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
