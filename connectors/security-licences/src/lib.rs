//! The licences of private security services (Act 473/2005), from a list that the operator supplies: guarding,
//! investigating and advising with the permission of the police.
//!
//! No machine-readable list is published. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`licence`]), the records of a company its section ([`section`]).
//! Invariant: a company counts as without a licence only if a whole list was read.

pub mod columns;
pub mod kinds;
pub mod licence;
pub mod section;
pub mod settings;

use lustra_sdk::Failure;
use lustra_sdk::listed::{Listed, OfCompany};
use lustra_sdk::sheet::{Column, Row};

use licence::Licence;
use section::Sbs;
use settings::Settings;

pub struct SecurityLicences;

lustra_sdk::export!(SecurityLicences: Enrichment, Importer);

impl Listed for SecurityLicences {
    const SCOPE: &'static str = "sbs";
    const DATASET: &'static str = "licences";
    type Settings = Settings;
    type Entry = Licence;
    type Section = Sbs;

    fn settings() -> Result<Settings, Failure> {
        Settings::read()
    }

    fn columns(settings: &Settings) -> Vec<Column<'_>> {
        settings.columns.wanted()
    }

    fn entry(row: &Row<'_>, settings: &Settings) -> Result<(String, Licence), Failure> {
        licence::read(row, settings)
    }

    fn section(found: OfCompany<Licence>, today: &str) -> Sbs {
        section::section(found, today)
    }
}
