//! Recorded pages of the office's site, if present beside the project. They show another register in an older
//! layout, so they are the office's pages without an entry of any list here.

use std::fs;

use lustra_sdk::Failure;
use lustra_sdk::testing::{Answer, samples};

use crate::world::{ICO, failure, host};

#[test]
fn recorded_pages_of_other_registers_are_refused() {
    for file in samples("uvo", ".html") {
        let page = fs::read_to_string(&file).unwrap();
        let own = lustra_uvo::site::page(&page).unwrap();
        // Notices mention maintenance and outages without being outage pages.
        if !file.ends_with("issue_for_date_not_found_page.html") {
            let strange = lustra_uvo::site::strange(&own, "page", "a label");
            assert!(
                matches!(strange, Failure::Malformed(_)),
                "{}",
                file.display()
            );
        }
        for (scope, path) in [
            (
                "contracting_authority",
                format!("/vyhladavanie/vyhladavanie-zakaziek?obstarIco={ICO}"),
            ),
            (
                "uvo_references",
                format!("/vyhladavanie/vyhladavanie-referencii?icoDodavatela={ICO}"),
            ),
        ] {
            host(&[(&path, Answer::html(page.clone()))]).install();
            let failure = failure(scope);
            assert!(
                matches!(failure, Failure::Malformed(_) | Failure::Unavailable(_)),
                "{}: {failure:?}",
                file.display()
            );
        }
    }
}
