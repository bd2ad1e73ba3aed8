//! Subjects of every kind: foreign, without a number, moved, listed again, and persons listed twice.

use lustra_nbs::identity::Identity;
use lustra_sdk::Item;
use lustra_sdk::testing::TestHost;
use serde_json::{Value, from_str, json};

use super::{DAY, fingerprint, import};
use crate::manifest::assert_entity;
use crate::world::{ICO, IMPORTED, id_of, institutions, listing, named, row};

const AGENT: &str = "podriadený finančný agent";

/// The entities of a list that is imported on a day after another list.
fn after(before: Vec<Item>, day: &str, rows: &[Value]) -> Vec<Item> {
    let host = listing(day, institutions(rows));
    let host = if before.is_empty() {
        host
    } else {
        host.dataset("institutions", IMPORTED, None, before)
    };
    host.install();
    import("institutions").unwrap()
}

fn person(name: &str, address: &str) -> Value {
    named(&Value::Null, name, address, "SK", AGENT)
}

/// The list with a company that has an IČO, since a list without one is refused.
fn with_company(rows: &[Value]) -> Vec<Value> {
    let icos = [ICO, "99900017", "99900025", "99900033", "99900041"];
    let mut all: Vec<Value> = icos.map(|ico| row(ico, &["banka"])).into();
    all.extend_from_slice(rows);
    all
}

/// The entities, checked against the schema of the collection.
fn entities(items: &[Item]) -> Vec<Value> {
    let entities: Vec<Value> = items
        .iter()
        .filter(|item| !item.content.contains("unreadable_row"))
        .map(|item| from_str(&item.content).unwrap())
        .collect();
    entities.iter().for_each(assert_entity);
    entities
}

/// The entities with a name, in the order of their ids.
fn of_name(items: &[Item], name: &str) -> Vec<Value> {
    let found = entities(items).into_iter();
    found.filter(|entity| entity["name"] == name).collect()
}

fn one(items: &[Item], name: &str) -> Value {
    let mut found = of_name(items, name);
    assert_eq!(found.len(), 1, "{name}");
    found.remove(0)
}

#[test]
fn foreign_subjects_are_entities_without_ico() {
    let rows = with_company(&[
        named(
            &json!(ICO),
            "Příkladová pojišťovna, a. s.",
            "Praha",
            "CZ",
            "poisťovňa",
        ),
        named(&json!("HRB 990001"), "Musterbank AG", "Wien", "AT", "banka"),
        named(&Value::Null, "Beispiel", "Wien", "AT", "banka"),
    ]);
    let items = after(Vec::new(), DAY, &rows);
    let czech = one(&items, "Příkladová pojišťovna, a. s.");
    assert_eq!(
        (&czech["ico"], &czech["country"]),
        (&Value::Null, &json!("CZ"))
    );
    assert_ne!(
        czech["entity_id"],
        id_of(ICO),
        "the digits are those of a company"
    );
    assert_eq!(czech["licences"][0]["country"], "CZ");
    assert_eq!(one(&items, "Musterbank AG")["is_natural_person"], false);
    assert_eq!(one(&items, "Beispiel")["is_natural_person"], Value::Null);
    let of_company = items.iter().filter(|item| item.ico.as_deref() == Some(ICO));
    assert_eq!(
        of_company.count(),
        1,
        "a foreign subject is not found by an IČO"
    );
    let renamed = with_company(&[named(
        &json!("hrb-990001"),
        "Neubank AG",
        "Linz",
        "AT",
        "banka",
    )]);
    let later = after(items.clone(), "2026-01-16", &renamed);
    assert_eq!(
        one(&later, "Neubank AG")["entity_id"],
        one(&items, "Musterbank AG")["entity_id"],
        "its number is the same"
    );
}

