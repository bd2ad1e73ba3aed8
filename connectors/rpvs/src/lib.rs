//! RPVS, the register of public sector partners: registrations with their beneficial owners.
//!
//! The connector asks the register's `OData` service for one company ([`ask`]). [`question`] builds the requests;
//! [`page`] and [`link`] follow links to the end of every list. The rows are read without the network
//! ([`registration`], [`people`], [`further`]); [`gaps`] records what could not be read, and [`section`] builds the
//! section.
//! Invariant: *no partner* is reported only for an empty list of the register's own. Birth dates and addresses are
//! never read.

mod ask;
pub mod entry;
pub mod further;
pub mod gaps;
pub mod link;
pub mod page;
pub mod people;
pub mod question;
pub mod registration;
pub mod section;
pub mod settings;
mod validity;

use lustra_sdk::{Enrichment, Failure, Section, Subject, failure, ico, runtime};

pub struct Rpvs;

lustra_sdk::export!(Rpvs: Enrichment);

impl Enrichment for Rpvs {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "rpvs" => partner(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

fn partner(subject: &Subject) -> Result<Section, Failure> {
    let Some(ico) = ico::parse(&subject.ico) else {
        return Err(Failure::Other((
            "invalid-ico".to_owned(),
            "a public sector partner is asked for by an IČO of 8 digits".to_owned(),
        )));
    };
    let settings = settings::Settings::read()?;
    let answered = ask::about(&ico, &settings)?;
    let today = runtime::today();
    let mut partner = section::read(&answered.rows, &ico, answered.breadth, &settings, &today)?;
    if let Some(failure) = &answered.past_owners {
        partner.without_past_owners(failure);
    }
    partner.section(answered.evidence)
}
