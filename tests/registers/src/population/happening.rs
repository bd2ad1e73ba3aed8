//! Events in registers that keep their own history.
//!
//! A company stores only the event; each topic derives the consequences from it.

use serde::Serialize;
use time::Date;

use super::calendar::iso;
use super::company::Company;
use super::sanctions::List;
use super::{
    establishments, executions, fines, funds, leis, partners, proceedings, procurement, projects,
    sanctions, supervision, tax_lists, trades,
};

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Happening {
    /// A contract with the state is published.
    ContractPublished,
    /// A public procurement is won.
    TenderWon,
    /// New contacts are published.
    ContactChanged,
    /// A financial statement is filed.
    StatementFiled,
    /// An insolvency proceeding is opened.
    InsolvencyOpened,
    /// The insolvency proceeding ends.
    InsolvencyEnded,
    /// An execution is authorized.
    ExecutionAuthorized,
    /// The newest execution authorization ends.
    ExecutionEnded,
    /// A notice is published in the commercial bulletin.
    NoticePublished,
    /// The company becomes a public sector partner.
    PartnerRegistered,
    /// The registration as a public sector partner ends.
    PartnerErased,
    /// A beneficial owner of a public sector partner is replaced.
    OwnerReplaced,
    /// The national bank grants a licence.
    SupervisionGranted,
    /// The newest licence of the national bank ends.
    SupervisionEnded,
    /// A trader suspends every trade.
    TradeSuspended,
    /// A trader resumes the suspended trades.
    TradeResumed,
    /// A trader gives up the newest trade.
    TradeEnded,
    /// The company is entered in the list of insolvency administrators.
    AdministratorRegistered,
    /// The company is struck off that list.
    AdministratorStruckOff,
    /// A food establishment is approved.
    EstablishmentApproved,
    /// The approval of the newest food establishment is withdrawn.
    EstablishmentWithdrawn,
    /// A fine for illegal employment is listed.
    IllegalEmploymentFined,
    /// A court orders the newest fine for illegal employment to be deleted from the list.
    IllegalEmploymentErased,
    /// The tax authority publishes a period of VAT, a year of income tax and a special regime.
    TaxesPublished,
    /// The tax authority publishes reliefs of a new year, and a regulated branch.
    ReliefClaimed,
    /// The Union lists the company.
    ListedByUnion,
    /// The United States list the company.
    ListedByUnitedStates,
    /// Every sanctions entry that means the company is removed.
    Delisted,
    /// The registration of its legal entity identifier lapses.
    LeiLapsed,
    /// The registration of its legal entity identifier is renewed.
    LeiRenewed,
    /// Another direct parent is reported to the register of identifiers.
    LeiParentReplaced,
    /// A notice with the company as the buyer is published in the Union's procurement journal.
    UnionNoticePublished,
    /// A court's decision that names the company is published.
    DecisionPublished,
    /// A project with aid from public funds is published.
    ProjectPublished,
    /// A project with European funds gets its contract.
    FundsContracted,
    /// A ban from public procurement becomes final.
    Debarred,
    /// The newest such ban is lifted before its end.
    DebarmentLifted,
    /// The company is entered in the list of qualified suppliers.
    SupplierEntered,
    /// The newest entry in that list is struck off.
    SupplierStruckOff,
    /// The company gets a profile as a buyer, or one of another class.
    ProfileMade,
    /// A buyer writes a reference.
    ReferenceMade,
}

impl Happening {
    pub const ALL: [Self; 41] = [
        Self::ContractPublished,
        Self::TenderWon,
        Self::ContactChanged,
        Self::StatementFiled,
        Self::InsolvencyOpened,
        Self::InsolvencyEnded,
        Self::ExecutionAuthorized,
        Self::ExecutionEnded,
        Self::NoticePublished,
        Self::PartnerRegistered,
        Self::PartnerErased,
        Self::OwnerReplaced,
        Self::SupervisionGranted,
        Self::SupervisionEnded,
        Self::TradeSuspended,
        Self::TradeResumed,
        Self::TradeEnded,
        Self::AdministratorRegistered,
        Self::AdministratorStruckOff,
        Self::EstablishmentApproved,
        Self::EstablishmentWithdrawn,
        Self::IllegalEmploymentFined,
        Self::IllegalEmploymentErased,
        Self::TaxesPublished,
        Self::ReliefClaimed,
        Self::ListedByUnion,
        Self::ListedByUnitedStates,
        Self::Delisted,
        Self::LeiLapsed,
        Self::LeiRenewed,
        Self::LeiParentReplaced,
        Self::UnionNoticePublished,
        Self::DecisionPublished,
        Self::ProjectPublished,
        Self::FundsContracted,
        Self::Debarred,
        Self::DebarmentLifted,
        Self::SupplierEntered,
        Self::SupplierStruckOff,
        Self::ProfileMade,
        Self::ReferenceMade,
    ];

