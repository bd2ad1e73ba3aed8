//! Every monitored change raises its events: each possible change in the registers, and what follows.

use std::collections::BTreeSet;

use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::{Receiver, World};
use serde_json::json;

/// The event kinds and the `company.updated` fields that a change must raise at least.
fn expected(kind: ChangeKind) -> (&'static [&'static str], &'static str) {
    match kind {
        ChangeKind::OfficerReplaced | ChangeKind::OfficerJoined | ChangeKind::OfficerLeft => {
            (&["company.updated", "officers.changed"], "statutory_body")
        }
        ChangeKind::SeatMoved => (&["company.updated", "address.changed"], "address"),
        ChangeKind::NameChanged | ChangeKind::BankruptcyDeclared => (&["company.updated"], "name"),
        ChangeKind::LegalFormChanged => (&["company.updated"], "legal_form"),
        ChangeKind::CapitalRaised => (&["company.updated"], "registered_capital"),
        ChangeKind::ShareholderReplaced => (&["company.updated"], "shareholders"),
        ChangeKind::ActivityAdded => (&["company.updated"], "business_activities"),
        ChangeKind::LiquidationEntered => (&["company.updated", "officers.changed"], "liquidators"),
        ChangeKind::Terminated => (&["company.updated"], "status"),
        ChangeKind::VatRegistered => (&["company.updated"], "tax.is_vat_payer"),
        ChangeKind::VatErased => (&["company.updated"], "tax.is_vat_payer"),
        ChangeKind::VatReasonsPublished => (
            &["company.updated"],
            "erased_vat.is_listed_for_cancellation",
        ),
        ChangeKind::ReliabilityChanged => (&["company.updated"], "tax_reliability.index"),
        ChangeKind::AccountAdded => (&["company.updated"], "bank_accounts"),
        ChangeKind::DebtorAppeared(_) => (
            &["company.updated", "debtor.added"],
            "debtor_status.sources",
        ),
        ChangeKind::DebtorAmountChanged(_) | ChangeKind::DebtorCleared(_) => {
            (&["company.updated"], "debtor_status.sources")
        }
        ChangeKind::Happened(happening) => expected_of(happening),
    }
}

/// The same for changes in registers that keep a history.
fn expected_of(happening: Happening) -> (&'static [&'static str], &'static str) {
    match happening {
        Happening::ContractPublished => (&["company.updated"], "public_contracts_summary.latest"),
        Happening::TenderWon => (&["company.updated"], "procurement_summary.latest"),
        Happening::ContactChanged => (&["company.updated"], "contacts.email"),
        Happening::StatementFiled => (&["company.updated"], "financial_statements.statements"),
        Happening::InsolvencyOpened => (
            &["company.updated", "insolvency.opened"],
            "insolvency.proceedings",
        ),
        Happening::InsolvencyEnded => (&["company.updated"], "insolvency.proceedings"),
        Happening::ExecutionAuthorized | Happening::ExecutionEnded => (
            &["company.updated"],
            "execution_authorizations.authorizations",
        ),
        Happening::NoticePublished => (&["company.updated"], "commercial_bulletin.latest_entries"),
        Happening::PartnerRegistered | Happening::PartnerErased => {
            (&["company.updated"], "rpvs.registrations")
        }
        Happening::OwnerReplaced => (&["company.updated"], "rpvs.registrations"),
        Happening::SupervisionGranted | Happening::SupervisionEnded => {
            (&["company.updated"], "nbs.licences")
        }
        Happening::TradeSuspended | Happening::TradeResumed | Happening::TradeEnded => {
            (&["company.updated"], "trade_license_activities")
        }
        Happening::AdministratorRegistered => (
            &["insolvency_administrator.updated"],
            "replik_administrator",
        ),
        Happening::AdministratorStruckOff => (
            &["insolvency_administrator.updated"],
            "replik_administrator.status",
        ),
        Happening::EstablishmentApproved | Happening::EstablishmentWithdrawn => {
            (&["company.updated"], "svps_establishments")
        }
        Happening::IllegalEmploymentFined | Happening::IllegalEmploymentErased => {
            (&["company.updated"], "illegal_employment.entries")
        }
        Happening::ListedByUnion => (&["sanctions.match"], "sanctions.eu_fsf_hits"),
        Happening::ListedByUnitedStates => (&["sanctions.match"], "sanctions.ofac_hits"),
        Happening::Delisted => (&["company.updated"], "sanctions.eu_fsf_hits"),
        Happening::LeiLapsed => (&["gleif.updated"], "gleif.registration_status"),
        Happening::LeiRenewed => (&["gleif.updated"], "gleif.registration_status"),
        Happening::LeiParentReplaced => (&["gleif.updated"], "gleif.parent_lei"),
        Happening::UnionNoticePublished => (&["ted_tender.published"], "ted_tenders.latest"),
        Happening::DecisionPublished => (&["company.updated"], "court_decisions.total"),
        Happening::ProjectPublished => (&["company.updated"], "crp_projects.latest"),
        Happening::FundsContracted => (&["itms21.updated"], "itms21.projects"),
        Happening::Debarred | Happening::DebarmentLifted => {
            (&["debarred.updated"], "debarred.bans")
        }
        Happening::SupplierEntered | Happening::SupplierStruckOff => {
            (&["qualified_supplier.updated"], "reges.registrations")
        }
        Happening::ProfileMade => (
            &["contracting_authority.updated"],
            "contracting_authority.profiles",
        ),
        Happening::ReferenceMade => (&["uvo_references.updated"], "uvo_references.latest"),
        Happening::TaxesPublished => (&["company.updated"], "fs.dphno"),
        Happening::ReliefClaimed => (&["company.updated"], "fs.regulated"),
    }
}

