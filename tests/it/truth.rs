//! Expected responses, derived from the simulator's data by code that shares nothing with the connectors, and the
//! same values extracted from responses.

mod administrators;
mod contracts;
mod decisions;
mod executions;
mod fines;
mod leis;
mod lists;
mod notices;
mod partners;
mod proceedings;
mod procurement_bans;
mod projects;
pub mod statements;
mod supervision;
mod tax_lists;
mod tenders;
mod trades;
mod union_notices;

use lustra_tests::Answer;
use lustra_tests::World;
use lustra_tests::register_simulator::population::{
    Address, BANKS, DebtorList, Holder, Money, Officer, Reliability, Role, Shareholder,
    SourceRegister,
};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

use crate::support::at;

/// The index of the company for which the simulator's VIES never answers.
const VIES_IS_SILENT_ABOUT: u32 = 11;

/// The expected values of a topic for a company on a day.
type Truth = fn(&Population, &Company, u32) -> Value;

/// The values of a topic in a response.
type Told = fn(&Value) -> Value;

const TOPICS: &[(&str, Truth, Told)] = &[
    (
        "administrators",
        administrators::truth,
        administrators::told,
    ),
    ("contracts", contracts::truth, contracts::told),
    ("decisions", decisions::truth, decisions::told),
    ("executions", executions::truth, executions::told),
    ("lists", lists::truth, lists::told),
    ("fines", fines::truth, fines::told),
    ("leis", leis::truth, leis::told),
    ("notices", notices::truth, notices::told),
    ("partners", partners::truth, partners::told),
    ("proceedings", proceedings::truth, proceedings::told),
    ("projects", projects::truth, projects::told),
    (
        "procurement_bans",
        procurement_bans::truth,
        procurement_bans::told,
    ),
    ("statements", statements::truth, statements::told),
    ("supervision", supervision::truth, supervision::told),
    ("tax_lists", tax_lists::truth, tax_lists::told),
    ("tenders", tenders::truth, tenders::told),
    ("trades", trades::truth, trades::told),
    ("union_notices", union_notices::truth, union_notices::told),
];

/// The expected values for a company today.
pub fn truth_in(world: &World, company: &Company) -> Value {
    let day = world.simulator.clock().day();
    let mut truth = truth(company);
    for (topic, of, _) in TOPICS {
        truth[*topic] = of(world.simulator.population(), company, day);
    }
    truth
}

/// The expected values from registers that never change.
pub fn truth(company: &Company) -> Value {
    json!({
        "base": base(company),
        "details": details(company),
        "tax": tax(company),
        "tax_reliability": reliability(company),
        "erased_vat": erased_vat(company),
        "bank_accounts": sorted(company.bank_accounts.iter().map(|iban| account(iban)).collect()),
        "debts": debts(company),
    })
}

/// The values in a response with all scopes.
pub fn told(answer: &Answer) -> Value {
    let data = at(&answer.body, "/data");
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    let accounts = list(&data["bank_accounts"]);
    let accounts =
        accounts.map(|account| text(&account["iban"]) + " " + &text(&account["bank_name"]));
    let mut told = json!({
        "base": told_base(answer),
        "details": told_details(data),
        "tax": told_tax(&data["tax"]),
        "tax_reliability": data["tax_reliability"],
        "erased_vat": data["erased_vat"],
        "bank_accounts": sorted(accounts.collect()),
        "debts": told_debts(&data["debtor_status"]),
    });
    for (topic, _, of) in TOPICS {
        told[*topic] = of(data);
    }
    told
}

/// The values of the operator-supplied lists in a response.
pub fn told_of_lists(answer: &Answer) -> Value {
    lists::told(at(&answer.body, "/data"))
}

