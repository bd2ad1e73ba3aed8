//! Permits and confirmations of the office for regulation (ÚRSO) to produce, distribute and sell electricity, gas, heat
//! and water, from a list that the operator supplies.
//!
//! No machine-readable list is published. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`permit`]) with its segment ([`segment`]), the records of a company its
//! section ([`section`]).
//! Invariant: a company counts as without a permit only if a whole list was read, and the segment of a permit is never
//! guessed.

pub mod columns;
pub mod permit;
pub mod section;
pub mod segment;
pub mod settings;

use lustra_sdk::Failure;
use lustra_sdk::listed::{Listed, OfCompany};
use lustra_sdk::sheet::{Column, Row};

use permit::Permit;
use section::UtilityLicence;
use settings::Settings;

pub struct UtilityLicences;

lustra_sdk::export!(UtilityLicences: Enrichment, Importer);

impl Listed for UtilityLicences {
    const SCOPE: &'static str = "utility_licence";
    const DATASET: &'static str = "licences";
    type Settings = Settings;
    type Entry = Permit;
    type Section = UtilityLicence;

    fn settings() -> Result<Settings, Failure> {
        Settings::read()
    }

    fn columns(settings: &Settings) -> Vec<Column<'_>> {
        settings.columns.wanted()
    }

    fn entry(row: &Row<'_>, settings: &Settings) -> Result<(String, Permit), Failure> {
        permit::read(row, settings)
    }

    fn section(found: OfCompany<Permit>, today: &str) -> UtilityLicence {
        section::section(found, today)
    }
}
