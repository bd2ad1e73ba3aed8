//! The registered social enterprises (Act 112/2018), from a list that the operator supplies: to whom the ministry of
//! labour granted the status, and from whom it took the status away.
//!
//! No machine-readable list is known. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`enterprise`]), the records of a company its section ([`section`]).
//! Invariant: a company counts as without the status only if a whole list was read.

pub mod columns;
pub mod enterprise;
pub mod section;
pub mod settings;

use lustra_sdk::Failure;
use lustra_sdk::listed::{Listed, OfCompany};
use lustra_sdk::sheet::{Column, Row};

use enterprise::Enterprise;
use section::SocialEnterprise;
use settings::Settings;

pub struct SocialEnterprises;

lustra_sdk::export!(SocialEnterprises: Enrichment, Importer);

impl Listed for SocialEnterprises {
    const SCOPE: &'static str = "social_enterprise";
    const DATASET: &'static str = "enterprises";
    type Settings = Settings;
    type Entry = Enterprise;
    type Section = SocialEnterprise;

    fn settings() -> Result<Settings, Failure> {
        Settings::read()
    }

    fn columns(settings: &Settings) -> Vec<Column<'_>> {
        settings.columns.wanted()
    }

    fn entry(row: &Row<'_>, settings: &Settings) -> Result<(String, Enterprise), Failure> {
        enterprise::read(row, settings)
    }

    fn section(found: OfCompany<Enterprise>, today: &str) -> SocialEnterprise {
        section::section(found, today)
    }
}
