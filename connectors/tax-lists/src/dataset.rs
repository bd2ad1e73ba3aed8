//! The lists that the connector imports: their names, their slugs, and how a row becomes a record.

use lustra_sdk::Failure;
use lustra_sdk::tax_lists::{Cells, Entry, ListKind};

use crate::lists::{accounts, income_tax, regulated, reliefs, vat};

/// A list of the tax authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dataset {
    /// Excess deductions of VAT and own VAT, by period.
    VatDeductions,
    /// VAT payers under a special regime, with its first and last days.
    VatRegimes,
    /// VAT payers with reasons for cancelling their registration.
    VatCancellationReasons,
    /// Assessed corporate income tax, by period.
    CorporateIncomeTax,
    /// Subjects registered for income tax: the DIČ of an IČO.
    IncomeTaxSubjects,
    /// Accounts that the authority keeps for payers.
    TaxAccounts,
    /// Deductions of costs of research and development.
    ResearchDeductions,
    InvestmentDeductions,
    /// Income that is exempt under the patent box.
    PatentBox,
    /// Entities of regulated branches, which pay a special levy.
    RegulatedEntities,
}

impl Dataset {
    /// All of them, as the manifest lists them and in the order of the section's members.
    pub const ALL: [Self; 10] = [
        Self::VatDeductions,
        Self::VatRegimes,
        Self::VatCancellationReasons,
        Self::CorporateIncomeTax,
        Self::IncomeTaxSubjects,
        Self::TaxAccounts,
        Self::ResearchDeductions,
        Self::InvestmentDeductions,
        Self::PatentBox,
        Self::RegulatedEntities,
    ];

    /// The dataset with an id.
    #[must_use]
    pub fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dataset| dataset.id() == id)
    }

    /// Names of the list at the authority, for a list with an unknown slug. Each text is a set of word beginnings that
    /// must all occur in the name. One fitting text suffices. Empty for a list whose slug is known.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::VatDeductions
            | Self::VatRegimes
            | Self::VatCancellationReasons
            | Self::CorporateIncomeTax
            | Self::IncomeTaxSubjects
            | Self::TaxAccounts => &[],
            Self::ResearchDeductions => &["vyskum vyvoj"],
            Self::InvestmentDeductions => &["odpoc investic", "investicn pomoc"],
            Self::PatentBox => &["patent box", "oslobod 13a", "oslobod 13b"],
            Self::RegulatedEntities => &["regulovan", "osobitn odvod"],
        }
    }

    /// Whether its slug must be found or set.
    #[must_use]
    pub fn is_found_by_name(self) -> bool {
        !self.names().is_empty()
    }
}

impl ListKind for Dataset {
    fn id(self) -> &'static str {
        match self {
            Self::VatDeductions => "vat-deductions",
            Self::VatRegimes => "vat-regimes",
            Self::VatCancellationReasons => "vat-cancellation-reasons",
            Self::CorporateIncomeTax => "corporate-income-tax",
            Self::IncomeTaxSubjects => "income-tax-subjects",
            Self::TaxAccounts => "tax-accounts",
            Self::ResearchDeductions => "research-deductions",
            Self::InvestmentDeductions => "investment-deductions",
            Self::PatentBox => "patent-box",
            Self::RegulatedEntities => "regulated-entities",
        }
    }

    fn slug(self) -> &'static str {
        match self {
            Self::VatDeductions => "ds_dphno",
            Self::VatRegimes => "ds_dpho",
            Self::VatCancellationReasons => "ds_dphz",
            Self::CorporateIncomeTax => "ds_dppos",
            Self::IncomeTaxSubjects => "ds_dsrdp",
            Self::TaxAccounts => "ds_dph_oud",
            Self::ResearchDeductions
            | Self::InvestmentDeductions
            | Self::PatentBox
            | Self::RegulatedEntities => "",
        }
    }

    fn columns(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::VatDeductions => vat::DEDUCTION_COLUMNS,
            Self::VatRegimes => vat::REGIME_COLUMNS,
            Self::VatCancellationReasons => vat::REASON_COLUMNS,
            Self::CorporateIncomeTax => income_tax::ASSESSMENT_COLUMNS,
            Self::IncomeTaxSubjects => income_tax::SUBJECT_COLUMNS,
            Self::TaxAccounts => accounts::COLUMNS,
            Self::ResearchDeductions => reliefs::RESEARCH_COLUMNS,
            Self::InvestmentDeductions => reliefs::INVESTMENT_COLUMNS,
            Self::PatentBox => reliefs::PATENT_COLUMNS,
            Self::RegulatedEntities => regulated::COLUMNS,
        }
    }

    // Columns that identify the company are not mandatory: one of several suffices, and a row without any is unusable.
    fn mandatory(self) -> &'static [&'static str] {
        match self {
            Self::VatDeductions => &["period"],
            Self::VatRegimes => &["started_at"],
            Self::VatCancellationReasons => &["year"],
            Self::CorporateIncomeTax => &["period_to", "tax"],
            Self::IncomeTaxSubjects => &["dic", "ico"],
            Self::TaxAccounts => &["iban"],
            Self::ResearchDeductions | Self::InvestmentDeductions => &["amount"],
            Self::PatentBox => &["exemption"],
            Self::RegulatedEntities => &["type"],
        }
    }

    fn entry(self, cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
        match self {
            Self::VatDeductions => vat::deduction(cells),
            Self::VatRegimes => vat::regime(cells),
            Self::VatCancellationReasons => vat::reason(cells),
            Self::CorporateIncomeTax => income_tax::assessment(cells),
            Self::IncomeTaxSubjects => income_tax::subject(cells),
            Self::TaxAccounts => accounts::entry(cells),
            Self::ResearchDeductions => reliefs::research(cells),
            Self::InvestmentDeductions => reliefs::investment(cells),
            Self::PatentBox => reliefs::patent(cells),
            Self::RegulatedEntities => regulated::entry(cells),
        }
    }
}