#[test]
fn person_who_moves_keeps_the_id() {
    let first = after(
        Vec::new(),
        DAY,
        &with_company(&[
            person("Ján Skúšobný", "Skúšobná 7, 04001 Košice"),
            person("Jana Vzorová", "Vzorová 1, 81102 Bratislava"),
            person("Jana Vzorová", "Vzorová 2, 81102 Bratislava"),
        ]),
    );
    let ids = |items: &[Item], name: &str| -> Vec<Value> {
        of_name(items, name)
            .iter()
            .map(|one| one["entity_id"].clone())
            .collect()
    };
    let moved = with_company(&[
        person("JÁN SKÚŠOBNÝ", "Nová 9, 01001 Žilina"),
        person("Jana Vzorová", "Vzorová 1, 811 02 Bratislava"),
        person("Jana Vzorová", "Nová 8, 01001 Žilina"),
        person("Jana Vzorová", "Nová 9, 01001 Žilina"),
    ]);
    let later = after(first.clone(), "2026-01-16", &moved);
    let jan = one(&later, "JÁN SKÚŠOBNÝ");
    assert_eq!(jan["entity_id"], one(&first, "Ján Skúšobný")["entity_id"]);
    assert_eq!(
        (&jan["first_seen_on"], &jan["delisted_on"]),
        (&json!(DAY), &Value::Null)
    );
    assert_eq!(jan["licences"].as_array().map(Vec::len), Some(1));
    // Of two who might have moved neither is taken for the other: two are new, one stayed, one is delisted.
    let known = ids(&first, "Jana Vzorová");
    let all = of_name(&later, "Jana Vzorová");
    let is_known = |one: &&Value| known.contains(&one["entity_id"]);
    assert_eq!((all.len(), all.iter().filter(is_known).count()), (4, 2));
    let delisted: Vec<&Value> = all
        .iter()
        .filter(|one| one["is_current"] == false)
        .collect();
    assert_eq!(delisted.len(), 1);
    assert_eq!(delisted[0]["address"], "Vzorová 2, 81102 Bratislava");
}

#[test]
fn id_of_one_who_moved_away_is_not_given_again() {
    let address = "Skúšobná 7, 04001 Košice";
    let first = after(
        Vec::new(),
        DAY,
        &with_company(&[person("Ján Skúšobný", address)]),
    );
    let own = Identity::of_name("SK", "Ján Skúšobný", Some(address)).entity_id(0);
    assert_eq!(one(&first, "Ján Skúšobný")["entity_id"], own);
    let other = person("Ján Skúšobný", "Nová 9, 01001 Žilina");
    let second = after(
        first,
        "2026-01-16",
        &with_company(std::slice::from_ref(&other)),
    );
    assert_eq!(one(&second, "Ján Skúšobný")["entity_id"], own, "he moved");
    let both = with_company(&[other, person("Ján Skúšobný", address)]);
    let third = after(second, "2026-01-17", &both);
    let all = of_name(&third, "Ján Skúšobný");
    assert_eq!(all.len(), 2);
    let here: Vec<&Value> = all.iter().filter(|one| one["address"] == address).collect();
    assert_ne!(
        here[0]["entity_id"], own,
        "a namesake at the former address"
    );
    assert_eq!(here[0]["first_seen_on"], "2026-01-17");
}

#[test]
fn delisted_person_is_the_same_when_listed_again() {
    let jan = || person("Ján Skúšobný", "Skúšobná 7, 04001 Košice");
    let first = after(Vec::new(), DAY, &with_company(&[jan()]));
    let gone = after(first.clone(), "2026-01-16", &with_company(&[]));
    let entity = one(&gone, "Ján Skúšobný");
    assert_eq!(
        (&entity["is_current"], &entity["delisted_on"]),
        (&json!(false), &json!("2026-01-16"))
    );
    assert_eq!(entity["licences"][0]["ended_on"], "2026-01-16");
    let still_gone = after(gone, "2026-01-17", &with_company(&[]));
    assert_eq!(one(&still_gone, "Ján Skúšobný"), entity, "it ended once");
    let back = after(still_gone, "2026-01-18", &with_company(&[jan()]));
    assert_eq!(fingerprint(&back), fingerprint(&first));
}

