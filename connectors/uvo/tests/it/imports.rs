//! Whole imports of the register of barred persons.

use lustra_sdk::testing::{Answer, TestHost, ico, run_import};
use lustra_sdk::{Failure, Item};
use lustra_uvo::Uvo;
use lustra_uvo::import::DATASET;
use serde_json::{Value, json};

use crate::world::{NOTHING, count, host, page};

const PATH: &str =
    "/zaujemca-uchadzac/registre-o-hospodarskych-subjektoch/register-osob-so-zakazom";
const BEFORE: &str = "2026-01-14T05:20:00Z";

/// A block of the person with a number.
fn block(number: u32, until: &str) -> String {
    let ico = ico(9_900_000 + number);
    format!(
        "<div class=\"result\"><h3>Fikcia {number}, s.r.o.</h3><span>Osoba so zákazom</span>\
         <p>IČO: {ico}, Sídlo: Neexistujúca 1, 000 01 Vymyslené</p><p>Číslo rozhodnutia: {number}/2025</p>\
         <p>Zákaz od: 01.06.2025 do: {until}</p></div>"
    )
}

fn blocks(numbers: impl IntoIterator<Item = u32>) -> String {
    numbers
        .into_iter()
        .map(|number| block(number, "31.05.2028"))
        .collect()
}

/// A host whose register has these pages, each stating the total.
fn pages(total: usize, pages: &[String]) -> TestHost {
    let answers: Vec<(String, Answer)> = (1..)
        .zip(pages)
        .map(|(number, blocks)| {
            let path = match number {
                1 => PATH.to_owned(),
                further => format!("{PATH}?pageNo={further}"),
            };
            (path, page(&format!("{}{blocks}", count(total))))
        })
        .collect();
    let answers: Vec<(&str, Answer)> = answers
        .iter()
        .map(|(path, answer)| (path.as_str(), answer.clone()))
        .collect();
    host(&answers)
}

fn import() -> Result<Vec<Item>, Failure> {
    run_import::<Uvo>(DATASET, None).map(|(items, _, _)| items)
}

/// Key, state, first day seen and day of removal of each record.
fn told(items: &[Item]) -> Vec<(String, Value)> {
    let of = |item: &Item| {
        let content: Value = serde_json::from_str(&item.content).unwrap();
        let days = json!([
            content["status"],
            content["first_seen_on"],
            content["removed_on"]
        ]);
        (item.key.clone(), days)
    };
    items.iter().map(of).collect()
}

#[test]
fn pages_are_read_up_to_the_stated_total() {
    pages(5, &[blocks(1..=2), blocks(3..=4), blocks(5..=5)]).install();
    let (items, companies, cursors) = run_import::<Uvo>(DATASET, None).unwrap();
    assert!(companies.is_empty());
    assert_eq!(items.len(), 5);
    assert_eq!(items[0].ico.as_deref(), Some(ico(9_900_001).as_str()));
    assert_eq!(items[0].name, None, "names are not kept");
    let again = run_import::<Uvo>(DATASET, cursors.last().cloned()).unwrap();
    assert!(again.0.is_empty(), "it goes on behind its end");
}

#[test]
fn register_stating_it_is_empty_is_accepted() {
    host(&[(PATH, page(NOTHING))]).install();
    assert_eq!(import().unwrap().len(), 0);
}

#[test]
fn list_not_matching_its_total_is_refused() {
    let refused = |total, list: &[String]| {
        pages(total, list).install();
        import().expect_err("it does not add up")
    };
    for (total, list) in [
        (3, vec![blocks(1..=2), String::new()]),
        (1, vec![blocks(1..=2)]),
        (4, vec![blocks(1..=2), blocks(1..=2)]),
    ] {
        let failure = refused(total, &list);
        assert!(
            matches!(failure, Failure::Malformed(_)),
            "{total}: {failure:?}"
        );
    }
    let moved = refused(4, &[blocks(1..=2), blocks(2..=3)]);
    assert!(matches!(moved, Failure::Unavailable(_)), "{moved:?}");
    let further = format!("{PATH}?pageNo=2");
    let of = |total, numbers| page(&format!("{}{}", count(total), blocks(numbers)));
    host(&[(PATH, of(4, 1..=2)), (&further, of(5, 3..=4))]).install();
    assert!(matches!(import(), Err(Failure::Unavailable(_))), "it grew");
    host(&[(PATH, of(4, 1..=2)), (&further, page(NOTHING))]).install();
    assert!(import().is_err(), "the rest is gone");
}

#[test]
fn most_of_the_list_has_a_number() {
    let foreign = block(1, "31.05.2028").replace("IČO:", "Registračné číslo: X, IČO: HRB");
    let foreign = |name: &str| foreign.replace("Fikcia", name);
    pages(
        3,
        &[format!(
            "{}{}{}",
            foreign("A"),
            foreign("B"),
            block(2, "31.05.2028")
        )],
    )
    .install();
    assert!(matches!(import(), Err(Failure::Malformed(_))));
    pages(2, &[format!("{}{}", foreign("A"), block(2, "31.05.2028"))]).install();
    assert_eq!(import().unwrap().len(), 1);
}

