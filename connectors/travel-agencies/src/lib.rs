//! The travel agencies and their protection against insolvency (Act 170/2018), from a list of the trade inspection that
//! the operator supplies.
//!
//! No machine-readable list is known. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`agency`]), the records of a company its section ([`section`]).
//! Invariant: a company counts as no agency only if a whole list was read, and an expired contract is not a ban.

pub mod agency;
pub mod bans;
pub mod columns;
pub mod section;
pub mod settings;

use lustra_sdk::Failure;
use lustra_sdk::listed::{Listed, OfCompany};
use lustra_sdk::sheet::{Column, Row};

use agency::Agency;
use section::TravelAgency;
use settings::Settings;

pub struct TravelAgencies;

lustra_sdk::export!(TravelAgencies: Enrichment, Importer);

impl Listed for TravelAgencies {
    const SCOPE: &'static str = "soi_travel_agency";
    const DATASET: &'static str = "agencies";
    type Settings = Settings;
    type Entry = Agency;
    type Section = TravelAgency;

    fn settings() -> Result<Settings, Failure> {
        Settings::read()
    }

    fn columns(settings: &Settings) -> Vec<Column<'_>> {
        settings.columns.wanted()
    }

    fn entry(row: &Row<'_>, settings: &Settings) -> Result<(String, Agency), Failure> {
        agency::read(row, settings)
    }

    fn section(found: OfCompany<Agency>, today: &str) -> TravelAgency {
        section::section(found, today)
    }
}
