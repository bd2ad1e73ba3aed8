//! Expected values for VAT, tax reliability and debts.

use lustra_tests::register_simulator::Company;
use lustra_tests::register_simulator::population::{DebtorList, Reliability};
use serde_json::{Value, json};

use super::{cents, list, picked};

/// The index of the company for which the simulator's VIES never answers.
const VIES_IS_SILENT_ABOUT: u32 = 11;

pub(super) fn tax(company: &Company) -> Value {
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

pub(super) fn reported_tax(tax: &Value) -> Value {
    let mut reported = picked(
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
        reported["vies_valid"] = json!("unread");
    }
    reported
}

pub(super) fn reliability(company: &Company) -> Value {
    json!({
        "index": company.reliability.map(Reliability::text),
        "is_reliable": company.reliability.map(|index| index != Reliability::Low),
    })
}

pub(super) fn erased_vat(company: &Company) -> Value {
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

pub(super) fn debts(company: &Company) -> Value {
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

pub(super) fn reported_debts(section: &Value) -> Value {
    let owed = list(&section["sources"]).map(|hit| {
        let source = hit["source"]
            .as_str()
            .expect("a hit says whose it is")
            .to_owned();
        (source, cents(&hit["debt_amount"]))
    });
    json!({ "is_debtor": section["is_debtor"], "cents": owed.collect::<serde_json::Map<_, _>>() })
}
