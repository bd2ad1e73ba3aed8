//! Imports that fail: half a list, answers that are not a list, and records of another version.

use lustra_sdk::testing::{Answer, TestHost, archive};
use lustra_sdk::{Failure, Item};
use serde_json::json;

use super::{DAY, import, rows};
use crate::world::{ICO, IMPORTED, entity, institutions, item, licence, listing, row};

#[test]
fn half_a_list_is_refused() {
    let before: Vec<Item> = (0..200)
        .map(|number| {
            let ico = format!("{}", 99_000_000 + number);
            entity(&ico, vec![licence("Viazaný finančný agent", None)])
        })
        .collect();
    let host = || {
        listing(DAY, institutions(&rows(100))).dataset(
            "institutions",
            IMPORTED,
            None,
            before.clone(),
        )
    };
    host().install();
    match import("institutions") {
        Err(Failure::Malformed(drift)) => assert!(
            drift.expected.contains("at most 20 % of the 200"),
            "{drift:?}"
        ),
        other => panic!("{other:?}"),
    }
    host()
        .setting("most_vanished_percent", &json!(60))
        .install();
    assert!(import("institutions").is_ok());
}

#[test]
fn answer_that_is_not_a_list_fails() {
    let list = json!({"institutions": rows(50)}).to_string();
    let list = list.as_bytes();
    let whole = archive(&[("a.json", list)]);
    let page = || Answer::ok("<html>Odstávka</html>");
    for (name, answer, malformed) in [
        (
            "a page that says so",
            page().with_header("content-type", "text/html"),
            false,
        ),
        ("a page that does not", page(), true),
        ("the list unpacked", Answer::ok(list), true),
        ("nothing", Answer::ok(""), true),
        ("garbage", Answer::ok(vec![0xff; 64]), true),
        (
            "an archive cut short",
            Answer::ok(whole[..whole.len() / 2].to_vec()),
            true,
        ),
        ("another file", Answer::zip(&[("readme.txt", list)]), true),
        (
            "two lists",
            Answer::zip(&[("a.json", list), ("b.json", list)]),
            true,
        ),
        (
            "a packed page",
            Answer::zip(&[("a.json", b"<html></html>")]),
            false,
        ),
        (
            "a list cut short",
            Answer::zip(&[("a.json", &list[..list.len() / 2])]),
            true,
        ),
        (
            "another charset",
            Answer::ok(archive(&[(
                "a.json",
                b"{\"institutions\":[{\"id\":\"\x9e\"}]}",
            )])),
            true,
        ),
        ("status 404", Answer::status(404, "x"), false),
        ("status 500", Answer::status(500, "x"), false),
    ] {
        TestHost::new().answer("nbs", "/api/json", answer).install();
        match import("institutions").expect_err(name) {
            Failure::Malformed(_) => assert!(malformed, "{name}"),
            Failure::Unavailable(_) => assert!(!malformed, "{name}"),
            other @ (Failure::Throttled(_)
            | Failure::Misconfigured(_)
            | Failure::Refused(_)
            | Failure::Other(_)) => {
                panic!("{name}: {other:?}")
            }
        }
    }
    let busy = Answer::status(429, "").with_header("retry-after", "30");
    TestHost::new().answer("nbs", "/api/json", busy).install();
    assert!(matches!(
        import("institutions"),
        Err(Failure::Throttled(Some(30)))
    ));
}

#[test]
fn a_record_of_an_unknown_version_stops_the_import() {
    listing(DAY, institutions(&[row(ICO, &["banka"])]))
        .dataset(
            "institutions",
            IMPORTED,
            None,
            vec![item("x", ICO, &json!({}))],
        )
        .install();
    assert!(matches!(import("institutions"), Err(Failure::Malformed(_))));
}
