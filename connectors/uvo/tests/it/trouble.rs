//! A failing site: a section never claims what was not read.

use lustra_sdk::testing::{Answer, TestHost, run_import, subject};
use lustra_sdk::{Enrichment, Failure, failure};
use lustra_uvo::Uvo;
use lustra_uvo::import::DATASET;
use serde_json::json;

use crate::world::{ICO, NOTHING, text};

/// Every path requested for the company, and the register of barred persons.
const PATHS: [(&str, &str); 4] = [
    (
        "reges",
        "/vyhladavanie/globalne-vyhladavanie?globalSearch=99999994&searchType=ZHS",
    ),
    (
        "contracting_authority",
        "/vyhladavanie/vyhladavanie-zakaziek?obstarIco=99999994",
    ),
    (
        "uvo_references",
        "/vyhladavanie/vyhladavanie-referencii?icoDodavatela=99999994",
    ),
    (
        DATASET,
        "/zaujemca-uchadzac/registre-o-hospodarskych-subjektoch/register-osob-so-zakazom",
    ),
];

/// The path requested if there are no orders.
const PROFILES: &str = "/vyhladavanie/vyhladavanie-profilov?ico=99999994";

/// Reads a scope or the dataset while the site returns this answer.
fn read(what: &str, path: &str, answer: Answer) -> Result<(), Failure> {
    TestHost::new()
        .setting("suppliers", &json!({ "search_type": "ZHS" }))
        .answer("uvo", PROFILES, Answer::html(text(NOTHING)))
        .answer("uvo", path, answer)
        .install();
    if what == DATASET {
        run_import::<Uvo>(DATASET, None).map(drop)
    } else {
        Uvo::enrich(what, subject(ICO)).map(drop)
    }
}

#[test]
fn only_office_statement_means_nothing_found() {
    for (what, path) in PATHS {
        assert!(
            read(what, path, Answer::html(text(NOTHING))).is_ok(),
            "{what}"
        );
        for page in [
            String::new(),
            "<html><body><p>Zadaný výraz nebol nájdený.</p></body></html>".to_owned(),
            text("<p>0 záznamov</p>"),
            text("<p>Prebieha údržba.</p>"),
            text(""),
            text("<p>3 záznamov</p>"),
            text("<p>3 záznamov</p><table><tr><th>a</th></tr></table>"),
            "{\"total\":0}".to_owned(),
        ] {
            let failure = read(what, path, Answer::html(page.clone())).expect_err(&page);
            assert!(
                matches!(failure, Failure::Malformed(_) | Failure::Unavailable(_)),
                "{what}: {page}: {failure:?}"
            );
        }
    }
}

#[test]
fn truncated_page_is_refused() {
    let whole = text(NOTHING);
    let end = whole.find("</html").unwrap();
    for (what, path) in PATHS {
        for length in (0..=end)
            .step_by(7)
            .filter(|at| whole.is_char_boundary(*at))
        {
            let cut = Answer::html(whole[..length].to_owned());
            assert!(read(what, path, cut).is_err(), "{what} cut at {length}");
        }
    }
}

#[test]
fn a_status_is_a_failure() {
    for (what, path) in PATHS {
        for status in [302, 403, 404, 500, 503] {
            let failure = read(what, path, Answer::status(status, text(NOTHING))).unwrap_err();
            assert!(
                matches!(failure, Failure::Unavailable(_)),
                "{what} {status}"
            );
        }
        let busy = Answer::status(429, "").with_header("retry-after", "30");
        assert!(matches!(
            read(what, path, busy),
            Err(Failure::Throttled(Some(30)))
        ));
    }
}

#[test]
fn failures_quote_no_names() {
    let person = "Jana Skúšobná";
    let block = format!(
        "<p>1 záznamov</p><div class=\"result\"><h3>{person}</h3><span>Osoba so zákazom</span>\
         <p>IČO: 99000032 {person}</p><p>Zákaz od: {person} do: {person}</p></div>"
    );
    let (what, path) = PATHS[3];
    let told = failure::reason(&read(what, path, Answer::html(text(&block))).unwrap_err());
    assert!(!told.contains("Skúšobná"), "{told}");
}

#[test]
fn hostile_keys_and_other_scopes_are_refused() {
    for key in ["", "\0", "9999990", "' or 1=1 --", "\u{202e}10999999"] {
        TestHost::new().install();
        for (scope, _) in PATHS {
            assert!(Uvo::enrich(scope, subject(key)).is_err(), "{key}");
        }
        assert!(TestHost::requests().is_empty(), "{key}");
    }
    let failure = Uvo::enrich("x", subject(ICO)).unwrap_err();
    assert!(matches!(failure, Failure::Other((code, _)) if code == "not-offered"));
}