/// Whether few companies qualify: only traders suspend trades, and few companies can be delisted.
fn is_of_few(kind: &ChangeKind) -> bool {
    matches!(
        kind,
        ChangeKind::Happened(
            Happening::TradeSuspended
                | Happening::TradeResumed
                | Happening::TradeEnded
                | Happening::AdministratorStruckOff
                | Happening::EstablishmentWithdrawn
                | Happening::IllegalEmploymentErased
                | Happening::Delisted
                | Happening::LeiLapsed
                | Happening::LeiRenewed
                | Happening::LeiParentReplaced
                | Happening::SupplierStruckOff
        )
    )
}

#[tokio::test]
async fn every_possible_change_raises_its_events() {
    // A part that cannot be read in time on a busy machine is read again at once: without a first reading of a hit, its
    // removal is no change.
    let world = World::new()
        .companies(400)
        .settings(|config| config.freshness.failed_retry_seconds = 0);
    let world = world.start().await;
    let receiver = Receiver::start().await;
    let population = world.simulator.population();
    let tomorrow = world.simulator.clock().day() + 1;
    // Each change gets its own company, so that changes do not hide each other.
    let mut taken = BTreeSet::new();
    let mut happening = Vec::new();
    // Changes that few companies qualify for choose first.
    let (few, many): (Vec<ChangeKind>, Vec<ChangeKind>) =
        ChangeKind::all().into_iter().partition(is_of_few);
    // Lifting a ban requires an imposed ban; the scope's tests cover both.
    let is_first = |kind: &ChangeKind| *kind != ChangeKind::Happened(Happening::DebarmentLifted);
    for kind in few.into_iter().chain(many).filter(is_first) {
        let index = (0..400).find(|index| {
            let company = population.company(*index, tomorrow);
            let is_limited = company.current_capital().is_some() || is_of_few(&kind);
            !taken.contains(index)
                && is_limited
                && company == population.company(*index, tomorrow - 1)
                && population.force(*index, tomorrow, kind)
        });
        // An existing debt can change and a missing one can appear, so some company qualifies.
        let index = index.unwrap_or_else(|| panic!("{kind:?} can happen to no company"));
        taken.insert(index);
        happening.push((kind, population.ico(index)));
    }
    for (_, ico) in &happening {
        let body = json!({ "ico": ico, "webhook_url": receiver.url() });
        assert_eq!(world.post("/v1/notifications", &body).await.status, 201);
    }
    world.propagate_changes().await;
    // Discards the first hits of the first readings.
    drop(receiver.take());
    world.advance(1);
    world.propagate_changes().await;
    // Some lists, such as the tax authority's debtors, are published monthly.
    world.advance(31);
    world.propagate_changes().await;
    let reported = receiver.take();
    let mut missing = Vec::new();
    for (kind, ico) in &happening {
        let (kinds, field) = expected(*kind);
        let of_company: Vec<_> = reported
            .iter()
            .map(lustra_tests::Received::json)
            .filter(|notice| notice["data"]["ico"] == ico.as_str())
            .collect();
        let fields: BTreeSet<&str> = of_company
            .iter()
            .filter_map(|notice| notice["data"]["field"].as_str())
            // An event for any change lists all changed fields.
            .flat_map(|fields| fields.split(", "))
            .collect();
        let of_kinds: BTreeSet<&str> = of_company
            .iter()
            .filter_map(|notice| notice["event"].as_str())
            .collect();
        // A company is delisted from any list that it is on.
        let is_delisted = *kind == ChangeKind::Happened(Happening::Delisted)
            && fields.contains("sanctions.ofac_hits");
        let is_named = fields.contains(field) || is_delisted;
        if !is_named || kinds.iter().any(|kind| !of_kinds.contains(kind)) {
            missing.push(format!("{kind:?} of {ico}: {of_kinds:?} {fields:?}"));
        }
    }
    assert_eq!(missing, [] as [String; 0]);
    world.end().await;
}
