//! The kinds of change that a day can bring.

use serde::Serialize;

use super::company::{Company, DebtorList};
use super::forms::{LegalForm, SourceRegister};
use super::happening::Happening;

/// A kind of change to one company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The newest officer is replaced by another person.
    OfficerReplaced,
    OfficerJoined,
    /// The newest officer leaves.
    OfficerLeft,
    SeatMoved,
    NameChanged,
    /// A limited company becomes one limited by shares.
    LegalFormChanged,
    /// The capital grows, paid in by the first shareholder.
    CapitalRaised,
    /// The first shareholder's share goes to another person.
    ShareholderReplaced,
    /// A line of business is added.
    ActivityAdded,
    /// The name gets the suffix `v likvidácii`, and a liquidator is entered.
    LiquidationEntered,
    /// The name gets the suffix `v konkurze`.
    BankruptcyDeclared,
    Terminated,
    /// Registration for VAT, or from § 7/§ 7a to § 4.
    VatRegistered,
    /// Reasons for deregistration are published.
    VatReasonsPublished,
    /// The registration is erased.
    VatErased,
    /// The reliability changes to the next of high, reliable, low, high.
    ReliabilityChanged,
    /// Another bank account is published.
    AccountAdded,
    /// A debt appears on a list.
    DebtorAppeared(DebtorList),
    /// The amount on a list changes.
    DebtorAmountChanged(DebtorList),
    /// A debt is removed from a list.
    DebtorCleared(DebtorList),
    /// An event in a register that keeps its own history.
    Happened(Happening),
}

impl ChangeKind {
    /// Every kind; a kind that exists per debtor list counts once for each list.
    pub fn all() -> Vec<Self> {
        let mut kinds = Self::usual();
        kinds.push(Self::LegalFormChanged);
        kinds.extend(Happening::ALL.map(Self::Happened));
        kinds
    }

    /// The kinds that happen to ordinary companies without a script.
    pub(crate) fn usual() -> Vec<Self> {
        let mut kinds = vec![
            Self::OfficerReplaced,
            Self::OfficerJoined,
            Self::OfficerLeft,
            Self::SeatMoved,
            Self::NameChanged,
            Self::CapitalRaised,
            Self::ShareholderReplaced,
            Self::ActivityAdded,
            Self::LiquidationEntered,
            Self::BankruptcyDeclared,
            Self::Terminated,
            Self::VatRegistered,
            Self::VatReasonsPublished,
            Self::VatErased,
            Self::ReliabilityChanged,
            Self::AccountAdded,
        ];
        kinds.extend(DebtorList::ALL.map(Self::DebtorAppeared));
        kinds.extend(DebtorList::ALL.map(Self::DebtorAmountChanged));
        kinds.extend(DebtorList::ALL.map(Self::DebtorCleared));
        kinds
    }

