//! The scripted changes of the showcase companies in the first days.

use super::change::ChangeKind;
use super::company::DebtorList;
use super::happening::Happening;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptedChange {
    /// The simulated day, counted from the start; 1 is the first day after it.
    pub day: u32,
    /// The place of the company in the showcase, which is also its index.
    pub showcase: usize,
    pub kind: ChangeKind,
}

const fn on(day: u32, showcase: usize, kind: ChangeKind) -> ScriptedChange {
    ScriptedChange {
        day,
        showcase,
        kind,
    }
}

/// The scripted changes, by day.
pub fn script() -> &'static [ScriptedChange] {
    use ChangeKind as Kind;
    const SCRIPT: &[ScriptedChange] = &[
        on(1, 0, Kind::OfficerReplaced),
        on(2, 1, Kind::SeatMoved),
        on(3, 2, Kind::DebtorAppeared(DebtorList::Socpoist)),
        on(3, 6, Kind::DebtorAppeared(DebtorList::Tax)),
        on(4, 0, Kind::CapitalRaised),
        on(4, 7, Kind::VatRegistered),
        on(4, 8, Kind::DebtorAppeared(DebtorList::Vszp)),
        on(5, 10, Kind::LiquidationEntered),
        on(5, 3, Kind::ActivityAdded),
        on(5, 5, Kind::DebtorAmountChanged(DebtorList::Socpoist)),
        on(5, 9, Kind::DebtorAppeared(DebtorList::Dovera)),
        on(6, 2, Kind::VatErased),
        on(6, 8, Kind::ReliabilityChanged),
        on(6, 5, Kind::DebtorAmountChanged(DebtorList::Tax)),
        on(6, 11, Kind::DebtorAppeared(DebtorList::Union)),
        on(6, 11, Kind::Happened(Happening::AdministratorStruckOff)),
        on(7, 5, Kind::DebtorCleared(DebtorList::Tax)),
        on(7, 5, Kind::DebtorCleared(DebtorList::Vszp)),
        on(7, 5, Kind::DebtorAmountChanged(DebtorList::Union)),
        on(7, 0, Kind::AccountAdded),
        on(8, 11, Kind::OfficerJoined),
        on(8, 7, Kind::NameChanged),
        on(8, 5, Kind::DebtorAmountChanged(DebtorList::Dovera)),
        on(9, 1, Kind::VatReasonsPublished),
        on(9, 11, Kind::OfficerLeft),
        on(9, 0, Kind::ShareholderReplaced),
        on(9, 5, Kind::DebtorCleared(DebtorList::Socpoist)),
        on(9, 8, Kind::DebtorAmountChanged(DebtorList::Vszp)),
        on(9, 5, Kind::DebtorCleared(DebtorList::Union)),
        on(9, 5, Kind::DebtorCleared(DebtorList::Dovera)),
        on(10, 9, Kind::BankruptcyDeclared),
        on(10, 5, Kind::Terminated),
        on(10, 3, Kind::Happened(Happening::TradeResumed)),
        on(11, 0, Kind::Happened(Happening::ContractPublished)),
        on(11, 8, Kind::Happened(Happening::SupervisionGranted)),
        on(12, 0, Kind::Happened(Happening::TenderWon)),
        on(12, 6, Kind::Happened(Happening::ContactChanged)),
        on(12, 11, Kind::Happened(Happening::EstablishmentApproved)),
        on(13, 1, Kind::Happened(Happening::StatementFiled)),
        on(13, 2, Kind::Happened(Happening::ExecutionAuthorized)),
        on(14, 2, Kind::Happened(Happening::InsolvencyOpened)),
        on(14, 3, Kind::Happened(Happening::TradeSuspended)),
        on(15, 10, Kind::Happened(Happening::NoticePublished)),
        on(15, 0, Kind::Happened(Happening::OwnerReplaced)),
        on(16, 11, Kind::Happened(Happening::PartnerRegistered)),
        on(16, 11, Kind::Happened(Happening::IllegalEmploymentFined)),
        on(16, 8, Kind::Happened(Happening::ListedByUnion)),
        on(16, 7, Kind::Happened(Happening::LeiLapsed)),
        on(16, 7, Kind::Happened(Happening::Debarred)),
        on(17, 1, Kind::Happened(Happening::PartnerErased)),
        on(17, 11, Kind::Happened(Happening::EstablishmentWithdrawn)),
        on(17, 8, Kind::Happened(Happening::TaxesPublished)),
        on(17, 2, Kind::Happened(Happening::ListedByUnitedStates)),
        on(17, 0, Kind::Happened(Happening::LeiParentReplaced)),
        on(17, 3, Kind::Happened(Happening::SupplierEntered)),
        on(18, 2, Kind::Happened(Happening::ExecutionEnded)),
        on(18, 6, Kind::Happened(Happening::ReliefClaimed)),
        on(18, 7, Kind::Happened(Happening::LeiRenewed)),
        on(18, 9, Kind::Happened(Happening::ReferenceMade)),
        on(18, 10, Kind::Happened(Happening::ProfileMade)),
        on(18, 3, Kind::Happened(Happening::TradeEnded)),
        on(19, 2, Kind::Happened(Happening::InsolvencyEnded)),
        on(19, 11, Kind::Happened(Happening::IllegalEmploymentErased)),
        on(19, 8, Kind::Happened(Happening::Delisted)),
        on(19, 6, Kind::Happened(Happening::UnionNoticePublished)),
        on(19, 8, Kind::Happened(Happening::DecisionPublished)),
        on(19, 7, Kind::Happened(Happening::DebarmentLifted)),
        on(20, 8, Kind::Happened(Happening::SupervisionEnded)),
        on(20, 10, Kind::Happened(Happening::ProjectPublished)),
        on(20, 11, Kind::Happened(Happening::FundsContracted)),
        on(20, 6, Kind::Happened(Happening::AdministratorRegistered)),
        on(20, 3, Kind::Happened(Happening::SupplierStruckOff)),
        on(20, 7, Kind::LegalFormChanged),
    ];
    SCRIPT
}
