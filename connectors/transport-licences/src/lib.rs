//! The licences of road transport operators (Act 56/2012), from a list that the operator supplies: permits, Community
//! licences and taxi concessions, and their numbers of vehicles.
//!
//! No machine-readable list is published. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`licence`]), the records of a company its section ([`section`]). Transport
//! managers are never read.
//! Invariant: a company counts as without a licence only if a whole list was read.

pub mod columns;
pub mod licence;
pub mod section;
pub mod settings;

use lustra_sdk::Failure;
use lustra_sdk::listed::{Listed, OfCompany};
use lustra_sdk::sheet::{Column, Row};

use licence::Licence;
use section::TransportLicence;
use settings::Settings;

pub struct TransportLicences;

lustra_sdk::export!(TransportLicences: Enrichment, Importer);

impl Listed for TransportLicences {
    const SCOPE: &'static str = "transport_licence";
    const DATASET: &'static str = "licences";
    type Settings = Settings;
    type Entry = Licence;
    type Section = TransportLicence;

    fn settings() -> Result<Settings, Failure> {
        Settings::read()
    }

    fn columns(settings: &Settings) -> Vec<Column<'_>> {
        settings.columns.wanted()
    }

    fn entry(row: &Row<'_>, settings: &Settings) -> Result<(String, Licence), Failure> {
        licence::read(row, settings)
    }

    fn section(found: OfCompany<Licence>, today: &str) -> TransportLicence {
        section::section(found, today)
    }
}