    /// The name in the control interface: `officer-replaced`, `debtor-appeared-socpoist`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OfficerReplaced => "officer-replaced",
            Self::OfficerJoined => "officer-joined",
            Self::OfficerLeft => "officer-left",
            Self::SeatMoved => "seat-moved",
            Self::NameChanged => "name-changed",
            Self::LegalFormChanged => "legal-form-changed",
            Self::CapitalRaised => "capital-raised",
            Self::ShareholderReplaced => "shareholder-replaced",
            Self::ActivityAdded => "activity-added",
            Self::LiquidationEntered => "liquidation-entered",
            Self::BankruptcyDeclared => "bankruptcy-declared",
            Self::Terminated => "terminated",
            Self::VatRegistered => "vat-registered",
            Self::VatReasonsPublished => "vat-reasons-published",
            Self::VatErased => "vat-erased",
            Self::ReliabilityChanged => "reliability-changed",
            Self::AccountAdded => "account-added",
            Self::DebtorAppeared(list) => match list {
                DebtorList::Socpoist => "debtor-appeared-socpoist",
                DebtorList::Vszp => "debtor-appeared-vszp",
                DebtorList::Union => "debtor-appeared-union",
                DebtorList::Dovera => "debtor-appeared-dovera",
                DebtorList::Tax => "debtor-appeared-tax",
            },
            Self::DebtorAmountChanged(list) => match list {
                DebtorList::Socpoist => "debtor-amount-changed-socpoist",
                DebtorList::Vszp => "debtor-amount-changed-vszp",
                DebtorList::Union => "debtor-amount-changed-union",
                DebtorList::Dovera => "debtor-amount-changed-dovera",
                DebtorList::Tax => "debtor-amount-changed-tax",
            },
            Self::DebtorCleared(list) => match list {
                DebtorList::Socpoist => "debtor-cleared-socpoist",
                DebtorList::Vszp => "debtor-cleared-vszp",
                DebtorList::Union => "debtor-cleared-union",
                DebtorList::Dovera => "debtor-cleared-dovera",
                DebtorList::Tax => "debtor-cleared-tax",
            },
            Self::Happened(happening) => happening.name(),
        }
    }

    /// The kind with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|kind| kind.name() == name)
    }

    /// True if the change appears in the register of legal persons.
    pub fn is_in_rpo(self) -> bool {
        match self {
            Self::OfficerReplaced
            | Self::OfficerJoined
            | Self::OfficerLeft
            | Self::SeatMoved
            | Self::NameChanged
            | Self::LegalFormChanged
            | Self::CapitalRaised
            | Self::ShareholderReplaced
            | Self::ActivityAdded
            | Self::LiquidationEntered
            | Self::BankruptcyDeclared
            | Self::Terminated => true,
            Self::Happened(happening) => happening.is_in_rpo(),
            Self::VatRegistered
            | Self::VatReasonsPublished
            | Self::VatErased
            | Self::ReliabilityChanged
            | Self::AccountAdded
            | Self::DebtorAppeared(_)
            | Self::DebtorAmountChanged(_)
            | Self::DebtorCleared(_) => false,
        }
    }

    /// True if the change is possible for the company in its current state.
    pub fn applies_to(self, company: &Company) -> bool {
        if !company.is_active() {
            return false;
        }
        let is_trader = company.legal_form == LegalForm::Trader;
        let is_commercial = company.source_register == SourceRegister::Commercial;
        let registration = company.vat.registration.as_ref();
        match self {
            Self::OfficerReplaced | Self::OfficerJoined => !is_trader,
            Self::OfficerLeft => {
                company
                    .current_officers()
                    .filter(|officer| officer.role.is_statutory())
                    .count()
                    > 1
            }
            Self::SeatMoved | Self::ActivityAdded | Self::Terminated => true,
            Self::NameChanged => !is_trader,
            Self::LegalFormChanged => {
                company.legal_form == LegalForm::LimitedCompany
                    && company.liquidation_since.is_none()
                    && company.bankruptcy_since.is_none()
            }
            Self::CapitalRaised => !company.capital.is_empty(),
            Self::ShareholderReplaced => !company.shareholders.is_empty(),
            Self::LiquidationEntered => is_commercial && company.liquidation_since.is_none(),
            Self::BankruptcyDeclared => is_commercial && company.bankruptcy_since.is_none(),
            Self::VatRegistered => {
                company.dic.is_some()
                    && !registration.is_some_and(|registration| registration.kind.is_payer())
            }
            Self::VatReasonsPublished => {
                company.vat.reasons.is_none()
                    && registration.is_some_and(|registration| registration.kind.is_payer())
            }
            Self::VatErased => registration.is_some(),
            Self::ReliabilityChanged => company.dic.is_some(),
            Self::AccountAdded => {
                registration.is_some_and(|registration| registration.kind.is_payer())
            }
            Self::DebtorAppeared(list) => company.debt(list).is_none(),
            Self::DebtorAmountChanged(list) | Self::DebtorCleared(list) => {
                company.debt(list).is_some()
            }
            Self::Happened(happening) => happening.applies_to(company),
        }
    }
}

impl Serialize for ChangeKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
