//! The scope `fs_imports`: the company's entries in the ten lists.

use lustra_sdk::records::DatasetState;
use lustra_sdk::tax_lists::{ListKind, ListSettings};
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject};
use serde::Serialize;

use crate::dataset::Dataset;
use crate::lists::accounts::Account;
use crate::lists::income_tax::Assessment;
use crate::lists::regulated::Regulated;
use crate::lists::reliefs::{Investment, Patent, Research};
use crate::lists::vat::{Deduction, Reason, Regime};
use crate::rows::Rows;

/// Parts of the section without a known list, each with its name in `unread`. The lists with the slugs that the first
/// and the last name suggest have other contents, and are parts under names of their own.
const UNKNOWN_LISTS: [&str; 3] = [
    "vat-registrations",
    "reliable-vat-payers",
    "tax-debtors-accounts",
];

/// The null of a part without a known list.
#[derive(Debug, Serialize)]
struct NotKnown;

/// The section. A list that was not read is null.
#[derive(Debug, Serialize)]
struct TaxLists {
    dphno: Option<Vec<Deduction>>,
    /// VAT registrations with their first and last day.
    dpho: NotKnown,
    dphz: Option<Vec<Reason>>,
    dppos: Option<Vec<Assessment>>,
    /// The flag of a reliable VAT payer.
    dsrdp_registered: NotKnown,
    /// Special accounts of tax debtors.
    dph_oud: NotKnown,
    vat_regimes: Option<Vec<Regime>>,
    income_tax_registered: Option<bool>,
    tax_office_accounts: Option<Vec<Account>>,
    rd_deduction: Option<Vec<Research>>,
    investment_deduction: Option<Vec<Investment>>,
    patent_box: Option<Vec<Patent>>,
    regulated: Option<Vec<Regulated>>,
    sources: Vec<Source>,
    unread: Vec<Unread>,
}

/// The state of a list.
#[derive(Debug, Serialize)]
struct Source {
    source: &'static str,
    /// `None` if each import finds the slug by the list's name.
    slug: Option<String>,
    state: State,
    list_date: Option<String>,
    imported_at: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// The newest import succeeded.
    Imported,
    /// The latest attempt failed. `imported_at` says whether an older list is in use.
    Failing,
    /// No import was attempted yet.
    Waiting,
    /// The operator switched the list off.
    Off,
}

impl Source {
    fn of(dataset: Dataset, state: &DatasetState) -> Result<Self, Failure> {
        let slug = ListSettings::of(dataset)?.slug;
        Ok(Self {
            source: dataset.id(),
            slug: Some(slug).filter(|slug| !slug.is_empty()),
            state: match (state.off, &state.failure, &state.imported_at) {
                (true, _, _) => State::Off,
                (false, Some(_), _) => State::Failing,
                (false, None, Some(_)) => State::Imported,
                (false, None, None) => State::Waiting,
            },
            list_date: state.list_date.clone(),
            imported_at: state.imported_at.clone(),
        })
    }
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if no list was ever imported, unless all of them are off; a subject without an IČO; the
/// host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let mut rows = Rows::of(subject)?;
    let is_nothing_read = rows.unread.len() == Dataset::ALL.len();
    if is_nothing_read && rows.states().iter().any(|(_, state)| !state.off) {
        let lists: Vec<String> = rows.unread.iter().map(Unread::of_its_dataset).collect();
        return Err(Failure::Unavailable(lists.join("; ")));
    }
    let sources = rows
        .states()
        .iter()
        .map(|(dataset, state)| Source::of(*dataset, state))
        .collect::<Result<_, _>>()?;
    let mut lists = TaxLists {
        dphno: rows.read(Dataset::VatDeductions)?,
        dpho: NotKnown,
        dphz: rows.read(Dataset::VatCancellationReasons)?,
        dppos: rows.read(Dataset::CorporateIncomeTax)?,
        dsrdp_registered: NotKnown,
        dph_oud: NotKnown,
        vat_regimes: rows.read(Dataset::VatRegimes)?,
        income_tax_registered: rows.is_listed(Dataset::IncomeTaxSubjects)?,
        tax_office_accounts: rows.read(Dataset::TaxAccounts)?,
        rd_deduction: rows.read(Dataset::ResearchDeductions)?,
        investment_deduction: rows.read(Dataset::InvestmentDeductions)?,
        patent_box: rows.read(Dataset::PatentBox)?,
        regulated: rows.read(Dataset::RegulatedEntities)?,
        sources,
        unread: Vec::new(),
    };
    lists.unread = rows.unread;
    let gap = Gap::NeverImported("no list of the authority is known that states this".to_owned());
    let unknown = UNKNOWN_LISTS.map(|list| gap.clone().unread(list, None));
    lists.unread.extend(unknown);
    unread::section(&lists, &lists.unread, Vec::new())
}
