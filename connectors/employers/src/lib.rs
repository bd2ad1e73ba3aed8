//! The registration of employers with a bracket of their employees, from a list that the operator supplies.
//!
//! No public register with numbers of employees is known. So the format of the list is an assumption, and every column
//! is a setting ([`columns`]). A row becomes a record ([`employer`]) that stores a bracket ([`bracket`]) and no exact
//! number. The records of a company become its section ([`section`]).
//! Invariant: a company counts as no employer only if a whole list was read.

pub mod bracket;
pub mod columns;
pub mod employer;
pub mod section;
pub mod settings;

use lustra_sdk::Failure;
use lustra_sdk::listed::{Listed, OfCompany};
use lustra_sdk::sheet::{Column, Row};

use employer::Employer;
use section::EmployerHeadcount;
use settings::Settings;

pub struct Employers;

lustra_sdk::export!(Employers: Enrichment, Importer);

impl Listed for Employers {
    const SCOPE: &'static str = "employer_headcount";
    const DATASET: &'static str = "employers";
    type Settings = Settings;
    type Entry = Employer;
    type Section = Option<EmployerHeadcount>;

    fn settings() -> Result<Settings, Failure> {
        Settings::read()
    }

    fn columns(settings: &Settings) -> Vec<Column<'_>> {
        settings.columns.wanted()
    }

    fn entry(row: &Row<'_>, _settings: &Settings) -> Result<(String, Employer), Failure> {
        employer::read(row)
    }

    fn section(found: OfCompany<Employer>, today: &str) -> Option<EmployerHeadcount> {
        section::section(found, today)
    }
}
