//! Expected values for the details from the commercial register.

use lustra_tests::register_simulator::Company;
use lustra_tests::register_simulator::population::{
    Address, Holder, Money, Officer, Role, Shareholder,
};
use serde_json::{Value, json};

use super::{house, list, picked};

fn in_one_line(address: &Address) -> String {
    let street = address.street.as_deref().unwrap_or(address.city);
    let code = address.postal_code.as_deref().unwrap_or_default();
    if address.country_code == "703" {
        let (head, tail) = code.split_at(3);
        format!(
            "{street} {}, {head} {tail} {}",
            house(address),
            address.city
        )
    } else {
        format!(
            "{street} {}, {code} {}, {}",
            house(address),
            address.city,
            address.country
        )
    }
}

/// `6 640 EUR`, with cents only where there are some.
fn euros(money: Money) -> String {
    let whole = (money.0 / 100).to_string();
    let groups: Vec<&str> = whole
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits"))
        .collect();
    match money.0 % 100 {
        0 => format!("{} EUR", groups.join(" ")),
        cents => format!("{},{cents:02} EUR", groups.join(" ")),
    }
}

const DETAILS: [&str; 7] = [
    "orsr_id",
    "court",
    "section",
    "insert_number",
    "registration_date",
    "registered_capital",
    "registered_capital_paid",
];

const OFFICER: [&str; 9] = [
    "name",
    "role",
    "function",
    "address",
    "ico",
    "appointed_at",
    "effective_from",
    "effective_to",
    "current",
];

const SHAREHOLDER: [&str; 9] = [
    "name",
    "address",
    "share_amount",
    "share_paid",
    "share_percentage",
    "is_company",
    "ico",
    "effective_from",
    "current",
];

pub(super) fn details(company: &Company) -> Value {
    let Some(file) = &company.orsr else {
        return Value::Null;
    };
    let capital = company.current_capital();
    let activities: Vec<&str> = company
        .activities
        .iter()
        .filter(|activity| activity.until.is_none())
        .map(|activity| activity.text)
        .collect();
    let owners = company
        .shareholders
        .iter()
        .filter(|owner| owner.until.is_none());
    let deposits: u64 = owners
        .clone()
        .filter_map(|owner| owner.deposit)
        .map(|deposit| deposit.0)
        .sum();
    let of = |wanted: fn(Role) -> bool| -> Vec<Value> {
        let own = company
            .current_officers()
            .filter(|officer| wanted(officer.role));
        own.map(|own| officer(own, file.old_labels)).collect()
    };
    let mut details = json!({
        "orsr_id": format!("{}/{}", file.id, file.court),
        "court": company.registration_office,
        "section": file.section,
        "insert_number": format!("{}/{}", file.insert, file.letter),
        "registration_date": company.established.to_string(),
        "registered_capital": capital.map(|capital| euros(capital.registered)),
        "registered_capital_paid": capital.map(|capital| euros(capital.paid)),
    });
    details["business_activities"] = json!(activities);
    details["shareholders"] = owners
        .map(|owner| shareholder(owner, deposits, file.old_labels))
        .collect();
    details["statutory_body"] = of(Role::is_statutory).into();
    details["supervisory_board"] = of(|role| role == Role::Supervisor).into();
    details["procurators"] = of(|role| role == Role::Procurist).into();
    details["liquidators"] = of(|role| role == Role::Liquidator).into();
    details
}

pub(super) fn reported_details(data: &Value) -> Value {
    if data.get("orsr_id").is_none() {
        let of_register = DETAILS.iter().find(|name| data.get(**name).is_some());
        assert_eq!(of_register, None, "details without the register's id");
        return Value::Null;
    }
    let mut details = picked(data, &DETAILS);
    // The register prints a mark before some activities; the simulator's text does not contain it.
    let activities = list(&data["business_activities"]).filter_map(Value::as_str);
    details["business_activities"] = activities
        .map(|activity| activity.trim_start_matches("(c) "))
        .collect();
    details["shareholders"] = list(&data["shareholders"])
        .map(|owner| picked(owner, &SHAREHOLDER))
        .collect();
    for organ in [
        "statutory_body",
        "supervisory_board",
        "procurators",
        "liquidators",
    ] {
        details[organ] = list(&data[organ])
            .map(|officer| picked(officer, &OFFICER))
            .collect();
    }
    details
}

/// Pages with the labels of 2020 omit a company's number.
fn ico(holder: &Holder, has_old_labels: bool) -> Option<&str> {
    match holder {
        Holder::Company { ico, .. } if !has_old_labels => ico.as_deref(),
        Holder::Company { .. } | Holder::Person(_) => None,
    }
}

fn officer(officer: &Officer, has_old_labels: bool) -> Value {
    let function = match officer.role {
        Role::BoardChair => Some("predseda predstavenstva"),
        Role::BoardMember => Some("člen predstavenstva"),
        Role::Chair => Some("predseda"),
        Role::Manager
        | Role::Partner
        | Role::Trader
        | Role::Supervisor
        | Role::Procurist
        | Role::Liquidator => None,
    };
    let role = match officer.role {
        // For the chair of a cooperative's board, the register prints only `predseda`.
        Role::BoardChair | Role::Chair => "predseda predstavenstva",
        Role::BoardMember => "člen predstavenstva",
        Role::Manager => "konateľ",
        Role::Partner => "spoločník",
        Role::Trader => "podnikateľ",
        Role::Supervisor => "člen dozornej rady",
        Role::Procurist => "prokurista",
        Role::Liquidator => "likvidátor",
    };
    // Partners represent their partnership as partners, without a start of office.
    let has_office = officer.role != Role::Partner;
    json!({
        "name": officer.holder.name(),
        "role": role,
        "function": function,
        "address": in_one_line(&officer.address),
        "ico": ico(&officer.holder, has_old_labels),
        "appointed_at": has_office.then(|| officer.since.to_string()),
        "effective_from": officer.since.to_string(),
        "effective_to": officer.term_until.map(|until| until.to_string()),
        "current": true,
    })
}

fn shareholder(owner: &Shareholder, deposits: u64, has_old_labels: bool) -> Value {
    // In hundredths of a percent, rounded to the nearest.
    let share = |deposit: Money| (deposit.0 * 10_000 + deposits / 2) / deposits;
    json!({
        "name": owner.holder.name(),
        "address": in_one_line(&owner.address),
        "share_amount": owner.deposit.map(euros),
        "share_paid": owner.deposit.and(owner.paid).map(euros),
        "share_percentage": owner.deposit.map(share).map(|share| format!("{}.{:02}", share / 100, share % 100)),
        "is_company": matches!(owner.holder, Holder::Company { .. }),
        "ico": ico(&owner.holder, has_old_labels),
        "effective_from": owner.since.to_string(),
        "current": true,
    })
}
