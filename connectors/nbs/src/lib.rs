//! The national bank's list of supervised subjects (Národná banka Slovenska) and their licences.
//!
//! The lists are whole files that contain the current licences and no ended ones ([`institutions`], [`psd2`]). So each
//! import reads the records of the last one and continues their history ([`entities`], [`history`]). A record of
//! `institutions` is one subject, Slovak or foreign, with the history of its licences ([`entity`]). An operator's list
//! adds which institutions agents work for ([`agents`], [`ties`]). The section uses the imported records alone
//! ([`section`]).
//! Invariant: an institution of another country never gives a Slovak company a licence, even if the digits are equal.

pub mod agents;
pub mod categories;
mod cells;
pub mod dataset;
pub mod entities;
pub mod entity;
pub mod history;
pub mod identity;
pub mod import;
pub mod institutions;
pub mod licence;
pub mod links;
mod names;
pub mod person;
pub mod psd2;
pub mod published;
pub mod section;
pub mod settings;
pub mod ties;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

use dataset::Dataset;

pub use names::{AGENTS, UPSTREAM};

pub struct Nbs;

lustra_sdk::export!(Nbs: Enrichment, Importer);

impl Enrichment for Nbs {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "nbs" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for Nbs {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        let Some(dataset) = Dataset::of(dataset) else {
            return Err(failure::not_offered(&format!("the dataset {dataset}")));
        };
        import::open(dataset, cursor.as_deref())
    }
}
