//! Sections from imported records.

use lustra_procurement_journal::{DATASET, ProcurementJournal};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::TestHost;
use lustra_sdk::{Enrichment, Failure, Item};

use super::world::{ICO, OTHER, enrich, imported, subject};

fn award(number: u32, value: Option<(&str, &str)>, members: u32) -> Item {
    let procedure = format!("p-{number:03}");
    let content = json!({
        "procedure": procedure, "lot": "LOT-0001", "notice_id": number.to_string(), "sequence": [2026, number, 0],
        "title": "Zákazka", "buyer": { "name": "Obec Vymyslená", "ico": "99000016" }, "members": members,
        "value": value.map(|(value, currency)| json!({ "value": value, "currency": currency })),
        "published_at": "2026-01-12", "order_id": "990001",
    });
    item(&format!("award/{procedure}/LOT-0001/{ICO}"), &content)
}

fn contact(kind: &str, value: &str, observed_on: &str) -> Item {
    let content = json!({
        "kind": kind, "value": value, "source": "Vestník verejného obstarávania 1/2026, oznámenie 1",
        "observed_on": observed_on, "context": "Predbežné oznámenie",
    });
    item(&format!("contact/{ICO}/{kind}/{value}"), &content)
}

fn item(key: &str, content: &Value) -> Item {
    Item {
        key: key.to_owned(),
        ico: Some(ICO.to_owned()),
        name: None,
        city: None,
        postal_code: None,
        content: content.to_string(),
        removed: false,
    }
}

fn first() -> Item {
    Item {
        ico: None,
        ..item("journal/first", &json!({ "published_at": "2016-01-04" }))
    }
}

fn section(scope: &str) -> Value {
    enrich(scope, subject(ICO, "112")).1
}

