//! What can happen to a company in the registers that keep a history of their own.
//!
//! A company remembers that it happened; the topics beside this file say what follows from it.

use serde::Serialize;
use time::Date;

use super::calendar::iso;
use super::company::Company;
use super::{executions, partners, proceedings, procurement, supervision};

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
    /// Every kind.
    pub const ALL: [Self; 20] = [
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
            Self::Debarred => "debarred",
            Self::DebarmentLifted => "debarment-lifted",
            Self::SupplierEntered => "supplier-entered",
            Self::SupplierStruckOff => "supplier-struck-off",
            Self::ProfileMade => "profile-made",
            Self::ReferenceMade => "reference-made",
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
            | Self::SupervisionGranted
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
