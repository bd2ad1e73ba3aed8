//! Whole imports.

use lustra_sanctions::Sanctions;
use lustra_sanctions::dataset::Dataset;
use lustra_sanctions::settings::Settings;
use lustra_sdk::testing::fixtures::Case;
use lustra_sdk::testing::{Answer, TestHost, batches, run_import};
use lustra_sdk::{Failure, Importer};
use serde_json::json;

fn answering(dataset: Dataset, answer: Answer) -> TestHost {
    TestHost::new().answer(
        dataset.upstream(),
        Settings::default().path(dataset),
        answer,
    )
}

#[test]
fn list_becomes_entries_and_word_buckets() {
    for (dataset, case) in [
        (Dataset::EuFsf, "eu-ordinary"),
        (Dataset::OfacSdn, "ofac-ordinary"),
        (Dataset::OfacConsolidated, "ofac-older-namespace"),
    ] {
        answering(dataset, Answer::ok(Case::of(case).input)).install();
        let all = batches::<Sanctions>(dataset.id(), None).unwrap();
        assert_eq!(all[0].list_date.as_deref(), Some("2026-01-15"), "{case}");
        let items = &all[0].items;
        let entries: Vec<_> = items
            .iter()
            .filter(|item| item.key.starts_with("e/"))
            .collect();
        assert_eq!(entries.len(), 1, "{case}");
        assert_eq!(entries[0].ico.as_deref(), Some("99000032"), "{case}");
        assert!(entries[0].name.is_some(), "{case}");
        assert!(items.iter().any(|item| item.key == "form"), "{case}");
        assert!(
            items.iter().any(|item| item.key.starts_with("w/e/")),
            "{case}"
        );
        let rest = &items[1..];
        assert!(
            rest.iter().all(|item| !item.content.contains("Neexist")),
            "{case}"
        );
    }
}

fn entries(dataset: Dataset, list: impl Into<Vec<u8>>) -> Vec<String> {
    answering(dataset, Answer::ok(list)).install();
    let (items, _, _) = run_import::<Sanctions>(dataset.id(), None).unwrap();
    let keys = items.into_iter().map(|item| item.key);
    keys.filter(|key| key.starts_with("e/")).collect()
}

#[test]
fn keys_stay_when_a_second_entry_shares_the_reference() {
    let of = |case: &str| entries(Dataset::EuFsf, Case::of(case).input);
    assert_eq!(of("eu-ordinary"), ["e/1/"]);
    assert_eq!(of("eu-shared-reference"), ["e/1/", "e/7/"]);
    assert_eq!(of("eu-two-of-one-number"), ["e/1/", "e/1~2/"]);
    assert_eq!(
        of("eu-no-number"),
        ["e/1/"],
        "the internal number stands in"
    );
}

/// A list with `odd` entries that cannot be stored among `count` others.
fn with_odd(count: usize, odd: usize) -> String {
    let entry = |number: usize| {
        let kind = if number < odd { "ship" } else { "enterprise" };
        format!(
            "<sanctionEntity euReferenceNumber=\"EU.1.{number}\" logicalId=\"{number}\">\
             <subjectType code=\"{kind}\"/><nameAlias wholeName=\"Vzor {number}\"/></sanctionEntity>"
        )
    };
    let entries: String = (0..count).map(entry).collect();
    format!("<export generationDate=\"2026-01-15\">{entries}</export>")
}

#[test]
fn too_many_odd_entries_refuse_the_list() {
    assert_eq!(entries(Dataset::EuFsf, with_odd(3, 1)).len(), 2);
    assert_eq!(entries(Dataset::EuFsf, with_odd(300, 3)).len(), 297);
    let many = || answering(Dataset::EuFsf, Answer::ok(with_odd(300, 4)));
    many().install();
    let failure = run_import::<Sanctions>("eu-fsf", None).unwrap_err();
    let Failure::Malformed(drift) = &failure else {
        panic!("{failure:?}");
    };
    assert!(drift.expected.contains("max_odd_share"), "{drift:?}");
    assert_eq!(drift.found, "unknown_type 4 of 300");
    many().setting("max_odd_share", &json!(0.02)).install();
    let (items, _, _) = run_import::<Sanctions>("eu-fsf", None).unwrap();
    assert!(items.iter().any(|item| item.key == "e/299/"));
    answering(Dataset::EuFsf, Answer::ok(with_odd(1, 1))).install();
    assert!(
        run_import::<Sanctions>("eu-fsf", None).is_err(),
        "nothing is left"
    );
}

#[test]
fn records_of_persons_are_not_indexed_by_name() {
    let list = Case::of("ofac-person");
    answering(Dataset::OfacSdn, Answer::ok(list.input)).install();
    let (items, _, _) = run_import::<Sanctions>("ofac-sdn", None).unwrap();
    assert!(items.iter().all(|item| item.name.is_none()));
}

#[test]
fn answer_that_is_not_a_list_fails() {
    let whole = Case::of("eu-ordinary").input;
    for (name, answer, is_malformed) in [
        ("a page", Answer::ok("<html>Maintenance</html>"), false),
        ("nothing", Answer::ok(""), true),
        ("garbage", Answer::ok(vec![0xff; 64]), true),
        (
            "a list cut short",
            Answer::ok(whole[..whole.len() / 2].to_vec()),
            true,
        ),
        (
            "another list",
            Answer::ok(Case::of("ofac-ordinary").input),
            true,
        ),
        ("status 403", Answer::status(403, "x"), false),
        ("status 500", Answer::status(500, "x"), false),
    ] {
        answering(Dataset::EuFsf, answer).install();
        match run_import::<Sanctions>("eu-fsf", None).map(|_| ()) {
            Err(Failure::Malformed(_)) => assert!(is_malformed, "{name}"),
            Err(_) => assert!(!is_malformed, "{name}"),
            Ok(()) => panic!("{name} is taken for a list"),
        }
    }
}

#[test]
fn only_known_datasets_are_offered() {
    TestHost::new().install();
    for dataset in ["", "eu", "eu-fsf\0"] {
        let opened = Sanctions::open(dataset, None).err();
        assert!(matches!(opened, Some(Failure::Other((code, _))) if code == "not-offered"));
    }
}
