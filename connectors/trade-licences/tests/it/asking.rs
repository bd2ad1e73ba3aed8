//! Whole look-ups: the requested record, and the section made of it.

use lustra_sdk::testing::TestHost;
use serde_json::{Value, json};

use crate::world::{ICO, ID, enrich, entity_path, record, register, search_path};

fn told(records: &[Value]) -> Value {
    enrich(register(records)).unwrap().1
}

#[test]
fn trades_are_found_in_two_steps() {
    let (section, content) = enrich(register(&[record(ID, "2", "Maloobchod")])).unwrap();
    assert_eq!(
        content,
        json!([{
            "activity": "Maloobchod", "status": "active", "since": "2012-03-01", "until": null,
            "suspended_from": null, "suspended_to": null, "source": "trade_register",
            "office": "Okresný úrad Vzorovo", "registration_number": "999-12345",
        }])
    );
    assert_eq!(section.evidence.len(), 2, "the search and the entity");
    assert!(section.unread.is_empty());
    assert_eq!(
        TestHost::requests(),
        [
            format!("rpo {}", search_path()),
            format!("rpo {}", entity_path(ID))
        ]
    );
}

#[test]
fn active_record_of_the_trade_register_is_preferred() {
    let content = told(&[
        record(ID, "1", "of the commercial register"),
        record(ID + 2, "2", "a trade"),
        record(ID + 4, "30", "of farmers"),
    ]);
    assert_eq!(content[0]["activity"], "a trade");
    assert_eq!(content.as_array().unwrap().len(), 1);
}

#[test]
fn active_record_is_preferred_to_an_ended_one() {
    let mut ended = record(ID + 2, "2", "what the person did before");
    ended["termination"] = json!("2019-12-31");
    let company = record(ID, "1", "what the company does");
    for records in [[ended.clone(), company.clone()], [company, ended]] {
        let content = told(&records);
        assert_eq!(content[0]["activity"], "what the company does");
        assert_eq!(content[0]["source"], "commercial_register");
    }
}

#[test]
fn a_former_number_is_another_company() {
    let mut former = record(ID + 2, "2", "another's");
    former["identifiers"] = json!([
        {"value": ICO, "validFrom": "1992-01-01", "validTo": "2000-01-01"},
        {"value": "99900017", "validFrom": "2000-01-01"},
    ]);
    let content = told(&[former, record(ID, "2", "its own")]);
    assert_eq!(content[0]["activity"], "its own");
}

#[test]
fn a_record_of_another_register_has_no_trades() {
    assert_eq!(told(&[record(ID, "7", "kultúra")]), json!([]));
}

#[test]
fn the_day_decides_what_is_suspended() {
    let mut paused = record(ID, "2", "Maloobchod");
    paused["activities"][0]["suspendedFrom"] = json!("2026-01-16");
    paused["activities"][0]["suspendedTo"] = json!("2026-03-01");
    let on = |day: &str| {
        let host = register(std::slice::from_ref(&paused)).now(&format!("{day}T08:00:00Z"));
        enrich(host).unwrap().1[0]["status"].clone()
    };
    assert_eq!(
        ["2026-01-15", "2026-01-16", "2026-03-01", "2026-03-02"].map(on),
        ["active", "suspended", "suspended", "active"].map(Value::from)
    );
}