#[test]
fn sole_trader_is_linked_to_the_person() {
    let trader =
        |ico: &str, name: &str, address: &str| named(&json!(ico), name, address, "SK", AGENT);
    let items = after(
        Vec::new(),
        DAY,
        &with_company(&[
            trader("99999919", "Ján Skúšobný", "Skúšobná 7, 04001 Košice"),
            person("Ján SKÚŠOBNÝ", "Skúšobná 7, 040 01 Košice"),
            trader("99999927", "Eva Vzorová", "Vzorová 1, 81102 Bratislava"),
            person("Eva Vzorová", "Vzorová 1, 81102 Bratislava"),
            person("Eva Vzorová", "Iná 2, 81102 Bratislava"),
            trader("99999935", "Iva Skúšobná", "Skúšobná 1, 81102 Bratislava"),
            person("Iva Skúšobná", "Vzorová 9, 811 02 Bratislava"),
            trader("99999943", "Ivo Skúšobný", "Skúšobná 1, 81102 Bratislava"),
            person("Ivo Skúšobný", "Vzorová 8, 811 02 Bratislava"),
            person("Ivo Skúšobný", "Vzorová 9, 811 02 Bratislava"),
            trader("99999951", "Oto Vzorový", "Skúšobná 1, 81102 Bratislava"),
            person("Oto Vzorový", "Vzorová 9, 01001 Žilina"),
        ]),
    );
    let all = entities(&items);
    let link = |ico: &str| {
        let trader = all.iter().find(|one| one["ico"] == ico).unwrap();
        let person = all
            .iter()
            .find(|one| one["entity_id"] == trader["person_id"]);
        (
            trader["person_match"].clone(),
            person.map(|one| one["address"].clone()),
        )
    };
    let (address, postcode) = (json!("address"), json!("name_postcode"));
    assert_eq!(
        link("99999919"),
        (address.clone(), Some(json!("Skúšobná 7, 040 01 Košice")))
    );
    assert_eq!(
        link("99999927"),
        (address, Some(json!("Vzorová 1, 81102 Bratislava")))
    );
    assert_eq!(
        link("99999935"),
        (postcode, Some(json!("Vzorová 9, 811 02 Bratislava")))
    );
    assert_eq!(link("99999943"), (Value::Null, None), "two fit");
    assert_eq!(link("99999951"), (Value::Null, None), "another postcode");
}

#[test]
fn unreadable_row_delists_only_whom_it_cannot_be() {
    let foreign = named(&json!("99999919"), "Musterbank AG", "Wien", "AT", "banka");
    let rows = with_company(&[
        foreign,
        named(
            &json!("99999919"),
            "Vzor, s. r. o.",
            "Košice",
            "SK",
            "banka",
        ),
        person("Ján Skúšobný", "Skúšobná 7, 04001 Košice"),
    ]);
    let first = after(Vec::new(), DAY, &rows);
    let odd = json!({ "id": "99999919", "country": "SK", "licenses": "banka" });
    let later = after(first.clone(), "2026-01-16", &with_company(&[odd]));
    let is_current = |items: &[Item], name: &str| one(items, name)["is_current"].clone();
    assert_eq!(
        is_current(&later, "Musterbank AG"),
        true,
        "the row may be its"
    );
    assert_eq!(is_current(&later, "Ján Skúšobný"), false);
    let placeholder = later
        .iter()
        .find(|item| item.key == "99999919|unreadable")
        .unwrap();
    assert_eq!(placeholder.ico.as_deref(), Some("99999919"));
    TestHost::new().install();
    let without_company = json!({ "id": [], "country": "SK", "licenses": [] });
    let later = after(first, "2026-01-16", &with_company(&[without_company]));
    assert_eq!(is_current(&later, "Ján Skúšobný"), true);
    let marker = later.iter().find(|item| item.key == "unreadable").unwrap();
    assert_eq!(marker.ico, None, "sections of all companies look for it");
}

#[test]
fn row_without_id_is_a_subject_by_its_name() {
    let before = after(Vec::new(), DAY, &with_company(&[]));
    let mut rows = with_company(&[]);
    rows.remove(1);
    let mut without_id = person("Ján Skúšobný", "Skúšobná 7, 04001 Košice");
    without_id.as_object_mut().unwrap().remove("id");
    rows.push(without_id);
    let later = after(before, "2026-01-16", &rows);
    assert_eq!(one(&later, "Ján Skúšobný")["ico"], Value::Null);
    assert!(
        later.iter().all(|item| item.key != "unreadable"),
        "it is not odd"
    );
    let ended = entities(&later)
        .into_iter()
        .find(|one| one["ico"] == "99900017");
    assert_eq!(
        ended.unwrap()["licences"][0]["ended_on"],
        "2026-01-16",
        "licences still end"
    );
}
