//! The section from imported records.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::tax_lists::ListKind;
use lustra_sdk::testing::{TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Field};
use lustra_tax_lists::TaxLists;
use lustra_tax_lists::dataset::Dataset;

use super::world::{DIC, ICO, IMPORTED, host, item, section, section_of, with};

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

/// Unknown lists, whose parts are null.
const UNKNOWN: [&str; 3] = [
    "vat-registrations",
    "reliable-vat-payers",
    "tax-debtors-accounts",
];

#[test]
fn parts_without_a_known_list_are_null_and_unread() {
    let registered = item(DIC, Some(ICO), &json!({"dic": DIC}));
    with(
        host(&Dataset::ALL),
        Dataset::IncomeTaxSubjects,
        vec![registered],
    )
    .install();
    let section = section();
    for part in ["dpho", "dsrdp_registered", "dph_oud"] {
        assert!(section.get(part).is_some_and(Value::is_null), "{part}");
    }
    for unread in section["unread"].as_array().unwrap() {
        assert_eq!(unread["since"], json!(null));
        assert_eq!(
            unread["why"],
            "never imported: no list of the authority is known that states this"
        );
    }
}

fn research(period: &str) -> Value {
    json!({"period": period, "amount_eur": 5.5, "project": "Vymyslený", "started_at": null})
}

#[test]
fn company_on_no_list_has_empty_lists() {
    host(&Dataset::ALL).install();
    let section = section();
    for list in LISTS {
        assert_eq!(section[list], json!([]), "{list}");
    }
    assert_eq!(section["income_tax_registered"], false);
    let unknown = section["unread"].as_array().unwrap();
    let named: Vec<&Value> = unknown.iter().map(|one| &one["source"]).collect();
    assert_eq!(named, UNKNOWN);
    let sources = section["sources"].as_array().unwrap();
    assert_eq!(
        sources[0],
        json!({"source": "vat-deductions", "slug": "ds_dphno", "state": "imported", "list_date": "2026-01-15", "imported_at": IMPORTED})
    );
    assert_eq!((sources.len(), &sources[8]["slug"]), (10, &json!(null)));
    assert!(TestHost::requests().is_empty());
}

#[test]
fn rows_are_found_by_ico_and_dic_newest_first() {
    let registered = item(DIC, Some(ICO), &json!({"dic": DIC}));
    let rows = vec![
        item("99999901:2023/a", Some(ICO), &research("2023")),
        item("99999901:2024/a", Some(ICO), &research("2024")),
        item("dic:2999999904:2024/a", None, &research("2024")),
        item("dic:2999999904:2025/a", None, &research("2025")),
        item("dic:29999999040:2026/a", None, &research("2026")),
        item("dic:2999999915:2026/a", None, &research("2026")),
    ];
    let all = with(host(&Dataset::ALL), Dataset::ResearchDeductions, rows);
    with(all, Dataset::IncomeTaxSubjects, vec![registered]).install();
    let section = section();
    assert_eq!(
        section["rd_deduction"],
        json!([research("2025"), research("2024"), research("2023")])
    );
    assert_eq!(section["income_tax_registered"], true);
}

#[test]
fn all_rows_are_shown() {
    let registered = item(DIC, Some(ICO), &json!({"dic": DIC}));
    let rows = (0..1_200).map(|number| {
        let period = format!("{number:05}");
        item(&format!("dic:{DIC}:{period}"), None, &research(&period))
    });
    let all = with(
        host(&Dataset::ALL),
        Dataset::ResearchDeductions,
        rows.collect(),
    );
    with(all, Dataset::IncomeTaxSubjects, vec![registered]).install();
    let told = section();
    let periods = told["rd_deduction"].as_array().unwrap();
    assert_eq!(
        (periods.len(), &periods[0]["period"]),
        (1_200, &json!("01199"))
    );
}

