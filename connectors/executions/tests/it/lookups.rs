//! Whole look-ups: each source, consistent and inconsistent pages, and a register that is out of order.

use lustra_executions::Executions;
use lustra_executions::import::DATASET;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Enrichment, Failure, Item};
use serde_json::{Value, json};

use crate::world::{ICO, answering, enrich, file, page, path, row, section, service, subject};

#[test]
fn no_request_before_a_source_is_chosen() {
    TestHost::new().install();
    let content = section();
    assert!(TestHost::requests().is_empty());
    assert_eq!(content["has_active_authorizations"], Value::Null);
    assert_eq!(content["total_count"], Value::Null);
    assert_eq!(content["authorizations"], json!([]));
    let unread = &content["unread"][0];
    assert_eq!(
        (&unread["source"], &unread["since"]),
        (&json!("obcan-justice"), &Value::Null)
    );
    assert!(
        unread["why"]
            .as_str()
            .is_some_and(|why| why.starts_with("off: "))
    );
    let section = enrich().expect("it is off");
    assert!(section.unread[0].value.starts_with("off: "));
}

#[test]
fn one_request_finds_the_authorizations() {
    answering(&[page(2, &[row(1), row(2)])]).install();
    let content = section();
    assert_eq!(TestHost::requests(), [format!("obcan-justice {}", path(1))]);
    assert_eq!(content["has_active_authorizations"], true);
    assert_eq!(content["total_count"], 2);
    assert_eq!(content["as_of"], "2026-06-01");
    assert_eq!(content["unread"], json!([]));
    assert_eq!(
        content["authorizations"][0]["creditors"],
        json!(["Veriteľ Vzor, a. s."])
    );
    answering(&[page(2, &[row(1), row(2)])]).install();
    assert_eq!(enrich().expect("it is read").evidence.len(), 1);
}

#[test]
fn only_zero_hits_mean_no_authorization() {
    answering(&[page(0, &[])]).install();
    let content = section();
    assert_eq!(content["has_active_authorizations"], false);
    assert_eq!(content["total_count"], 0);
    assert_eq!(content["unread"], json!([]));
}

#[test]
fn ended_authorization_is_listed_as_inactive() {
    let mut ended = row(1);
    ended["stav"] = json!("Neaktuálny");
    answering(&[page(1, &[ended])]).install();
    let content = section();
    assert_eq!(content["has_active_authorizations"], false);
    assert_eq!(content["total_count"], 1);
    assert_eq!(content["authorizations"][0]["is_active"], false);
}

#[test]
fn pages_are_read_until_the_total() {
    // The service returns fewer rows than requested.
    let rows: Vec<Value> = (1..=7).map(row).collect();
    let pages = [
        page(7, &rows[..3]),
        page(7, &rows[3..6]),
        page(7, &rows[6..]),
    ];
    answering(&pages).install();
    let content = section();
    assert_eq!(content["total_count"], 7);
    assert_eq!(TestHost::requests().len(), 3);
    answering(&pages).install();
    assert_eq!(enrich().expect("it is read").evidence.len(), 3);
}

#[test]
fn repeated_row_is_one_authorization() {
    let mut again = row(1);
    again["guid"] = json!("another");
    answering(&[page(2, &[row(1), again])]).install();
    assert_eq!(section()["total_count"], 1);
}

