//! Recorded answers of the search, if present beside the repository.

use std::fs;

use lustra_sdk::serde_json::{Value, from_str};
use lustra_sdk::testing::samples;
use lustra_ted::settings::Settings;
use lustra_ted::{notice, page};

#[test]
fn every_recorded_page_is_read() {
    for path in samples("ted", ".json") {
        let text = fs::read_to_string(&path).expect("UTF-8");
        let mut answer: Value = from_str(&text).expect("JSON");
        // One of them has no envelope.
        if answer.get("timedOut").is_some() {
            let page = page::read(&text, 0).expect("a page");
            assert!(!page.notices.is_empty() && page.token.is_none());
        }
        for one in answer["notices"].as_array_mut().expect("notices") {
            let members = one.as_object().expect("an object");
            let read = notice::read(members, &Settings::default()).expect("a notice");
            // Not every recording requested a title, and not every notice has a total estimate.
            assert!(read.date.is_some(), "{read:?}");
            assert_eq!(read.title.is_some(), members.contains_key("notice-title"));
            let estimate = read.estimate.and_then(|money| money.currency);
            assert_eq!(
                estimate.is_some(),
                members.contains_key("estimated-value-proc")
            );
            let value = read.value.and_then(|money| money.currency);
            assert_eq!(value.is_some(), members.contains_key("total-value"));
        }
    }
}
