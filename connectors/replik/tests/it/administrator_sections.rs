//! Look-ups of `replik_administrator`, which make no requests.

use lustra_replik::Replik;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::TestHost;
use lustra_sdk::{Enrichment, Failure, Item, Section, records};

use super::manifest::manifest;
use super::world::{ICO, NOW, host, subject};

const PROCEEDINGS: &str = "administrators";
const LIST: &str = "administrator-list";
const SCOPE: &str = "replik_administrator";

/// A record of either dataset.
fn entry(mark: &str, ico: Option<&str>, is_company: bool, status: &Value, until: &Value) -> Item {
    let content = json!({
        "license_number": mark, "name": "Fiktívni správcovia, k. s.", "is_company": is_company, "ico": ico,
        "office": { "street": "Skúšobná 123/4", "city": "Vzorovo", "postal_code": "99901", "country": null },
        "region": null, "status": status, "valid_from": "2012-03-01", "valid_to": until,
    });
    records::item(mark, ico, &content).unwrap()
}

fn gathered(mark: &str) -> Item {
    entry(mark, Some(ICO), true, &Value::Null, &Value::Null)
}

fn listed(mark: &str) -> Item {
    entry(mark, Some(ICO), true, &json!("zapísaný"), &Value::Null)
}

fn with(dataset: &str, items: Vec<Item>) -> TestHost {
    host().dataset(dataset, NOW, None, items)
}

fn of_service(host: TestHost) -> TestHost {
    host.setting("administrators_source", &json!("service"))
}

fn enrich(host: TestHost) -> Result<(Section, Value), Failure> {
    host.install();
    let section = Replik::enrich(SCOPE, subject())?;
    let content = manifest().content(SCOPE, &section);
    assert!(TestHost::requests().is_empty(), "no request is sent");
    Ok((section, content))
}

fn unread(section: &Section) -> Vec<(&str, &str)> {
    let named = section.unread.iter();
    named
        .map(|one| (one.name.as_str(), one.value.as_str()))
        .collect()
}

const NOT_READ: (&str, &str) = (
    LIST,
    "off: only administrators of proceedings that were read are known",
);

#[test]
fn proceedings_alone_leave_the_list_unread() {
    let (section, content) = enrich(with(PROCEEDINGS, vec![gathered("S9001")])).unwrap();
    assert_eq!(
        content,
        json!({
            "license_number": "S9001", "name": "Fiktívni správcovia, k. s.", "is_company": true,
            "office": { "street": "Skúšobná 123/4", "city": "Vzorovo", "postal_code": "99901", "country": null },
            "region": null, "status": null, "valid_from": "2012-03-01", "valid_to": null, "source": "proceedings",
            "unread": [{ "source": NOT_READ.0, "since": null, "why": NOT_READ.1 }],
        })
    );
    assert_eq!(unread(&section), [NOT_READ]);
    let other = entry("S9002", Some("99900017"), true, &Value::Null, &Value::Null);
    let (section, content) = enrich(with(PROCEEDINGS, vec![other])).unwrap();
    assert_eq!(content, Value::Null);
    assert_eq!(
        unread(&section),
        [NOT_READ],
        "null is not a word of the list"
    );
}

#[test]
fn null_means_not_on_the_ministry_list() {
    let (section, content) = enrich(of_service(with(LIST, vec![listed("S9001")]))).unwrap();
    assert_eq!(content["status"], "zapísaný");
    assert_eq!(content["source"], "service");
    assert!(content.get("unread").is_none() && section.unread.is_empty());
    // The proceedings dataset does not override the list.
    let none = with(LIST, Vec::new()).dataset(PROCEEDINGS, NOW, None, vec![gathered("S9001")]);
    let (section, content) = enrich(of_service(none)).unwrap();
    assert_eq!((content, section.unread.len()), (Value::Null, 0));
}

#[test]
fn entry_without_ico_is_found_by_its_mark() {
    let without_ico = |mark: &str| entry(mark, None, false, &json!("zapísaný"), &Value::Null);
    let host = with(LIST, vec![without_ico("S90010"), without_ico("S9001")]);
    let host = host.dataset(PROCEEDINGS, NOW, None, vec![gathered("S9001")]);
    let (_, content) = enrich(of_service(host)).unwrap();
    assert_eq!(content["license_number"], "S9001");
    assert_eq!(
        content["office"],
        Value::Null,
        "that of a person may be a home"
    );
}

#[test]
fn valid_entry_is_shown_first() {
    let ended = entry(
        "S9009",
        Some(ICO),
        true,
        &json!("vyčiarknutý"),
        &json!("2020-01-01"),
    );
    let (_, content) =
        enrich(of_service(with(LIST, vec![listed("S9001"), ended.clone()]))).unwrap();
    assert_eq!(content["license_number"], "S9001");
    let (_, content) = enrich(of_service(with(LIST, vec![ended]))).unwrap();
    assert_eq!(content["valid_to"], "2020-01-01");
}

#[test]
fn missing_import_fails_and_off_is_named() {
    for host in [
        host(),
        of_service(with(PROCEEDINGS, vec![gathered("S9001")])),
    ] {
        let failed = enrich(host).err();
        assert!(
            matches!(failed, Some(Failure::Unavailable(_))),
            "{failed:?}"
        );
    }
    let off = "off: switched off by the operator";
    let (section, content) = enrich(of_service(host().off(LIST))).unwrap();
    assert_eq!(
        (content, unread(&section)),
        (Value::Null, vec![(LIST, off)])
    );
    let (section, content) = enrich(host().off(PROCEEDINGS)).unwrap();
    assert_eq!(content, Value::Null);
    assert_eq!(unread(&section), [(PROCEEDINGS, off), NOT_READ]);
}