#[test]
fn inconsistent_pages_fail() {
    let rows: Vec<Value> = (1..=4).map(row).collect();
    let other = |number: u32| {
        let mut other = row(number);
        other["povinny"] = json!([{"nazov": "Iná, s. r. o.", "ico": "99999901"}]);
        other
    };
    let no_rows: [Value; 0] = [];
    for (name, pages, is_malformed) in [
        ("found, and no rows", vec![page(1, &no_rows)], true),
        ("none found, and a row", vec![page(0, &rows[..1])], true),
        ("more rows than found", vec![page(1, &rows[..2])], true),
        (
            "ends early",
            vec![page(3, &rows[..2]), page(3, &no_rows)],
            true,
        ),
        ("others alone", vec![page(1, &[other(1)])], true),
        (
            "others alone on a later page",
            vec![page(3, &rows[..2]), page(3, &[other(3)])],
            true,
        ),
        ("the whole register", vec![page(480_000, &rows)], true),
        (
            "more now",
            vec![page(4, &rows[..2]), page(5, &rows[2..])],
            false,
        ),
        (
            "moved",
            vec![page(4, &rows[..2]), page(4, &rows[1..3])],
            false,
        ),
    ] {
        answering(&pages).install();
        match enrich().expect_err(name) {
            Failure::Malformed(_) => assert!(is_malformed, "{name}"),
            Failure::Unavailable(why) => {
                assert!(!is_malformed && why.contains("changed"), "{name}: {why}");
            }
            other @ (Failure::Throttled(_)
            | Failure::Misconfigured(_)
            | Failure::Refused(_)
            | Failure::Other(_)) => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn number_of_requested_pages_is_limited() {
    let rows: Vec<Value> = (1..=60).map(row).collect();
    let mut pages = vec![page(60, &rows[..10])];
    pages.extend(
        rows[10..]
            .iter()
            .map(|row| page(60, std::slice::from_ref(row))),
    );
    answering(&pages).install();
    assert!(matches!(enrich(), Err(Failure::Malformed(_))));
    assert_eq!(TestHost::requests().len(), 10);
}

#[test]
fn creditor_has_no_authorization_against_it() {
    let mut own = row(1);
    own["opravneny"] = json!([{"nazov": "Ťapkotrans", "ico": ICO}]);
    own["povinny"] = json!([{"nazov": "Iná, s. r. o.", "ico": "99999901"}]);
    answering(&[page(1, &[own])]).install();
    assert_eq!(section()["has_active_authorizations"], false);
}

#[test]
fn error_status_fails() {
    let html = "<!DOCTYPE html><html><body>Údržba</body></html>";
    let whole = page(1, &[row(1)]).body;
    for (name, answer) in [
        ("status 404", Answer::status(404, "{}")),
        ("status 500", Answer::status(500, html)),
        ("status 403", Answer::status(403, html)),
        (
            "a page of HTML",
            Answer::ok(html).with_header("content-type", "text/html"),
        ),
        ("nothing", Answer::ok("")),
        ("an empty object", Answer::ok("{}")),
        ("garbage", Answer::ok(vec![0xff; 64])),
        ("cut short", Answer::ok(whole[..whole.len() / 2].to_vec())),
    ] {
        answering(&[answer]).install();
        let failure = enrich().expect_err(name);
        assert!(
            matches!(failure, Failure::Unavailable(_) | Failure::Malformed(_)),
            "{name}: {failure:?}"
        );
    }
    let throttled = Answer::status(429, "").with_header("retry-after", "30");
    answering(&[throttled]).install();
    assert!(matches!(enrich(), Err(Failure::Throttled(Some(30)))));
    service().install();
    assert!(enrich().is_err(), "out of reach");
    let second_page_fails = [page(2, &[row(1)]), Answer::status(500, "")];
    answering(&second_page_fails).install();
    assert!(enrich().is_err(), "half of the pages is not an answer");
}

#[test]
fn failures_quote_no_names() {
    let mut bad = row(1);
    bad["povinny"] = json!([{"nazov": "Skúšobný Ján", "sidlo": "Lipová 3"}]);
    let mut other = row(2);
    other["povinny"] = json!("Skúšobný Ján");
    for row in [bad, other] {
        answering(&[page(1, &[row])]).install();
        let failure = format!("{:?}", enrich().expect_err("no obligor can be read"));
        assert!(!failure.contains("Skúšobný"), "{failure}");
    }
}

#[test]
fn path_names_and_states_are_settings() {
    let path = format!("/api/v2/poverenia?p_ico={ICO}&strana=0&pocet=20");
    let body = json!({
        "celkom": 1,
        "zoznam": [{"ecli": "E", "stav": "PRÁVOPLATNÝ", "povinny": [{"ic": ICO}]}],
    });
    service()
        .setting("service_path", &json!("/api/v2/poverenia"))
        .setting(
            "service_query",
            &json!({"ico": "p_ico", "page": "strana", "size": "pocet"}),
        )
        .setting("service_first_page", &json!(0))
        .setting("service_page_size", &json!(20))
        .setting(
            "service_members",
            &json!({"total": "celkom", "rows": "zoznam", "party_ico": "ic"}),
        )
        .setting("active_states", &json!(["právoplatný"]))
        .answer("obcan-justice", &path, Answer::ok(body.to_string()))
        .install();
    let content = section();
    assert_eq!(content["has_active_authorizations"], true);
    assert_eq!(content["as_of"], Value::Null);
}

#[test]
fn unknown_source_is_misconfigured() {
    TestHost::new().setting("source", &json!("paid")).install();
    assert!(matches!(enrich(), Err(Failure::Misconfigured(_))));
}

fn stored(key: &str, status: &str, creditor: &str) -> Item {
    let content = json!({
        "ecli": key, "authorization_number": null, "court_file_number": null, "court": null,
        "executor_name": null, "enforced_claim": null, "creditors": [creditor], "creditor_icos": [],
        "authorized_at": "2026-04-14", "published_at": null, "status": status,
    });
    Item {
        key: format!("{ICO}|{key}|{creditor}"),
        ico: Some(ICO.to_owned()),
        name: None,
        city: None,
        postal_code: None,
        content: content.to_string(),
        removed: false,
    }
}

#[test]
fn operator_list_needs_no_request() {
    let items = vec![
        stored("A", "Aktuálny", "Veriteľ Vzor, a. s."),
        stored("A", "Aktuálny", "fyzická osoba"),
        stored("B", "Neaktuálny", "Veriteľ Vzor, a. s."),
    ];
    file()
        .dataset(DATASET, "2026-06-02T06:00:00Z", Some("2026-06-01"), items)
        .install();
    let content = section();
    assert!(TestHost::requests().is_empty());
    assert_eq!(content["total_count"], 2);
    assert_eq!(content["as_of"], "2026-06-01");
    let creditors = &content["authorizations"][0]["creditors"];
    assert_eq!(creditors, &json!(["Veriteľ Vzor, a. s.", "fyzická osoba"]));
    file()
        .dataset(DATASET, "2026-06-02T06:00:00Z", None, Vec::new())
        .install();
    assert_eq!(
        section()["has_active_authorizations"],
        false,
        "it was read whole"
    );
}

#[test]
fn missing_import_leaves_the_verdict_null() {
    for (host, begins) in [
        (file().off(DATASET), "off: "),
        (file(), "never imported"),
        (
            file().failed(DATASET, "malformed: Skúšobný Ján"),
            "never imported",
        ),
    ] {
        host.install();
        let content = section();
        assert_eq!(content["has_active_authorizations"], Value::Null);
        let why = content["unread"][0]["why"].as_str().unwrap_or_default();
        assert!(
            why.starts_with(begins) && !why.contains("Skúšobný"),
            "{why}"
        );
    }
}

#[test]
fn other_scopes_and_invalid_numbers_are_refused() {
    service().install();
    for scope in ["", "tax", "execution_authorizations\0"] {
        let failure = Executions::enrich(scope, subject()).err();
        assert!(matches!(failure, Some(Failure::Other((code, _))) if code == "not-offered"));
    }
    for ico in [
        "",
        "1",
        "9999994x",
        "999999430",
        "' or 1=1 --",
        "\u{202e}99999943",
    ] {
        let mut hostile = subject();
        hostile.ico = ico.to_owned();
        assert!(Executions::enrich("execution_authorizations", hostile).is_err());
    }
    assert!(TestHost::requests().is_empty());
}
