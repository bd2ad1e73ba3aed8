//! Whole imports through a test host: consistent pages, the operator's file, and failures.

use lustra_illegal_employment::IllegalEmployment;
use lustra_sdk::testing::{Answer, TestHost, batches, ico};
use lustra_sdk::{Failure, Importer};
use serde_json::json;

use crate::world::{ICO, import, page, paged, path, row};

fn rows(range: std::ops::Range<u32>) -> Vec<String> {
    range
        .map(|number| row(&ico(9_900_000 + number), "31.03.2025"))
        .collect()
}

#[test]
fn all_pages_are_one_list() {
    paged(&[
        page(5, &rows(0..2)),
        page(5, &rows(2..4)),
        page(5, &rows(4..5)),
    ])
    .install();
    let items = import().unwrap();
    assert_eq!(items.len(), 5);
    assert!(
        items
            .iter()
            .all(|item| item.ico.is_some() && item.name.is_none())
    );
    let asked: Vec<String> = (1..4)
        .map(|number| format!("ip {}", path(number)))
        .collect();
    assert_eq!(TestHost::requests(), asked);
}

#[test]
fn pages_of_natural_persons_only_are_distinguished() {
    // Nothing of persons without a number is stored, so their rows are equal to the list.
    let persons = |range: std::ops::Range<u32>| -> Vec<String> {
        range
            .map(|number| {
                row("", "31.03.2025").replace("Vzor, s. r. o.", &format!("Osoba {number}"))
            })
            .collect()
    };
    paged(&[
        page(5, &rows(0..1)),
        page(5, &persons(0..2)),
        page(5, &persons(2..4)),
    ])
    .install();
    assert_eq!(import().unwrap().len(), 1);
}

#[test]
fn inconsistent_pages_fail() {
    for (name, pages, is_malformed) in [
        (
            "one is empty",
            vec![page(5, &rows(0..2)), page(5, &[])],
            true,
        ),
        (
            "too many",
            vec![page(3, &rows(0..2)), page(3, &rows(2..4))],
            true,
        ),
        (
            "always the same",
            vec![page(4, &rows(0..2)), page(4, &rows(0..2))],
            true,
        ),
        (
            "the list changed",
            vec![page(4, &rows(0..2)), page(5, &rows(2..4))],
            false,
        ),
        (
            "the second is out of order",
            vec![page(4, &rows(0..2)), Answer::html("<html>Údržba</html>")],
            true,
        ),
        (
            "the second is absent",
            vec![page(4, &rows(0..2)), Answer::status(404, "x")],
            false,
        ),
    ] {
        paged(&pages).install();
        match import().expect_err(name) {
            Failure::Malformed(_) => assert!(is_malformed, "{name}"),
            Failure::Unavailable(_) => assert!(!is_malformed, "{name}"),
            other @ (Failure::Throttled(_)
            | Failure::Misconfigured(_)
            | Failure::Refused(_)
            | Failure::Other(_)) => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn answer_that_is_not_a_list_fails() {
    for (name, answer) in [
        ("nothing", Answer::ok("")),
        ("garbage", Answer::ok(vec![0xff; 64])),
        ("JSON", Answer::ok("{}")),
        ("status 500", Answer::status(500, "x")),
        ("no rows", page(0, &[])),
    ] {
        paged(&[answer]).install();
        assert!(
            matches!(
                import(),
                Err(Failure::Malformed(_) | Failure::Unavailable(_))
            ),
            "{name}"
        );
    }
    let busy = Answer::status(429, "").with_header("retry-after", "30");
    paged(&[busy]).install();
    assert!(matches!(import(), Err(Failure::Throttled(Some(30)))));
}

#[test]
fn page_addresses_are_settings() {
    TestHost::new()
        .setting("page_path", &json!("/zoznam?typ=nz"))
        .setting("page_parameter", &json!("p"))
        .setting("first_page", &json!(0))
        .answer("ip", "/zoznam?typ=nz&p=0", page(1, &rows(0..1)))
        .install();
    assert_eq!(import().unwrap().len(), 1);
}

#[test]
fn operator_file_replaces_the_pages() {
    let file = format!(
        "Názov;IČO;Dátum právoplatnosti\nVzor;{ICO};2025-03-31\nJán Vymyslený;;2025-03-31\n"
    );
    TestHost::new()
        .setting("source", &json!("file"))
        .answer("illegal-employment-list", "", Answer::ok(file))
        .install();
    let batch = batches::<IllegalEmployment>("fines", None)
        .unwrap()
        .remove(0);
    assert_eq!(batch.items.len(), 1);
    assert_eq!(batch.items[0].ico.as_deref(), Some(ICO));
    let without_ico = batch
        .notes
        .iter()
        .find(|note| note.name == "rows_without_ico");
    assert_eq!(without_ico.map(|note| note.value.as_str()), Some("1"));
    assert_eq!(TestHost::requests(), ["illegal-employment-list "]);
}

#[test]
fn the_key_does_not_depend_on_the_address() {
    let key = |answer: Answer| {
        paged(&[answer]).install();
        import().unwrap().remove(0).key
    };
    let listed = row(ICO, "31.03.2025");
    let before = key(page(1, std::slice::from_ref(&listed)));
    assert_eq!(before, key(page(1, &[listed.replace("Nitra", "Martin")])));
    assert_ne!(before, key(page(1, &[listed.replace("§ 2", "§ 3")])));
}

#[test]
fn only_the_known_dataset_is_offered() {
    TestHost::new().install();
    assert!(matches!(
        IllegalEmployment::open("list", None).err(),
        Some(Failure::Other((code, _))) if code == "not-offered"
    ));
}
