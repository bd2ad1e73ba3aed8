//! Expected values for public procurements that a company won, and its contacts.

use std::collections::BTreeMap;

use lustra_tests::register_simulator::population::tenders::{
    self, Award, ContactKind, Form, Published,
};
use lustra_tests::register_simulator::population::{LegalForm, Money};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

/// Expected values on a day.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    json!({
        "procurement_summary": procurement(population, company, day),
        "contacts": contacts(population, company, day),
        "unread": unread(population, company, day),
    })
}

/// Why each section is not complete. Notices in XML are not read, but their companies are known.
fn unread(population: &Population, company: &Company, day: u32) -> Value {
    match tenders::xml_notices(population, company, day) {
        0 => json!([[], []]),
        notices => {
            let why = format!(
                "truncated: notices that name the company and could not be read: {notices}"
            );
            json!([[why], [why]])
        }
    }
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let mut sections = [
        with_plain_numbers(&data["procurement_summary"]),
        data["contacts"].clone(),
    ];
    let unread: Vec<Value> = sections.iter_mut().map(take_unread).collect();
    let [summary, contacts] = sections;
    json!({ "procurement_summary": summary, "contacts": contacts, "unread": unread })
}

/// Removes the sources that a section could not read, and returns why.
fn take_unread(section: &mut Value) -> Value {
    let unread = section
        .as_object_mut()
        .and_then(|members| members.remove("unread"));
    let unread = unread.unwrap_or_default();
    let whys = unread.as_array().into_iter().flatten();
    whys.map(|source| source["why"].clone()).collect()
}

/// Makes `50` and `50.0` equal.
fn with_plain_numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(with_plain_numbers).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), with_plain_numbers(member)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

fn procurement(population: &Population, company: &Company, day: u32) -> Value {
    let awards = tenders::awards(population, company, day);
    let mut sums: BTreeMap<&str, (u32, u64)> = BTreeMap::new();
    for lot in awards.iter().map(Award::facts) {
        if let Some(value) = lot.value {
            let (count, total) = sums.entry(lot.currency).or_default();
            *count += 1;
            *total += value.0;
        }
    }
    let euros = sums.remove("EUR").map(|(_, total)| total);
    let euros = euros.or(awards.is_empty().then_some(0));
    let others: Vec<Value> = sums
        .into_iter()
        .map(|(currency, (count, total))| {
            json!({ "currency": currency, "count": count, "total": units(Money(total)) })
        })
        .collect();
    let issues = tenders::issues(population, day);
    let day_of = |issue: Option<&tenders::Issue>| issue.map(|issue| issue.published.to_string());
    let summary = json!({
        "count": awards.len(),
        "total_awarded_value": euros.map(|euros| units(Money(euros))),
        "currency": "EUR",
        "other_currencies": others,
        "without_amount": awards.iter().filter(|award| award.facts().value.is_none()).count(),
        "joint": awards.iter().filter(|award| award.facts().winners.len() > 1).count(),
        "latest": awards.iter().take(10).map(|award| shown(population, award)).collect::<Vec<_>>(),
        "since": day_of(issues.first()),
        "until": day_of(issues.last()),
    });
    with_plain_numbers(&summary)
}

/// Whole units with decimals.
#[expect(
    clippy::cast_precision_loss,
    reason = "the simulator's amounts are far below 2^53 cents"
)]
fn units(money: Money) -> f64 {
    money.0 as f64 / 100.0
}

fn shown(population: &Population, award: &Award) -> Value {
    let (notice, lot) = (&award.notice, award.facts());
    let buyer = notice.buyer.who;
    json!({
        "notice_id": notice.id.to_string(),
        "title": notice.title,
        "lot": format!("LOT-{:04}", award.lot + 1),
        "buyer": {
            "name": tenders::name_of(population, buyer, award.published),
            "ico": tenders::ico_of(buyer),
        },
        "value": lot.value.map(units),
        "currency": lot.value.map(|_| lot.currency),
        "cpv": notice.cpv,
        "contract_date": lot.contract.map(|date| date.to_string()),
        "contract_url": lot.contract.map(|_| tenders::contract_url(notice, award.lot)),
        "published_at": award.published.to_string(),
        "url": format!("https://www.uvo.gov.sk/vyhladavanie/vyhladavanie-zakaziek/detail/{}", notice.order),
    })
}

fn contacts(population: &Population, company: &Company, day: u32) -> Value {
    // Contacts of a sole trader are personal data.
    if company.legal_form == LegalForm::Trader {
        return json!({
            "email": [], "phone": [], "website": [], "sources": [], "withheld": "natural-person",
        });
    }
    let all = tenders::contacts(population, company, day);
    let of = |kind: ContactKind| -> Vec<&str> {
        let own = all.iter().filter(|contact| contact.kind == kind);
        own.map(|contact| contact.value.as_str()).collect()
    };
    json!({
        "email": of(ContactKind::Email),
        "phone": of(ContactKind::Phone),
        "website": of(ContactKind::Website),
        "sources": all.iter().map(source).collect::<Vec<_>>(),
    })
}

fn source(contact: &Published) -> Value {
    let kind = match contact.kind {
        ContactKind::Email => "email",
        ContactKind::Phone => "phone",
        ContactKind::Website => "website",
    };
    let context = match contact.form {
        Form::Result => "Oznámenie o výsledku verejného obstarávania (D24)",
        Form::NationalResult => "Informácia o výsledku verejného obstarávania (VST)",
        Form::Correction => "Oprava – Oznámenie o výsledku verejného obstarávania (D24)",
        Form::Planning => "Predbežné oznámenie (D04)",
        Form::Competition => "Oznámenie o vyhlásení verejného obstarávania (D16)",
        Form::ContractChange => "Oznámenie o zmene zmluvy (D38)",
    };
    let issue = &contact.issue;
    json!({
        "kind": kind,
        "value": contact.value,
        "source": format!(
            "Vestník verejného obstarávania {}/{}, oznámenie {}",
            issue.number,
            issue.published.year(),
            contact.notice
        ),
        "observed_on": issue.published.to_string(),
        "context": context,
    })
}
