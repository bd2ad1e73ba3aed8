//! Expected values for the further lists of the tax authority.

use lustra_tests::register_simulator::Population;
use lustra_tests::register_simulator::population::tax_lists::{
    account_row_has_ico, assessments, branches, deductions, investments, office_account, patents,
    regimes, research, vat_number, vat_rows_have_ico, year,
};
use lustra_tests::register_simulator::population::{Company, Money};
use serde_json::{Value, json};

use super::{cents as cents_of, house, list};

const LISTS: [&str; 9] = [
    "dphno",
    "vat_regimes",
    "dphz",
    "dppos",
    "tax_office_accounts",
    "rd_deduction",
    "investment_deduction",
    "patent_box",
    "regulated",
];

const UNKNOWN: [&str; 3] = [
    "vat-registrations",
    "reliable-vat-payers",
    "tax-debtors-accounts",
];

/// Expected values on a day.
pub fn truth(_: &Population, company: &Company, _: u32) -> Value {
    // A row without an IČO is found by the tax number, which is known for registered companies.
    let is_registered = company.dic.is_some() && company.ending.is_none();
    let of_number = |names_ico: bool, rows: Value| {
        if names_ico || is_registered {
            rows
        } else {
            json!([])
        }
    };
    let deductions = deductions(company).into_iter().map(|one| {
        json!({ "period": one.period, "excess_eur": cents(one.excess), "own_tax_eur": cents(one.own_tax) })
    });
    let regimes = regimes(company).into_iter().map(|one| {
        json!({
            "ic_dph": vat_number(company),
            "started_at": one.since.to_string(),
            "ended_at": one.until.map(|until| until.to_string()),
        })
    });
    let assessments = assessments(company).into_iter().map(|one| {
        let (from, to) = year(one.year);
        json!({
            "period_from": from.to_string(),
            "period_to": to.to_string(),
            "tax_eur": cents(one.tax),
            "additional_tax_eur": cents(one.additional),
            "loss_eur": cents(one.loss),
        })
    });
    let seat = company.seat();
    let account = office_account(company).map(|iban| {
        json!({
            "name": company.name(),
            "bank_code": &iban[4..8],
            "iban": iban,
            "street": format!("{} {}", seat.street.as_deref().unwrap_or(seat.city), house(seat)),
            "city": seat.city,
            "postal_code": seat.postal_code.as_deref().map(|code| code.replace(' ', "")),
            "country": if seat.country_code == "703" { "Slovensko" } else { seat.country },
        })
    });
    let research = research(company).into_iter().map(|one| {
        json!({
            "period": one.period,
            "amount_eur": one.amount.0,
            "project": one.project,
            "started_at": one.since.to_string(),
        })
    });
    let investments = investments(company).into_iter().map(|one| {
        json!({
            "period": one.period,
            "amount_eur": one.amount.0,
            "investment_eur": one.invested.0,
            "percent_planned": one.percent,
        })
    });
    let patents = patents(company).into_iter().map(|one| {
        json!({
            "subtype": one.subtype,
            "period": one.period,
            "exemption_eur": one.exemption.0,
            "patent_text": one.patent,
        })
    });
    let branches = branches(company).into_iter().map(|one| {
        json!({
            "type": one.name,
            "from": one.from.to_string(),
            "to": one.to.map(|to| to.to_string()),
        })
    });
    json!({
        "dphno": of_number(vat_rows_have_ico(company), in_order(deductions)),
        "dpho": null,
        "vat_regimes": in_order(regimes),
        "dphz": in_order(company.vat.reasons.iter().filter(|_| company.vat.registration.is_some()).map(|reasons| {
            json!({ "year": reasons.year, "published_at": reasons.published.to_string() })
        })),
        "dppos": in_order(assessments),
        "dsrdp_registered": null,
        "dph_oud": null,
        "income_tax_registered": is_registered,
        "tax_office_accounts": of_number(account_row_has_ico(company), in_order(account.into_iter())),
        "rd_deduction": of_number(false, in_order(research)),
        "investment_deduction": in_order(investments),
        "patent_box": in_order(patents),
        "regulated": in_order(branches),
        "unread": [],
    })
}

fn cents(amount: Option<Money>) -> Value {
    amount.map_or(Value::Null, |amount| amount.0.into())
}

fn in_order(rows: impl Iterator<Item = Value>) -> Value {
    let mut rows: Vec<Value> = rows.collect();
    rows.sort_by_key(Value::to_string);
    rows.into()
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let mut section = data["fs"].clone();
    let Some(members) = section.as_object_mut() else {
        return section;
    };
    members.remove("sources");
    // Lists without a known source are always unread; no other list may be.
    let unread = list(&data["fs"]["unread"]).map(|unread| &unread["source"]);
    let known: Vec<&Value> = unread
        .filter(|source| !UNKNOWN.iter().any(|unknown| *source == unknown))
        .collect();
    members.insert("unread".to_owned(), json!(known));
    for name in LISTS {
        if members[name].is_array() {
            let rows = list(&data["fs"][name]).cloned().map(in_cents);
            members.insert(name.to_owned(), in_order(rows));
        }
    }
    section
}

/// Amounts in cents, from their decimal digits.
fn in_cents(mut row: Value) -> Value {
    for (name, value) in row.as_object_mut().into_iter().flatten() {
        if name.ends_with("_eur") && value.is_number() {
            *value = cents_of(value);
        }
    }
    row
}