#[test]
fn row_with_only_a_dic_prevents_absence() {
    let without: Vec<Dataset> = Dataset::ALL
        .into_iter()
        .filter(|dataset| *dataset != Dataset::IncomeTaxSubjects)
        .collect();
    let by_dic = item("dic:2999999904:2025/a", None, &research("2025"));
    let host = with(host(&without), Dataset::ResearchDeductions, vec![by_dic]);
    host.clone().install();
    let section = section();
    assert_eq!(section["rd_deduction"], json!(null));
    assert_eq!(section["patent_box"], json!([]), "it has no such rows");
    assert_eq!(section["income_tax_registered"], json!(null));
    let unread = section["unread"].as_array().unwrap();
    let named: Vec<&Value> = unread.iter().map(|one| &one["source"]).collect();
    assert_eq!(named[..2], ["income-tax-subjects", "research-deductions"]);
    assert_eq!(named[2..], UNKNOWN);
    // The base record may contain the number.
    host.clone().install();
    let mut known = subject(ICO);
    known.facts.push(Field {
        name: "dic".to_owned(),
        value: DIC.to_owned(),
    });
    assert_eq!(section_of(known)["rd_deduction"], json!([research("2025")]));
    // Rows with the IČO are found all the same.
    let by_ico = item("99999901:2024/a", Some(ICO), &research("2024"));
    let by_dic = item("dic:2999999904:2025/a", None, &research("2025"));
    with(host, Dataset::ResearchDeductions, vec![by_ico, by_dic]).install();
    assert_eq!(
        section_of(subject(ICO))["rd_deduction"],
        json!([research("2024")])
    );
}

#[test]
fn unread_list_is_null_and_named() {
    let only = [Dataset::VatCancellationReasons, Dataset::IncomeTaxSubjects];
    let row = item(
        "99999901:2024",
        Some(ICO),
        &json!({"year": 2024, "published_at": "2025-02-10"}),
    );
    with(host(&only), Dataset::VatCancellationReasons, vec![row])
        .off("patent-box")
        .failed("vat-regimes", "malformed: row of Jozef Vymyslený")
        .install();
    let section = section();
    assert_eq!(section["dphz"][0]["year"], 2024);
    for list in LISTS.iter().filter(|list| **list != "dphz") {
        assert_eq!(section[*list], json!(null), "{list}");
    }
    let unread = section["unread"].as_array().unwrap();
    assert_eq!(unread.len(), 8 + UNKNOWN.len());
    let why = |source: &str| {
        let found = unread.iter().find(|one| one["source"] == source);
        found.unwrap()["why"].as_str().unwrap().to_owned()
    };
    assert!(why("patent-box").starts_with("off"));
    assert!(why("vat-regimes").starts_with("never imported: the newest"));
    assert!(!section.to_string().contains("Jozef"));
    let states: Vec<&Value> = section["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| &source["state"])
        .collect();
    assert_eq!(
        states,
        [
            "waiting", "failing", "imported", "waiting", "imported", "waiting", "waiting",
            "waiting", "off", "waiting"
        ]
    );
}

#[test]
fn missing_imports_give_no_section() {
    TestHost::new().off("patent-box").install();
    let failure = TaxLists::enrich("fs_imports", subject(ICO)).unwrap_err();
    assert!(
        matches!(&failure, Failure::Unavailable(why) if why.contains("vat-regimes")),
        "{failure:?}"
    );
    let all_off = Dataset::ALL
        .into_iter()
        .fold(TestHost::new(), |host, dataset| host.off(dataset.id()));
    all_off.install();
    let section = section();
    assert!(LISTS.iter().all(|list| section[*list].is_null()));
    assert_eq!(
        section["unread"].as_array().unwrap().len(),
        10 + UNKNOWN.len()
    );
}

#[test]
fn other_scopes_and_invalid_keys_are_refused() {
    host(&Dataset::ALL).install();
    assert!(
        matches!(TaxLists::enrich("tax", subject(ICO)), Err(Failure::Other((code, _))) if code == "not-offered")
    );
    assert!(TaxLists::enrich("fs_imports", subject("124")).is_err());
}