/// The base data in a response.
pub fn told_base(answer: &Answer) -> Value {
    let base = [
        "ico",
        "name",
        "legal_form",
        "legal_form_code",
        "address",
        "established_date",
        "terminated_date",
        "source_register",
        "status",
        "nace_code",
        "nace_description",
    ];
    picked(at(&answer.body, "/data"), &base)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn picked(value: &Value, names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| ((*name).to_owned(), value[*name].clone()))
        .collect()
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

/// An account and its bank, which only Slovak account numbers contain.
fn account(iban: &str) -> String {
    let code = iban.strip_prefix("SK").map(|digits| &digits[2..6]);
    let bank = BANKS.iter().find(|(own, _)| Some(*own) == code);
    format!("{iban} {}", bank.map_or("none", |(_, name)| name))
}

fn base(company: &Company) -> Value {
    let seat = company.seat();
    let is_active = company.ending.is_none();
    json!({
        "ico": company.ico,
        "name": company.name(),
        "legal_form": company.legal_form.text(),
        "legal_form_code": company.legal_form.code(),
        "address": {
            "street": match &seat.street {
                Some(street) => format!("{street} {}", house(seat)),
                None => house(seat),
            },
            "city": seat.city,
            "postal_code": seat.postal_code,
            "country": seat.country,
            "country_code": if seat.country_code == "703" { "SK" } else { "another" },
        },
        "established_date": company.established.to_string(),
        "terminated_date": company.ending.as_ref().map(|ending| ending.date.to_string()),
        "source_register": if company.source_register == SourceRegister::Commercial { "orsr" } else { "rpo" },
        "status": match &company.ending {
            None => "active",
            Some(ending) if ending.is_erased_error => "deleted",
            Some(_) => "terminated",
        },
        // The register has no activity for a company that has ended.
        "nace_code": is_active.then_some(if company.nace.is_old { company.nace.old_class } else { company.nace.class }),
        "nace_description": is_active.then_some(company.nace.title),
    })
}

/// As on an envelope: the building's registration number, a slash, the street number.
fn house(address: &Address) -> String {
    match (&address.building_number, address.reg_number) {
        (Some(number), 0) => number.clone(),
        (Some(number), registration) => format!("{registration}/{number}"),
        (None, registration) => registration.to_string(),
    }
}

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

fn details(company: &Company) -> Value {
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

fn told_details(data: &Value) -> Value {
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

fn tax(company: &Company) -> Value {
    let registration = company.vat.registration.as_ref();
    let vies = if company.index == VIES_IS_SILENT_ABOUT {
        json!("unread")
    } else {
        json!(true)
    };
    json!({
        // The authority's lists contain no ended companies.
        "dic": company.dic.as_ref().filter(|_| company.ending.is_none()),
        "ic_dph": company.ic_dph(),
        "is_vat_payer": registration.is_some_and(|registration| registration.kind.is_payer()),
        "registration_type": registration.map(|registration| registration.kind.text()),
        "registered_since": registration.map(|registration| registration.registered.to_string()),
        "vies_valid": registration.map(|_| vies),
    })
}

fn told_tax(tax: &Value) -> Value {
    let mut told = picked(
        tax,
        &[
            "dic",
            "ic_dph",
            "is_vat_payer",
            "registration_type",
            "registered_since",
            "vies_valid",
        ],
    );
    if list(&tax["unread"]).any(|unread| unread["source"] == "vies") {
        told["vies_valid"] = json!("unread");
    }
    told
}

fn reliability(company: &Company) -> Value {
    json!({
        "index": company.reliability.map(Reliability::text),
        "is_reliable": company.reliability.map(|index| index != Reliability::Low),
    })
}

fn erased_vat(company: &Company) -> Value {
    let entries = company.vat.erasure.iter().map(|erasure| {
        json!({
            "ic_dph": format!("SK{}", erasure.number),
            "violation_year": erasure.reasons.year,
            "erased_at": erasure.erased.to_string(),
            "reason": format!("Dôvody na zrušenie registrácie v roku {}", erasure.reasons.year),
            "published_at": erasure.reasons.published.to_string(),
        })
    });
    json!({
        "is_erased": company.vat.erasure.is_some(),
        "entries": entries.collect::<Vec<_>>(),
        "is_listed_for_cancellation": company.vat.reasons.is_some(),
    })
}

fn debts(company: &Company) -> Value {
    let name = |list| match list {
        DebtorList::Socpoist => "socialna_poistovna",
        DebtorList::Vszp => "vszp",
        DebtorList::Union => "union",
        DebtorList::Dovera => "dovera",
        DebtorList::Tax => "financna_sprava",
    };
    let owed = company
        .debts
        .iter()
        .map(|debt| (name(debt.list).to_owned(), json!(debt.amount.0)));
    json!({ "is_debtor": !company.debts.is_empty(), "cents": owed.collect::<serde_json::Map<_, _>>() })
}

fn told_debts(section: &Value) -> Value {
    let owed = list(&section["sources"]).map(|hit| {
        let source = hit["source"]
            .as_str()
            .expect("a hit says whose it is")
            .to_owned();
        (source, cents(&hit["debt_amount"]))
    });
    json!({ "is_debtor": section["is_debtor"], "cents": owed.collect::<serde_json::Map<_, _>>() })
}

/// The cents of a JSON number in EUR, from its decimal digits.
fn cents(amount: &Value) -> Value {
    let text = amount.to_string();
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{rest:0<2}")
        .parse::<u64>()
        .map_or_else(|_| amount.clone(), Value::from)
}
