//! The operator's list of agents, and how its ties reach the entities.

use lustra_nbs::Nbs;
use lustra_sdk::testing::{Answer, TestHost, run_import};
use lustra_sdk::{Failure, Item};
use serde_json::{Value, from_str, json};

use super::{DAY, content, import};
use crate::manifest::assert_entity;
use crate::world::{ICO, IMPORTED, id_of, institutions, listing, named, row};

const HEAD: &str = "IČO agenta;Názov agenta;IČO inštitúcie;Názov inštitúcie;Kategória;Sektor;REGFAP;Platné od;Platné do";
const INSURER: &str = "99900017";
const SECTOR: &str = "poistenie a zaistenie";

/// The records of a list with these rows, imported on a day.
fn ties(rows: &[&str]) -> Result<Vec<Item>, Failure> {
    let list = format!("{HEAD}\r\n{}\r\n", rows.join("\r\n"));
    TestHost::new()
        .now("2026-01-15T06:30:00Z")
        .answer("agents-list", "", Answer::ok(list))
        .install();
    import("agents")
}

/// A host whose bank lists an insurer, its agent, and a person without an IČO.
fn host(day: &str) -> TestHost {
    let person = named(
        &Value::Null,
        "Ján Skúšobný",
        "Skúšobná 7, 04001 Košice",
        "SK",
        "podriadený finančný agent",
    );
    let insurer = named(
        &json!(INSURER),
        "Fiktívna poisťovňa, a. s.",
        "Košice",
        "SK",
        "poisťovňa",
    );
    listing(
        day,
        institutions(&[insurer, row(ICO, &["viazaný finančný agent"]), person]),
    )
}

/// The entity of a company, checked against the schema of the collection.
fn entity(items: &[Item], ico: &str) -> Value {
    let entity = content(items, &id_of(ico));
    assert_entity(&entity);
    entity
}

/// Sector, parent, number, first day, first appearance and end of each tie.
fn shown(entity: &Value) -> Vec<Value> {
    let licences = entity["licences"].as_array().unwrap().iter();
    licences
        .filter(|one| one["source"] == "agents")
        .map(|one| {
            json!([
                one["sector"],
                one["parent"]["ico"],
                one["regfap_number"],
                one["valid_from"],
                one["first_seen_on"],
                one["ended_on"],
            ])
        })
        .collect()
}

#[test]
fn row_with_unreadable_cell_is_its_agents_alone() {
    let lists = |odd: &[u8]| {
        let row = "99999901;Vzor;99900017;;viazaný finančný agent;úvery;990001;;";
        let bytes = [format!("{HEAD}\r\n{row}\r\n").as_bytes(), odd].concat();
        TestHost::new()
            .answer("agents-list", "", Answer::ok(bytes))
            .install();
        let items = import("agents").unwrap().into_iter();
        items.skip(1).map(|item| item.key).collect::<Vec<_>>()
    };
    let known = lists(b"99999919;Agent;99900017;;agent;\xff;;;\r\n");
    assert_eq!(known, ["99999919|unreadable"]);
    let unknown = lists(b";Agent;99900017;;agent;\xff;;;\r\n");
    assert_eq!(unknown, ["unreadable"]);
}

#[test]
fn ties_appear_with_the_next_institutions() {
    let list = ties(&[
        "99999901;Vzor;99900017;;viazaný finančný agent;poistenie a zaistenie;990001;1.3.2020;",
        "99999901;Vzor;124;Družstvo;viazaný finančný agent;úvery;990001;1.4.2020;31.12.2025",
        "99999901;Vzor;99900017;;viazaný finančný agent;úvery;990001;1.2.2026;",
        ";JÁN SKÚŠOBNÝ;99900017;;podriadený finančný agent;;990002;;",
        "99999919;Iný;99900017;;viazaný finančný agent;;990003;;",
    ])
    .unwrap();
    host(DAY).dataset("agents", IMPORTED, None, list).install();
    let (items, _, _) = run_import::<Nbs>("institutions", None).unwrap();
    let agent = entity(&items, ICO);
    let none = Value::Null;
    assert_eq!(
        shown(&agent),
        [
            json!([SECTOR, INSURER, "990001", "2020-03-01", DAY, none]),
            json!([
                "úvery",
                "00000124",
                "990001",
                "2020-04-01",
                DAY,
                "2025-12-31"
            ]),
        ],
        "the third begins later"
    );
    let parents: Vec<Value> = agent["licences"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["source"] == "agents")
        .map(|one| one["parent"].clone())
        .collect();
    assert_eq!(
        parents,
        [
            json!({ "entity_id": id_of(INSURER), "ico": INSURER, "name": "Fiktívna poisťovňa, a. s." }),
            json!({ "entity_id": none, "ico": "00000124", "name": "Družstvo" }),
        ]
    );
    assert_eq!(
        entity(&items, INSURER)["agents_count"],
        2,
        "the person without an IČO too"
    );
    assert_eq!(agent["agents_count"], 0);
    assert_eq!(agent["categories"], json!(["viazaný finančný agent"]));
}

