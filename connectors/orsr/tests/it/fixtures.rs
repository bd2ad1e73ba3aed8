//! Every folder of `fixtures/` is a case: a page in the wire's bytes and what comes of it. `UPDATE_FIXTURES=1` writes
//! what comes instead of checking it; the difference is review the diff.

use lustra_orsr::{company, extract, search};
use lustra_sdk::testing::fixtures::{Case, every_case};
use lustra_sdk::{Failure, failure, text};
use serde_json::{Value, json};

use crate::support;

#[test]
fn every_fixture_matches() {
    every_case(1, &[], |case| {
        let page = text::decode_windows_1250(&case.input);
        match case.name.split('-').next() {
            Some("extract") => of_extract(&page),
            Some("search") => of_search(&page),
            _ => panic!("{} is of no known kind", case.name),
        }
    });
}

fn of_extract(page: &str) -> Value {
    let company = |extract: Option<extract::Extract>| {
        extract
            .map(|extract| {
                company::read(&extract, "346/2").map(|company| (company, extract.unknown_labels))
            })
            .transpose()
    };
    match extract::read(page).and_then(company) {
        Ok(Some((company, unknown_labels))) => {
            json!({ "company": support::as_json(&company), "unknown_labels": unknown_labels })
        }
        Ok(None) => json!({ "company": null }),
        Err(failure) => failed(&failure),
    }
}

fn of_search(page: &str) -> Value {
    let phrases = ["miestnej nepríslušnosti".to_owned()];
    match search::read(page, "99999901", &phrases) {
        Ok(rows) => json!({ "rows": rows }),
        Err(failure) => failed(&failure),
    }
}

/// The failure without the found value, which for a whole page is long.
fn failed(failure: &Failure) -> Value {
    let reason = failure::reason(failure);
    json!({ "failure": reason.split(", found").next() })
}

#[test]
fn the_same_page_gives_the_same_bytes() {
    let page = text::decode_windows_1250(&Case::of("extract-sro-2025").input);
    let first = lustra_orsr::details_of_page(&page, "346/2").unwrap();
    assert_eq!(lustra_orsr::details_of_page(&page, "346/2").unwrap(), first);
}

/// A page truncated at any point is never half a record, and never an unknown company.
#[test]
fn truncated_page_fails() {
    let page = text::decode_windows_1250(&Case::of("extract-sro-2025").input);
    let footer = page.find("Dátum výpisu").unwrap();
    for end in (0..footer)
        .step_by(97)
        .filter(|end| page.is_char_boundary(*end))
    {
        let read = extract::read(&page[..end]);
        assert!(
            matches!(read, Err(Failure::Malformed(_) | Failure::Unavailable(_))),
            "{end} bytes of it"
        );
    }
}

/// A page that would exhaust the stack of a recursive reader.
#[test]
fn deeply_nested_page_is_read() {
    let page = text::decode_windows_1250(&Case::of("extract-sro-2025").input);
    let nested = page.replacen(
        "<td width=\"67%\">",
        &format!("<td width=\"67%\">{}", "<div>".repeat(2_000)),
        1,
    );
    assert!(matches!(extract::read(&nested), Ok(Some(_)) | Err(_)));
}