#[test]
fn one_unreadable_block_does_not_fail_the_list() {
    let odd = block(2, "nevedno kedy");
    let of_odd = ico(9_900_002);
    pages(
        3,
        &[format!(
            "{}{odd}{}",
            block(1, "31.05.2028"),
            block(3, "31.05.2028")
        )],
    )
    .install();
    let items = import().unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(keys.len(), 3, "{keys:?}");
    assert_eq!(keys[2], format!("unreadable/{of_odd}"));
    assert_eq!(items[2].ico, Some(of_odd));
    let odd = |number: u32| block(number, "nevedno kedy");
    pages(
        3,
        &[format!("{}{}{}", odd(1), odd(2), block(3, "31.05.2028"))],
    )
    .install();
    let failure = import().unwrap_err();
    assert!(
        matches!(&failure, Failure::Malformed(drift) if drift.what.contains("odd rows")),
        "{failure:?}"
    );
    pages(1, &[odd(1)]).install();
    assert!(matches!(import().unwrap_err(), Failure::Malformed(_)));
}

#[test]
fn odd_number_in_a_block_ends_no_ban() {
    pages(3, &[blocks(1..=3)])
        .now("2026-01-14T05:20:00Z")
        .install();
    let before = import().unwrap();
    let number = ico(9_900_002);
    let mistyped = format!("{}x{}", &number[..2], &number[3..]);
    for damaged in [mistyped.as_str(), "", "-"] {
        let list = blocks(1..=3).replace(&number, damaged);
        pages(3, &[list])
            .dataset(DATASET, BEFORE, None, before.clone())
            .install();
        let after = import().unwrap();
        let removed = told(&after)
            .into_iter()
            .filter(|(_, days)| !days[2].is_null());
        assert_eq!(removed.count(), 0, "{damaged}");
    }
}

#[test]
fn duplicate_decision_does_not_fail_the_list() {
    let other = block(2, "31.05.2029");
    pages(3, &[format!("{}{other}", blocks(1..=2))]).install();
    let items = import().unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(keys.len(), 3, "{keys:?}");
    assert_eq!(keys[2], format!("unreadable/{}", ico(9_900_002)));
}

#[test]
fn earlier_bans_above_one_piece_are_all_kept() {
    pages(5, &[blocks(1..=5)])
        .now("2026-01-14T05:20:00Z")
        .install();
    let before = import().unwrap();
    let largest = before.iter().map(|item| item.content.len()).max();
    pages(4, &[blocks(1..=4)])
        .piece(2 * largest.unwrap())
        .dataset(DATASET, BEFORE, None, before)
        .install();
    let after = import().unwrap();
    let days: Vec<Value> = told(&after).into_iter().map(|(_, days)| days).collect();
    assert_eq!(days.len(), 5);
    assert_eq!(days[4], json!(["removed", "2026-01-14", "2026-01-15"]));
}

#[test]
fn later_import_keeps_removed_bans() {
    pages(2, &[blocks(1..=2)])
        .now("2026-01-14T05:20:00Z")
        .install();
    let before = import().unwrap();
    pages(2, &[blocks(2..=3)])
        .dataset(DATASET, BEFORE, None, before.clone())
        .install();
    let after = import().unwrap();
    let days: Vec<Value> = told(&after).into_iter().map(|(_, days)| days).collect();
    assert_eq!(
        days,
        [
            json!(["removed", "2026-01-14", "2026-01-15"]),
            json!(["active", "2026-01-14", null]),
            json!(["active", "2026-01-15", null]),
        ]
    );
    let keys = |items: &[Item]| {
        told(items)
            .into_iter()
            .map(|(key, _)| key)
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&after)[..2], keys(&before), "keys stay");
}

#[test]
fn half_a_register_needs_the_operators_consent() {
    pages(20, &[blocks(1..=20)]).install();
    let before = import().unwrap();
    let half = |list: TestHost| list.dataset(DATASET, BEFORE, None, before.clone());
    half(pages(7, &[blocks(1..=7)])).install();
    assert!(matches!(import(), Err(Failure::Malformed(_))));
    half(host(&[(PATH, page(NOTHING))])).install();
    assert!(matches!(import(), Err(Failure::Malformed(_))));
    half(pages(7, &[blocks(1..=7)]))
        .setting("most_vanished_percent", &json!(80))
        .install();
    assert_eq!(import().unwrap().len(), 20);
}

#[test]
fn a_cursor_of_another_list_is_refused() {
    pages(2, &[blocks(1..=2)]).install();
    let (_, _, cursors) = run_import::<Uvo>(DATASET, None).unwrap();
    pages(3, &[blocks(1..=3)]).install();
    for cursor in [cursors[0].as_str(), "", "{}"] {
        let failure = run_import::<Uvo>(DATASET, Some(cursor.to_owned())).err();
        assert!(matches!(failure, Some(Failure::Other((code, _))) if code == "list-changed"));
    }
}

#[test]
fn only_known_datasets_are_offered() {
    TestHost::new().install();
    let failure = run_import::<Uvo>("suppliers", None).err();
    assert!(matches!(failure, Some(Failure::Other((code, _))) if code == "not-offered"));
}
