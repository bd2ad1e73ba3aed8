//! Whole imports.

use lustra_sanctions::Sanctions;
use lustra_sanctions::dataset::Dataset;
use lustra_sanctions::settings::default_path;
use lustra_sdk::testing::fixtures::Case;
use lustra_sdk::testing::{Answer, TestHost, batches, run_import};
use lustra_sdk::{Failure, Importer};

fn answering(dataset: Dataset, answer: Answer) -> TestHost {
    TestHost::new().answer(dataset.upstream(), default_path(dataset), answer)
}

#[test]
fn a_list_becomes_entries_and_the_words_they_are_found_by() {
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

#[test]
fn a_persons_record_is_found_by_nobodys_name() {
    let list = Case::of("ofac-person");
    answering(Dataset::OfacSdn, Answer::ok(list.input)).install();
    let (items, _, _) = run_import::<Sanctions>("ofac-sdn", None).unwrap();
    assert!(items.iter().all(|item| item.name.is_none()));
}

#[test]
fn what_is_no_list_is_a_failure() {
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
