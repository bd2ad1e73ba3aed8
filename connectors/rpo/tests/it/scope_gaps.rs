//! What the scope `orsr` does not read, and what it notes.

use lustra_rpo::Rpo;
use lustra_sdk::Section;
use lustra_sdk::unread::Unread;
use serde_json::{Value, json};

use crate::common::Bucket;
use crate::scope_support::{enrich, host, limited, person};

#[test]
fn unreadable_row_is_named_as_unread() {
    let mut odd = limited();
    odd["stakeholders"] = json!([{"personName": "?"}]);
    host(&[odd]).install();
    let section = enrich(&json!({}));
    let [unread] = section.unread.as_slice() else {
        panic!("one source: {:?}", section.unread);
    };
    let expected = Unread::of_odd_row("companies");
    assert_eq!(
        (&unread.name, &unread.value),
        (&expected.source, &expected.why.to_string())
    );
}

fn extract_gap(section: &Section) -> bool {
    let mut sources = section.unread.iter();
    sources.any(|source| source.name == "commercial-register")
}

#[test]
fn lien_is_unread_until_the_extract_is_read() {
    let of = |lien: Option<Value>| {
        let mut holders = [
            json!({"name": "Ján Vzorný"}),
            json!({"name": "Example Holding Ltd."}),
        ];
        if let Some(lien) = lien {
            for holder in &mut holders {
                holder["deposit_lien"] = lien.clone();
            }
        }
        host(&[limited()]).install();
        enrich(&json!({"shareholders": holders}))
    };
    host(&[limited()]).install();
    assert!(extract_gap(&enrich(&json!({}))), "no details");
    assert!(extract_gap(&of(None)), "details of an earlier version");
    assert!(!extract_gap(&of(Some(Value::Null))), "read, none found");
    let section = of(Some(json!("Vzorová banka, a. s.")));
    assert!(!extract_gap(&section));
    let content: Value = serde_json::from_str(&section.content).expect("JSON");
    assert_eq!(
        content["shareholders"][1]["deposit_lien"],
        "Vzorová banka, a. s."
    );
}

#[test]
fn procurators_rule_without_heading_is_unread() {
    let mut odd = limited();
    odd["authorizations"] = json!([
        {"value": "Konateľ koná samostatne.", "validFrom": "2012-03-01"},
        {"value": "Prokurista koná samostatne.", "validFrom": "2019-01-01"},
    ]);
    odd["stakeholders"] = json!([person(
        "CL010109",
        "24",
        "Iva Prokuristová",
        "2019-01-01",
        None
    )]);
    host(&[odd]).install();
    let section = enrich(&json!({}));
    let [unread] = section.unread.as_slice() else {
        panic!("one source: {:?}", section.unread);
    };
    assert_eq!(unread.name, "companies");
    let content: Value = serde_json::from_str(&section.content).expect("JSON");
    assert_eq!(content["procurators"][0]["acting_method"], Value::Null);
    assert_eq!(
        content["statutory_body"][0]["acting_method"],
        "Konateľ koná samostatne."
    );
}

#[test]
fn unknown_values_and_dropped_rows_are_noted() {
    let mut odd = limited();
    let text = "x".repeat(4_000);
    odd["otherLegalFacts"] = (10..99)
        .map(|year| json!({"value": text, "validFrom": format!("19{year}-01-01")}))
        .collect();
    let text = |text: &str| json!({"value": text, "validFrom": "2019-01-01"});
    odd["authorizations"] = json!([text("Prokuristi konajú spolu.")]);
    let lines = [odd.to_string()];
    Bucket::default()
        .init("2026-11-07", &[lines.to_vec()])
        .host()
        .install();
    let batches = lustra_sdk::testing::batches::<Rpo>("companies", None).expect("an import");
    let note = |name: &str| {
        let note = batches[0].notes.iter().find(|note| note.name == name);
        note.and_then(|note| note.value.parse::<u32>().ok())
    };
    assert_eq!(note("unknown-rules-of-acting"), Some(1));
    assert_eq!(note("unknown-functions"), Some(1), "the code 38");
    assert!(note("dropped-history-rows").is_some_and(|rows| rows >= 20));
}