#[test]
fn tie_that_left_the_list_ends() {
    let own =
        "99999901;Vzor;99900017;;viazaný finančný agent;poistenie a zaistenie;990001;1.3.2020;";
    let other = "99999919;Iný;99900017;;viazaný finančný agent;;990003;;";
    let both = ties(&[own, other]).unwrap();
    host(DAY)
        .dataset("agents", IMPORTED, None, both.clone())
        .install();
    let first = import("institutions").unwrap();
    let next = |day: &str, agents: Option<Vec<Item>>, before: &[Item]| {
        let host = host(day).dataset("institutions", IMPORTED, None, before.to_vec());
        let host = match agents {
            Some(agents) => host.dataset("agents", IMPORTED, None, agents),
            None => host.off("agents"),
        };
        host.install();
        import("institutions").unwrap()
    };
    let of = |items: &[Item]| {
        let tie = shown(&entity(items, ICO)).remove(0);
        (
            tie[4].clone(),
            tie[5].clone(),
            entity(items, INSURER)["agents_count"].clone(),
        )
    };
    let left = ties(&[other]).unwrap();
    let second = next("2026-01-16", Some(left), &first);
    assert_eq!(of(&second), (json!(DAY), json!("2026-01-16"), json!(0)));
    let third = next("2026-01-17", Some(both), &second);
    assert_eq!(
        of(&third),
        (json!(DAY), Value::Null, json!(1)),
        "listed again"
    );
    let off = next("2026-01-18", None, &third);
    assert_eq!(
        of(&off),
        (json!(DAY), Value::Null, Value::Null),
        "nothing ends unread"
    );
    let odd = ties(&[other, other, "99999901;Vzor;99900017;;;;;;"]).unwrap();
    let kept = next("2026-01-18", Some(odd), &third);
    assert_eq!(
        of(&kept),
        (json!(DAY), Value::Null, json!(1)),
        "an odd row ends nothing"
    );
}

#[test]
fn table_that_is_another_one_fails() {
    let fails = |list: &str| {
        TestHost::new()
            .answer("agents-list", "", Answer::ok(list.to_owned()))
            .install();
        matches!(import("agents"), Err(Failure::Malformed(_)))
    };
    assert!(fails("IČO;Názov;Kategória\r\n99999901;Vzor;x\r\n"));
    assert!(fails(&format!("{HEAD}\r\n")));
    assert!(
        fails(&format!("{HEAD}\r\n99999901;Vzor;;;x;;;;\r\n")),
        "no tie"
    );
    assert!(fails(&format!(
        "{HEAD}\r\n99999901;Vzor;124;;x;;;včera;\r\n;Iný;124;;;;;;\r\n"
    )));
    TestHost::new()
        .answer("agents-list", "", Answer::ok("<html>Odstávka</html>"))
        .install();
    assert!(matches!(import("agents"), Err(Failure::Unavailable(_))));
}

#[test]
fn operator_names_the_columns() {
    let list = "Agent;Register;Zastúpený;Druh\r\nVzor;99999901;99900017;viazaný finančný agent\r\n";
    let columns = json!({
        "agent_name": ["Agent"], "agent_ico": ["Register"], "institution_ico": ["Zastúpený"], "category": ["Druh"],
    });
    TestHost::new()
        .setting("agents_columns", &columns)
        .answer("agents-list", "", Answer::ok(list))
        .install();
    let items = import("agents").unwrap();
    assert_eq!(items[0].ico.as_deref(), Some(ICO));
    let tie: Value = from_str(&items[0].content).unwrap();
    assert_eq!(
        (&tie["institution_ico"], &tie["valid_from"]),
        (&json!(INSURER), &Value::Null)
    );
}

#[test]
fn list_of_agents_resumes_behind_a_batch() {
    let rows: Vec<String> = (0..1_200)
        .map(|number| format!("{};Agent;99900017;;agent;;;;", 99_000_000 + number))
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let all = ties(&rows).unwrap();
    let (_, _, cursors) = run_import::<Nbs>("agents", None).unwrap();
    let (rest, _, _) = run_import::<Nbs>("agents", Some(cursors[0].clone())).unwrap();
    assert_eq!((all.len(), rest.len()), (1_200, 200));
}
