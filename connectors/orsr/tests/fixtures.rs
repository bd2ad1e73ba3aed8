//! Every folder of `fixtures/` is a case: a page in the wire's bytes and what comes of it. `UPDATE_FIXTURES=1` writes
//! what comes instead of checking it; the difference is to be read before it is kept.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::fs;
use std::path::Path;

use lustra_orsr::{company, extract, search};
use lustra_sdk::{Failure, failure, text};
use serde_json::{Value, json};

#[path = "support/mod.rs"]
mod support;

#[test]
fn every_fixture_gives_what_is_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    assert!(!cases.is_empty());
    let mut wrong = Vec::new();
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let page = text::decode_windows_1250(&fs::read(case.join("input.html")).unwrap());
        let actual = match name.split('-').next() {
            Some("extract") => of_extract(&page),
            Some("search") => of_search(&page),
            _ => panic!("{name} is of no known kind"),
        };
        let file = case.join("expected.json");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&file, format!("{actual:#}\n")).unwrap();
            continue;
        }
        let expected: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        if actual != expected {
            wrong.push(format!("{name} gives\n{actual:#}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
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
    match search::read(page, &phrases) {
        Ok(rows) => json!({ "rows": rows }),
        Err(failure) => failed(&failure),
    }
}

/// The failure without what was found, which for a whole page is long.
fn failed(failure: &Failure) -> Value {
    let reason = failure::reason(failure);
    json!({ "failure": reason.split(", found").next() })
}

#[test]
fn the_same_page_gives_the_same_bytes() {
    let page = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/extract-sro-2025/input.html"
    ))
    .unwrap();
    let page = text::decode_windows_1250(&page);
    let first = lustra_orsr::details_of_page(&page, "346/2").unwrap();
    assert_eq!(lustra_orsr::details_of_page(&page, "346/2").unwrap(), first);
}

/// A page that was cut off anywhere is never half a record, and never a company that does not exist.
#[test]
fn a_page_that_was_cut_off_is_a_failure() {
    let page = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/extract-sro-2025/input.html"
    ))
    .unwrap();
    let page = text::decode_windows_1250(&page);
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

/// A page made to exhaust a reader that calls itself for each level.
#[test]
fn a_page_nested_without_end_is_read() {
    let page = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/extract-sro-2025/input.html"
    ))
    .unwrap();
    let page = text::decode_windows_1250(&page);
    let nested = page.replacen(
        "<td width=\"67%\">",
        &format!("<td width=\"67%\">{}", "<div>".repeat(2_000)),
        1,
    );
    assert!(matches!(extract::read(&nested), Ok(Some(_)) | Err(_)));
}
