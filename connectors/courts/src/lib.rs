//! Decisions of courts that name a company by its number (Rozhodnutia súdov, ministry of justice).
//!
//! The register has no field for the number of a party. The connector searches its full text ([`ask`], [`page`]). A hit
//! counts only if its passage contains the number as a whole ([`highlight`], [`number`]). The words before the number
//! say the company's role ([`role`]). [`section`] builds the section.
//! Invariant: hits without proof are never counted, and a search that was not read to its end says so.

pub mod ask;
pub mod highlight;
pub mod number;
pub mod page;
pub mod role;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, Section, Subject, failure, ico, runtime, unread};

pub struct Courts;

lustra_sdk::export!(Courts: Enrichment);

impl Enrichment for Courts {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "court_decisions" => decisions(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

fn decisions(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "decisions of courts")?;
    let settings = settings::Settings::read()?;
    let mut read = ask::about(&subject.ico, &settings)?;
    let evidence = std::mem::take(&mut read.evidence);
    let content = section::content(&read, &subject.ico, &runtime::today(), &settings)?;
    unread::section(&content, &content.unread, evidence)
}
