//! What can happen to a company in the registers that keep a history of their own.
//!
//! A company remembers that it happened; the topics beside this file say what follows from it.

use serde::Serialize;
use time::Date;

use super::calendar::iso;
use super::company::Company;
use super::sanctions::List;
use super::{executions, partners, proceedings, sanctions, supervision};

/// A kind of thing that can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Happening {
    /// A contract with the state is published.
    ContractPublished,
    /// A public procurement is won.
    TenderWon,
    /// Other contacts are published.
    ContactChanged,
    /// A financial statement is filed.
    StatementFiled,
    /// An insolvency proceeding is opened.
    InsolvencyOpened,
    /// The insolvency proceeding ends.
    InsolvencyEnded,
    /// An execution is authorized.
    ExecutionAuthorized,
    /// The newest execution authorization is gone.
    ExecutionEnded,
    /// A notice stands in the commercial bulletin.
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
    /// The Union lists the company.
    ListedByUnion,
    /// The United States list the company.
    ListedByUnitedStates,
    /// Every entry of a list of sanctions that means the company is gone.
    Delisted,
}

impl Happening {
    /// Every kind.
    pub const ALL: [Self; 17] = [
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
        Self::ListedByUnion,
        Self::ListedByUnitedStates,
        Self::Delisted,
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
            Self::ListedByUnion => "listed-by-union",
            Self::ListedByUnitedStates => "listed-by-united-states",
            Self::Delisted => "delisted",
        }
    }

    /// Whether it can happen to the company as it is.
    pub(crate) fn applies_to(self, company: &Company) -> bool {
        match self {
            Self::ContractPublished
            | Self::TenderWon
            | Self::ContactChanged
            | Self::StatementFiled
            | Self::ExecutionAuthorized
            | Self::NoticePublished
            | Self::SupervisionGranted => true,
            Self::InsolvencyOpened => !proceedings::is_insolvent(company),
            Self::InsolvencyEnded => proceedings::is_insolvent(company),
            Self::ExecutionEnded => executions::is_enforced(company),
            Self::PartnerRegistered => !partners::is_partner(company),
            Self::PartnerErased => partners::is_partner(company),
            Self::OwnerReplaced => partners::is_partner(company),
            Self::SupervisionEnded => supervision::is_supervised(company),
            Self::ListedByUnion => !sanctions::is_listed(company, Some(List::Union)),
            Self::ListedByUnitedStates => !sanctions::is_listed(company, Some(List::Main)),
            Self::Delisted => sanctions::is_listed(company, None),
        }
    }
}

impl Serialize for Happening {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Happened {
    /// What.
    pub kind: Happening,
    /// The day.
    #[serde(with = "iso")]
    pub on: Date,
    /// Tells things of one kind and company apart; what a topic rolls for it, it rolls with this.
    #[serde(skip)]
    pub(crate) salt: u64,
}
