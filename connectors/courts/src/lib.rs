//! Decisions of courts that name a company by its number (Rozhodnutia súdov, ministry of justice).
//!
//! The register has no field for the number of a party: its full text is searched ([`ask`], [`page`]), and each hit
//! counts only where the passage that the register shows of it has the number as a whole ([`highlight`], [`number`]).
//! What the company is in the proceedings is read from the words before the number ([`role`]); [`section`] puts it
//! together.
//! Invariant: a hit that proves nothing is never counted, and a search that was not read to its end says so.

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
