//! Recorded answers of the service, if this machine has them beside the repository.

use std::fs;

use lustra_gleif::answer;
use lustra_gleif::parent::Which;
use lustra_sdk::testing::{sample, samples};

fn lei(path: &std::path::Path) -> String {
    let name = path.file_stem().expect("a name").to_string_lossy();
    name.rsplit('_').next().expect("a part").to_owned()
}

#[test]
fn every_recorded_list_is_read() {
    for path in samples("gleif/lists", "sap.json") {
        let text = fs::read_to_string(&path).expect("UTF-8");
        assert_eq!(answer::records(&text).expect("a list").len(), 3);
    }
    for path in samples("gleif/lei_records", ".json") {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if name.contains("-children_") && !name.contains("851WYGNLUQLFZBSYGB56") {
            let text = fs::read_to_string(&path).expect("UTF-8");
            answer::records(&text).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        }
    }
}

#[test]
fn partial_list_is_malformed() {
    let path = "gleif/lei_records/direct-children_851WYGNLUQLFZBSYGB56.json";
    if let Some(path) = sample(path) {
        let text = fs::read_to_string(path).expect("UTF-8");
        assert!(answer::records(&text).is_err());
    }
}

#[test]
fn every_recorded_parent_and_exception_is_read() {
    for path in samples("gleif/lei_records", ".json") {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if name.contains("-parent_") || name.starts_with("single") {
            let text = fs::read_to_string(&path).expect("UTF-8");
            answer::named(&text).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        }
    }
    for path in samples("gleif/reporting_exceptions", ".json") {
        let text = fs::read_to_string(&path).expect("UTF-8");
        let which = if path.to_string_lossy().contains("ultimate") {
            Which::Ultimate
        } else {
            Which::Direct
        };
        let reason = answer::exception(&text, &lei(&path), which.category());
        assert!(!reason.expect("a reason").is_empty());
    }
}
