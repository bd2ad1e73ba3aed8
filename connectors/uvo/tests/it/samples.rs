//! Recorded pages of the office's site, where they lie beside the project: they are of another register and an older
//! layout, so they are its own and hold no entry of any list here.

use std::fs;

use lustra_sdk::Failure;
use lustra_sdk::testing::{Answer, samples};

use crate::world::{ICO, failure, host};

#[test]
fn recorded_pages_of_other_registers_are_no_finding() {
    for file in samples("uvo", ".html") {
        let page = fs::read_to_string(&file).unwrap();
        lustra_uvo::site::page(&page).unwrap();
        for (scope, path) in [
            (
                "contracting_authority",
                format!("/vyhladavanie/vyhladavanie-profilov?ico={ICO}"),
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