#[test]
fn awards_are_summed_by_currency_newest_shown() {
    let mut items: Vec<Item> = (1..=12)
        .map(|number| award(number, Some(("10.10", "EUR")), 1))
        .collect();
    items.push(award(13, Some(("1250000", "CZK")), 2));
    items.push(award(14, None, 1));
    items.push(first());
    items.push(contact("email", "info@vzor.example.sk", "2026-01-12"));
    imported(items, "2026-01-14").install();
    let (section, content) = enrich("procurement", subject(ICO, "112"));
    assert!(section.unread.is_empty());
    let mut content = content;
    let latest = content["latest"].take();
    assert_eq!(
        content,
        json!({
            "count": 14, "total_awarded_value": 121.2, "currency": "EUR",
            "other_currencies": [{ "currency": "CZK", "count": 1, "total": 1_250_000.0 }],
            "without_amount": 1, "joint": 1, "latest": null, "since": "2016-01-04", "until": "2026-01-14",
        })
    );
    let ids: Vec<&str> = latest
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["notice_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["14", "13", "12", "11", "10", "9", "8", "7", "6", "5"]);
    assert_eq!(
        latest[2],
        json!({
            "notice_id": "12", "title": "Zákazka", "lot": "LOT-0001",
            "buyer": { "name": "Obec Vymyslená", "ico": "99000016" }, "value": 10.1, "currency": "EUR", "cpv": null,
            "contract_date": null, "contract_url": null, "published_at": "2026-01-12",
            "url": "https://www.uvo.gov.sk/vyhladavanie/vyhladavanie-zakaziek/detail/990001",
        })
    );
}

#[test]
fn company_without_awards_has_zero() {
    imported(vec![first()], "2026-01-14").install();
    let content = section("procurement");
    assert_eq!(
        (&content["count"], &content["total_awarded_value"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(content["latest"], json!([]));
    assert!(content.get("unread").is_none());
    assert_eq!(
        section("contacts"),
        json!({ "email": [], "phone": [], "website": [], "sources": [] })
    );
}

#[test]
fn awards_without_an_amount_have_no_total() {
    imported(vec![award(1, None, 1)], "2026-01-14").install();
    let content = section("procurement");
    assert_eq!(
        (&content["count"], &content["total_awarded_value"]),
        (&json!(1), &json!(null))
    );
    imported(vec![award(1, Some(("5", "CZK")), 1)], "2026-01-14").install();
    assert_eq!(section("procurement")["total_awarded_value"], json!(null));
}

#[test]
fn contacts_come_newest_first_with_source() {
    let mut items = vec![
        contact("email", "info@vzor.example.sk", "2024-01-12"),
        contact("email", "obchod@vzor.example.sk", "2026-01-12"),
        contact("phone", "+421200000001", "2025-01-12"),
        contact("website", "www.vzor.example.sk", "2025-01-12"),
    ];
    items.extend((0..25).map(|n| contact("phone", &format!("+4219000000{n:02}"), "2023-01-02")));
    imported(items, "2026-01-14").install();
    let content = section("contacts");
    assert_eq!(
        content["email"],
        json!(["obchod@vzor.example.sk", "info@vzor.example.sk"])
    );
    assert_eq!(content["phone"][0], "+421200000001");
    assert_eq!(content["phone"].as_array().unwrap().len(), 20);
    assert_eq!(content["website"], json!(["www.vzor.example.sk"]));
    assert_eq!(content["sources"].as_array().unwrap().len(), 23);
    assert_eq!(
        content["sources"][0],
        json!({
            "kind": "email", "value": "obchod@vzor.example.sk", "observed_on": "2026-01-12",
            "source": "Vestník verejného obstarávania 1/2026, oznámenie 1", "context": "Predbežné oznámenie",
        })
    );
}

#[test]
fn contacts_of_a_sole_trader_are_not_shown() {
    imported(
        vec![contact("phone", "+421900000001", "2025-01-12")],
        "2026-01-14",
    )
    .install();
    for code in ["101", "108", "110"] {
        assert_eq!(
            enrich("contacts", subject(ICO, code)).1,
            json!({ "email": [], "phone": [], "website": [], "sources": [], "withheld": "natural-person" }),
            "{code}"
        );
    }
    for code in ["111", "112", "801", ""] {
        let content = enrich("contacts", subject(ICO, code)).1;
        assert_eq!(content["phone"], json!(["+421900000001"]), "{code}");
    }
}

#[test]
fn late_journal_is_unread() {
    for (newest, days, is_behind) in [
        (Some("2026-01-01"), 14, false),
        (Some("2025-12-31"), 14, true),
        (Some("2025-12-31"), 15, false),
        (None, 14, true),
    ] {
        let host = match newest {
            Some(newest) => imported(vec![award(1, None, 1)], newest),
            None => TestHost::new().dataset(
                DATASET,
                "2026-01-15T06:00:00Z",
                None,
                vec![award(1, None, 1)],
            ),
        };
        host.now("2026-01-15T08:00:00Z")
            .setting("stale_after_days", &json!(days))
            .install();
        for scope in ["procurement", "contacts"] {
            let content = section(scope);
            assert_eq!(
                content["unread"][0]["source"] == DATASET,
                is_behind,
                "{newest:?} {days}: {content}"
            );
        }
    }
}

#[test]
fn unread_notice_is_named_for_its_companies() {
    let notice = |key: &str| item(key, &json!({ "published_at": "2026-01-12" }));
    let unassigned = Item {
        ico: None,
        ..item("journal/unassigned", &json!({ "notices": 3 }))
    };
    let key = format!("unread/{ICO}/");
    let items = vec![
        first(),
        unassigned,
        notice(&format!("{key}2026-8-4")),
        notice(&format!("{key}2026-8-5")),
    ];
    imported(items.clone(), "2026-01-14").install();
    for scope in ["procurement", "contacts"] {
        let (section, content) = enrich(scope, subject(ICO, "112"));
        let why = "truncated: notices that name the company and could not be read: 2";
        assert_eq!(content["unread"][0]["why"], why);
        assert_eq!(section.unread[0].value, why);
        assert!(enrich(scope, subject(OTHER, "112")).0.unread.is_empty());
    }
    let other = enrich("procurement", subject(OTHER, "112")).1;
    assert_eq!(
        (&other["count"], &other["unassigned_notices"]),
        (&json!(0), &json!(3))
    );
    // Several reasons are one entry.
    imported(items, "2025-01-14")
        .now("2026-01-15T08:00:00Z")
        .install();
    let content = section("procurement");
    assert_eq!(content["unread"].as_array().unwrap().len(), 1);
    let why = content["unread"][0]["why"].as_str().unwrap();
    assert!(
        why.starts_with("behind: ") && why.ends_with("read: 2"),
        "{why}"
    );
}

#[test]
fn missing_import_gives_no_section() {
    for (host, why) in [
        (TestHost::new(), "never imported"),
        (
            TestHost::new().failed(DATASET, "data-portal answered with status 500"),
            "never imported: the newest attempt failed",
        ),
        (
            TestHost::new()
                .dataset(DATASET, "2026-01-15T06:00:00Z", None, Vec::new())
                .off(DATASET),
            "off: ",
        ),
    ] {
        host.install();
        for scope in ["procurement", "contacts"] {
            let failed = ProcurementJournal::enrich(scope, subject(ICO, "112"));
            assert!(
                matches!(&failed, Err(Failure::Unavailable(told)) if told.contains(why)),
                "{failed:?}"
            );
        }
    }
}

#[test]
fn other_scopes_are_not_offered() {
    assert!(
        matches!(ProcurementJournal::enrich("others", subject(ICO, "112")), Err(Failure::Other((code, _))) if code == "not-offered")
    );
}

#[test]
fn many_records_are_all_counted() {
    let items: Vec<Item> = (0..2_345)
        .map(|number| award(number, Some(("0.01", "EUR")), 1))
        .collect();
    imported(items, "2026-01-14").install();
    let content = section("procurement");
    assert_eq!(
        (&content["count"], &content["total_awarded_value"]),
        (&json!(2_345), &json!(23.45))
    );
}
