//! Expected values of the lists of European funds that are off by default.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use lustra_tests::register_simulator::population::Money;
use lustra_tests::register_simulator::population::funds::debts::{Debt, Debtor, Standing, debts};
use lustra_tests::register_simulator::population::funds::purchases::{contracts_of, purchases};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::funds;

/// The company whose contract the firewall blocks.
const BLOCKED: u32 = 5;

/// Expected values on a day with all lists on.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    let mut truth = funds::truth(population, company, day);
    let own = debts(company).into_iter();
    let own: Vec<Debt> = own.filter(|one| one.debtor == Debtor::Company).collect();
    let details = truth["unread"][0] == "project-details";
    let is_linked = |one: &Debt| {
        one.follows.is_some() || own.iter().any(|other| other.receivables.contains(&one.id))
    };
    // What is left out of the totals without a link is only suspected to be counted already.
    let is_suspected = |one: &Debt| one.is_repeated && !is_linked(one);
    let is_unknown = (own.iter()).any(|one| one.standing == Standing::Unknown || is_suspected(one));
    // Any company may be a supplier by the contract that is blocked.
    let has_gap = population.len() > BLOCKED;
    let unread = [
        (details, "project-details"),
        (is_unknown, "irregularities"),
        (has_gap, "procurement"),
    ];
    let unread = unread.iter().filter(|(is_unread, _)| *is_unread);
    truth["unread"] = unread.map(|(_, source)| json!(source)).collect();
    truth["irregularities"] = irregularities(own);
    truth["procurement"] = procurement(population, company, day);
    truth
}

/// An amount in EUR.
fn euros(amount: Money) -> Value {
    let cents = u32::try_from(amount.0).expect("amounts of the simulator are small");
    json!(f64::from(cents) / 100.0)
}

fn sum(amounts: impl Iterator<Item = Money>) -> Value {
    euros(Money(amounts.map(|amount| amount.0).sum()))
}

fn irregularities(mut own: Vec<Debt>) -> Value {
    own.sort_by_key(|one| Reverse((one.since, one.is_receivable, one.id)));
    let counted = || {
        let is_counted = |one: &&Debt| one.standing != Standing::NoDebt && !one.is_repeated;
        own.iter().filter(is_counted)
    };
    let is_settled = |one: &&Debt| one.standing == Standing::Settled;
    json!({
        "count": own.len(),
        "open": own.len() - own.iter().filter(is_settled).count(),
        "total_amount": sum(counted().map(|one| one.amount.unwrap_or(one.to_recover))),
        "total_recovered": sum(counted().filter_map(|one| one.recovered)),
        "total_outstanding": sum(counted().map(Debt::outstanding)),
        "currency": "EUR",
        "entries": own.iter().map(entry).collect::<Vec<_>>(),
    })
}

fn entry(one: &Debt) -> Value {
    let project = one.project.as_ref();
    let (kind, category) = if one.is_receivable {
        ("receivable", "PD_K_PROJEKTU")
    } else {
        ("irregularity", "INDIVIDUALNA_NEZROVNALOST")
    };
    json!({
        "kind": kind,
        "code": one.code,
        "status": one.status,
        "settled": one.standing == Standing::Settled,
        "project_code": project.map(|project| &project.code),
        "project_name": project.map(|project| project.name),
        "irregularity_type": (!one.is_receivable).then_some("Neoprávnené výdavky"),
        "category": category,
        "document_type": one.is_receivable.then_some("ZOVFP"),
        "eu_budget_impact": one.has_impact,
        "systemic": one.is_systemic,
        "amount": one.amount.map(euros),
        "to_recover": euros(one.to_recover),
        "recovered": one.recovered.map(euros),
        "outstanding": euros(one.outstanding()),
        "detected_at": one.since.to_string(),
        "due_at": one.due.map(|day| day.to_string()),
    })
}

fn procurement(population: &Population, company: &Company, day: u32) -> Value {
    let bought = purchases(population, company).into_iter();
    let awarded = contracts_of(population, company, day);
    let values = awarded
        .iter()
        .map(|(code, contract)| Some((code, contract.value()?)));
    // One amount may stand at several contracts of a procurement.
    let values: Option<BTreeSet<_>> = values.collect();
    let values = values.filter(|values| !values.is_empty());
    json!({
        "count": bought.filter(|one| !one.is_withdrawn).count(),
        "awarded": awarded.len(),
        "total_awarded_value": values.map(|values| sum(values.into_iter().map(|(_, value)| value))),
        "currency": "EUR",
    })
}
