//! Expected values for European funds of the period 2021 to 2027.

use lustra_tests::register_simulator::population::Money;
use lustra_tests::register_simulator::population::funds::{
    Application, FundsProject, Part, applications_of, projects_of,
};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use super::contracts::known;
use super::{list, picked};

/// Number of shown projects and applications.
const LATEST: usize = 25;

/// Expected values on a day.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    let mut projects = projects_of(population, company, day);
    projects.sort_by_key(|(_, one, _)| std::cmp::Reverse((one.effective.or(one.started), one.id)));
    let mut applications = applications_of(population, company, day);
    applications.sort_by_key(|(_, one, _)| std::cmp::Reverse((one.submitted, one.id)));
    let own = || projects.iter().filter(|(_, _, part)| *part == Part::Owner);
    let applied = || {
        applications
            .iter()
            .filter(|(_, _, part)| *part == Part::Owner)
    };
    let cents = |amount: Option<Money>| amount.map_or(0, |amount| amount.0);
    let paid = |one: &FundsProject| {
        if one.is_blocked {
            0
        } else {
            cents(one.disbursed)
        }
    };
    let is_negative = |one: &FundsProject| one.excluded || one.terminated;
    let approved = applications
        .iter()
        .filter(|(_, one, _)| one.approved)
        .count();
    let mut unread = vec!["irregularities", "procurement"];
    if projects.iter().any(|(_, one, _)| one.is_blocked) {
        unread.insert(0, "project-details");
    }
    json!({
        "projects": {
            "count": projects.len(),
            "contracted_cents": own().map(|(_, one, _)| cents(one.total)).sum::<u64>(),
            "disbursed_cents": own().map(|(_, one, _)| paid(one)).sum::<u64>(),
            "currency": "EUR",
            "negative_outcomes": projects.iter().filter(|(_, one, _)| is_negative(one)).count(),
            "latest": projects.iter().take(LATEST).map(|row| project(population, row)).collect::<Vec<_>>(),
        },
        "applications": {
            "count": applications.len(),
            "approved": approved,
            "rejected": applications.len() - approved,
            "requested_cents": applied().map(|(_, one, _)| one.requested_nfp.0).sum::<u64>(),
            "approved_cents": applied().map(|(_, one, _)| cents(one.approved_nfp)).sum::<u64>(),
            "currency": "EUR",
            "latest": applications.iter().take(LATEST).map(|row| application(population, row)).collect::<Vec<_>>(),
        },
        "irregularities": {
            "count": 0, "open": 0, "total_amount": 0.0, "total_recovered": 0.0, "total_outstanding": 0.0, "currency": "EUR",
            "entries": [],
        },
        "procurement": { "count": 0, "awarded": 0, "total_awarded_value": null, "currency": "EUR" },
        "unread": unread,
    })
}

/// The register does not follow changes of names after the first day.
fn name(population: &Population, owner: &Company) -> String {
    population.company(owner.index, 0).name().to_owned()
}

fn project(population: &Population, (owner, one, part): &(Company, FundsProject, Part)) -> Value {
    let read = !one.is_blocked;
    let cents = |amount: Option<Money>| amount.map(|amount| amount.0);
    let recipient = if one.is_foreign {
        ("Příkladová doprava, a. s.".to_owned(), None)
    } else {
        (name(population, owner), Some(&owner.ico))
    };
    json!({
        "code": one.code,
        "name": one.name,
        "role": match part {
            Part::Owner => "recipient",
            Part::Partner => "partner",
            Part::Supplier => "supplier",
        },
        "status": one.status,
        "program": one.call.program,
        "call_code": one.call.code,
        "provider": if read { one.call.organ } else { one.call.provider },
        "recipient": recipient.0,
        "recipient_ico": recipient.1,
        "place": one.town.filter(|_| read).unwrap_or(one.region),
        "in_progress": one.in_progress,
        "completed": one.completed,
        "suspended": one.suspended,
        "excluded_from_funding": one.excluded,
        "terminated_without_contribution": one.terminated,
        "contracted_total": cents(one.total),
        "contracted_nfp": cents(one.nfp.filter(|_| read)),
        "disbursed": cents(one.disbursed.filter(|_| read)),
        "contract_effective_at": one.effective.map(|day| day.to_string()),
        "started_at": one.started.map(|day| day.to_string()),
        "planned_end_at": one.planned_end.filter(|_| read).map(|day| day.to_string()),
        "detail_url": format!("https://api.itms21.sk/public/v1/projekt/id/{}", one.id),
    })
}

fn application(
    population: &Population,
    (owner, one, part): &(Company, Application, Part),
) -> Value {
    let is_own = *part == Part::Owner;
    json!({
        "code": one.code,
        "name": one.name,
        "role": if is_own { "applicant" } else { "partner" },
        "status": one.status,
        "call_code": one.call.code,
        "call_name": one.call.name,
        "applicant": name(population, owner),
        "applicant_ico": owner.ico,
        "approved": one.approved,
        "rejected": !one.approved,
        "excluded_from_funding": one.excluded,
        "requested_nfp": one.requested_nfp.0,
        "requested_total": one.requested_total.0,
        "approved_nfp": one.approved_nfp.map(|amount| amount.0),
        "approved_total": one.approved_total.map(|amount| amount.0),
        "submitted_at": one.submitted.to_string(),
        "detail_url": format!("https://api.itms21.sk/public/v1/zonfp/id/{}", one.id),
    })
}

/// The same values, extracted from a response's `data`. Amounts of `latest` are in cents.
pub fn reported(data: &Value) -> Value {
    let section = &data["itms21"];
    let block = |name: &str, totals: [(&str, &str); 2], members: &[&str], amounts: &[&str]| {
        let block = &section[name];
        let mut reported = picked(block, members);
        for (member, cents) in totals {
            reported[cents] = known(&block[member]);
        }
        let latest = list(&block["latest"]).map(|one| {
            let mut one = one.clone();
            for amount in amounts {
                one[*amount] = known(&one[*amount]);
            }
            one
        });
        reported["latest"] = latest.collect();
        reported
    };
    let unread = list(&section["unread"]).map(|one| one["source"].clone());
    json!({
        "projects": block(
            "projects",
            [("total_contracted", "contracted_cents"), ("total_disbursed", "disbursed_cents")],
            &["count", "currency", "negative_outcomes"],
            &["contracted_total", "contracted_nfp", "disbursed"],
        ),
        "applications": block(
            "applications",
            [("total_requested_nfp", "requested_cents"), ("total_approved_nfp", "approved_cents")],
            &["count", "approved", "rejected", "currency"],
            &["requested_nfp", "requested_total", "approved_nfp", "approved_total"],
        ),
        "irregularities": section["irregularities"],
        "procurement": section["procurement"],
        "unread": unread.collect::<Vec<_>>(),
    })
}