    /// The name in the control interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::ContractPublished => "contract-published",
            Self::TenderWon => "tender-won",
            Self::ContactChanged => "contact-changed",
            Self::StatementFiled => "statement-filed",
            Self::InsolvencyOpened => "insolvency-opened",
            Self::InsolvencyEnded => "insolvency-ended",
            Self::ExecutionAuthorized => "execution-authorized",
            Self::ExecutionEnded => "execution-ended",
            Self::NoticePublished => "notice-published",
            Self::PartnerRegistered => "partner-registered",
            Self::PartnerErased => "partner-erased",
            Self::OwnerReplaced => "owner-replaced",
            Self::SupervisionGranted => "supervision-granted",
            Self::SupervisionEnded => "supervision-ended",
            Self::TradeSuspended => "trade-suspended",
            Self::TradeResumed => "trade-resumed",
            Self::TradeEnded => "trade-ended",
            Self::AdministratorRegistered => "administrator-registered",
            Self::AdministratorStruckOff => "administrator-struck-off",
            Self::EstablishmentApproved => "establishment-approved",
            Self::EstablishmentWithdrawn => "establishment-withdrawn",
            Self::IllegalEmploymentFined => "illegal-employment-fined",
            Self::IllegalEmploymentErased => "illegal-employment-erased",
            Self::TaxesPublished => "taxes-published",
            Self::ReliefClaimed => "relief-claimed",
            Self::ListedByUnion => "listed-by-union",
            Self::ListedByUnitedStates => "listed-by-united-states",
            Self::Delisted => "delisted",
            Self::LeiLapsed => "lei-lapsed",
            Self::LeiRenewed => "lei-renewed",
            Self::LeiParentReplaced => "lei-parent-replaced",
            Self::UnionNoticePublished => "union-notice-published",
            Self::DecisionPublished => "decision-published",
            Self::ProjectPublished => "project-published",
            Self::FundsContracted => "funds-contracted",
            Self::Debarred => "debarred",
            Self::DebarmentLifted => "debarment-lifted",
            Self::SupplierEntered => "supplier-entered",
            Self::SupplierStruckOff => "supplier-struck-off",
            Self::ProfileMade => "profile-made",
            Self::ReferenceMade => "reference-made",
        }
    }

    /// True if the event appears in the register of legal persons.
    pub(crate) fn is_in_rpo(self) -> bool {
        matches!(
            self,
            Self::TradeSuspended | Self::TradeResumed | Self::TradeEnded
        )
    }

    /// True if the event is possible for the company in its current state.
    pub(crate) fn applies_to(self, company: &Company) -> bool {
        match self {
            Self::ContractPublished
            | Self::TenderWon
            | Self::ContactChanged
            | Self::StatementFiled
            | Self::ExecutionAuthorized
            | Self::NoticePublished
            | Self::SupervisionGranted
            | Self::EstablishmentApproved
            | Self::IllegalEmploymentFined
            | Self::UnionNoticePublished
            | Self::DecisionPublished
            | Self::Debarred
            | Self::SupplierEntered
            | Self::ReferenceMade => true,
            Self::InsolvencyOpened => !proceedings::is_insolvent(company),
            Self::InsolvencyEnded => proceedings::is_insolvent(company),
            Self::ExecutionEnded => executions::is_enforced(company),
            Self::PartnerRegistered => !partners::is_partner(company),
            Self::PartnerErased => partners::is_partner(company),
            Self::OwnerReplaced => partners::is_partner(company),
            Self::SupervisionEnded => supervision::is_supervised(company),
            Self::TradeSuspended => trades::is_trading(company),
            Self::TradeResumed => trades::is_suspended(company),
            Self::TradeEnded => trades::is_entered(company),
            Self::AdministratorRegistered => !proceedings::is_administrator(company),
            Self::AdministratorStruckOff => proceedings::is_administrator(company),
            Self::EstablishmentWithdrawn => establishments::has_establishment(company),
            Self::IllegalEmploymentErased => fines::is_fined(company),
            Self::TaxesPublished => tax_lists::vat_number(company).is_some(),
            Self::ReliefClaimed => tax_lists::can_claim(company),
            Self::ListedByUnion => !sanctions::is_listed(company, Some(List::Union)),
            Self::ListedByUnitedStates => !sanctions::is_listed(company, Some(List::Main)),
            Self::Delisted => sanctions::is_listed(company, None),
            Self::LeiLapsed => leis::is_in_force(company),
            Self::LeiRenewed => leis::is_lapsed(company),
            Self::LeiParentReplaced => leis::has_parent(company),
            Self::ProjectPublished => company.index < projects::MOST,
            Self::FundsContracted => company.index < funds::MOST,
            Self::DebarmentLifted => procurement::bans::is_barred(company),
            Self::SupplierStruckOff => procurement::suppliers::is_entered(company),
            Self::ProfileMade => procurement::profiles::has_room(company),
        }
    }
}

impl Serialize for Happening {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Happened {
    pub kind: Happening,
    #[serde(with = "iso")]
    pub on: Date,
    /// Distinguishes events of one kind and company, and seeds the facts derived from the event.
    #[serde(skip)]
    pub(crate) salt: u64,
}
