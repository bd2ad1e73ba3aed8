//! Whole sections through a test host.

use lustra_crz::Crz;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::TestHost;
use lustra_sdk::{Enrichment, Failure, Item, failure};

use super::world::{ICO, NOW, item, section, subject};

fn since() -> Item {
    item("since", None, &json!({"since": "2011-01-01"}))
}

fn kept(amount: &str) -> Value {
    json!({"number": "1/26", "total": amount, "published": "2026-01-10", "state": 2, "kind": 1})
}

fn host(until: &str, mut items: Vec<Item>) -> TestHost {
    items.push(since());
    TestHost::new()
        .now(NOW)
        .dataset("contracts", "2026-01-15T04:30:00Z", Some(until), items)
}

fn why() -> String {
    let failure = Crz::enrich("public_contracts", subject())
        .map(drop)
        .unwrap_err();
    failure::reason(&failure)
}

#[test]
fn only_contracts_of_the_company_are_counted() {
    let items = vec![
        item("5", Some(ICO), &kept("0.10")),
        item("6", Some(ICO), &kept("0.20")),
        item("7", Some("99999919"), &kept("1.00")),
        item("8", None, &json!({"total": "1.00"})),
    ];
    host("2026-01-14", items).install();
    let (made, content) = section();
    assert_eq!(
        (&content["count"], &content["total_value"]),
        (&json!(2), &json!(0.30))
    );
    assert_eq!(content["latest"][0]["id"], "6");
    assert_eq!(
        content["latest"][0]["url"],
        "https://www.crz.gov.sk/zmluva/6/"
    );
    assert_eq!(
        (&content["since"], &content["until"]),
        (&json!("2011-01-01"), &json!("2026-01-14"))
    );
    assert!(made.unread.is_empty() && content.get("unread").is_none());
    assert!(TestHost::requests().is_empty(), "no request is sent");
    assert_eq!(
        section().0.content,
        made.content,
        "the same records give the same bytes"
    );
}

#[test]
fn company_without_contract_has_zero_after_import() {
    host("2026-01-14", Vec::new()).install();
    let (_, content) = section();
    assert_eq!(
        (&content["count"], &content["total_value"]),
        (&json!(0), &json!(0.0))
    );
    assert_eq!(
        (&content["latest"], content.get("unread")),
        (&json!([]), None)
    );
}

#[test]
fn late_list_is_unread() {
    for (until, is_behind) in [
        ("2026-01-08", false),
        ("2026-01-07", true),
        ("2015-06-30", true),
    ] {
        host(until, vec![item("5", Some(ICO), &kept("1.00"))]).install();
        let (made, content) = section();
        assert_eq!(content["count"], 1);
        assert_eq!(made.unread.len(), usize::from(is_behind), "{until}");
        if is_behind {
            let why = format!("behind: read until {until} only");
            assert_eq!(
                content["unread"],
                json!([{"source": "crz", "since": until, "why": why}])
            );
        }
    }
    let items = vec![since()];
    TestHost::new()
        .now(NOW)
        .dataset(
            "contracts",
            "2025-12-01T04:30:00Z",
            Some("2025-11-30"),
            items,
        )
        .failed("contracts", "unavailable: crz answered with status 500")
        .install();
    let (_, content) = section();
    assert_eq!(
        content["unread"][0]["why"],
        "behind: read until 2025-11-30 only; the newest attempt failed"
    );
}

#[test]
fn skipped_days_are_unread() {
    host("2026-01-14", Vec::new())
        .setting(
            "skip_days",
            &json!(["2015-03-02", "2010-01-01", "2027-01-01"]),
        )
        .install();
    let (_, content) = section();
    assert_eq!(
        content["unread"][0]["why"],
        "left out by the operator: 2015-03-02"
    );
}

#[test]
fn missing_import_gives_no_section() {
    TestHost::new().install();
    assert_eq!(why(), "unavailable: the dataset contracts: never imported");
    TestHost::new()
        .failed("contracts", "unavailable: down")
        .install();
    assert_eq!(
        why(),
        "unavailable: the dataset contracts: never imported: the newest attempt failed"
    );
    TestHost::new().off("contracts").install();
    assert!(why().starts_with("unavailable: the dataset contracts: off"));
}

#[test]
fn records_of_another_version_fail() {
    for content in [
        json!({"state": 9}),
        json!({"state": "2"}),
        json!({"price": "1"}),
        json!({"state": 2, "total": "x"}),
    ] {
        host("2026-01-14", vec![item("5", Some(ICO), &content)]).install();
        assert!(why().starts_with("malformed: "), "{content}: {}", why());
    }
    assert!(matches!(
        Crz::enrich("debts", subject()),
        Err(Failure::Other(_))
    ));
}

#[test]
fn changed_state_settings_apply_immediately() {
    let items = vec![item("5", Some(ICO), &json!({"state": 3, "total": "1.00"}))];
    let states = json!({"draft": [1], "published": [2], "cancelled": [3, 4, 5]});
    host("2026-01-14", items)
        .setting("states", &states)
        .install();
    let (_, content) = section();
    assert_eq!(
        (&content["count"], &content["cancelled"]),
        (&json!(0), &json!(1))
    );
}

#[test]
fn ten_thousand_contracts_are_fast() {
    let items = (0..10_000).map(|id| item(&id.to_string(), Some(ICO), &kept("12345.67")));
    host("2026-01-14", items.collect()).install();
    let (_, content) = section();
    assert_eq!(content["count"], 10_000);
    assert_eq!(content["total_value"], json!(123_456_700.0));
    assert_eq!(content["latest"][0]["id"], "9999");
}
