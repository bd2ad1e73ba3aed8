//! Whole calls to a service in trouble. The section never claims anything that was not read.

use lustra_sdk::Failure;
use lustra_sdk::testing::{Answer, TestHost};
use serde_json::{Value, json};

use super::world::{answering, content, decision, enrich, page, path};

fn fails(host: TestHost) -> Failure {
    host.install();
    enrich().unwrap_err()
}

#[track_caller]
fn place(failure: &Failure) -> &str {
    match failure {
        Failure::Malformed(drift) => &drift.what,
        Failure::Unavailable(_)
        | Failure::Throttled(_)
        | Failure::Misconfigured(_)
        | Failure::Refused(_)
        | Failure::Other(_) => panic!("{failure:?}"),
    }
}

#[test]
fn a_status_is_a_failure() {
    for status in [403, 404, 500, 503] {
        let failure = fails(answering(&[Answer::status(status, "{\"numFound\":0}")]));
        assert!(
            matches!(failure, Failure::Unavailable(_)),
            "{status}: {failure:?}"
        );
    }
    let busy = Answer::status(429, "").with_header("retry-after", "30");
    assert!(matches!(
        fails(answering(&[busy])),
        Failure::Throttled(Some(30))
    ));
}

#[test]
fn unusable_answer_is_not_absence() {
    let html = Answer::html("<html><body>Prebieha údržba</body></html>");
    assert!(matches!(fails(answering(&[html])), Failure::Unavailable(_)));
    for other in [
        "",
        "{}",
        "[]",
        "null",
        "{\"numFound\":0",
        "{\"numFound\":\"0\"}",
        "{\"numFound\":3}",
    ] {
        place(&fails(answering(&[Answer::ok(other)])));
    }
}

#[test]
fn truncated_answer_fails() {
    let whole = String::from_utf8(page(1, &[decision(0)]).body).unwrap();
    for length in 0..whole.chars().count() {
        let cut: String = whole.chars().take(length).collect();
        place(&fails(answering(&[Answer::ok(cut)])));
    }
}

#[test]
fn missing_page_fails_the_section() {
    let all: Vec<Value> = (0..20).map(decision).collect();
    let first = || page(20, &all[..10]);
    assert!(matches!(
        fails(answering(&[first()])),
        Failure::Unavailable(_)
    ));
    let empty = fails(answering(&[first(), page(20, &[])]));
    assert_eq!(place(&empty), "answer of obcan-justice: /rozhodnutieList");
    let too_many = fails(answering(&[page(9, &all[..10])]));
    assert_eq!(
        place(&too_many),
        "answer of obcan-justice: /rozhodnutieList"
    );
}

#[test]
fn shifted_pages_are_unavailable() {
    let all: Vec<Value> = (0..20).map(decision).collect();
    for second in [page(21, &all[10..]), page(20, &all[9..19])] {
        let failure = fails(answering(&[page(20, &all[..10]), second]));
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    }
}

#[test]
fn service_that_does_not_search_is_malformed() {
    let without = |number| {
        let mut decision = decision(number);
        decision["zvyraznenie"] = json!([]);
        decision
    };
    let many: Vec<Value> = (0..10).map(without).collect();
    let failure = fails(answering(&[page(4_680_000, &many)]));
    assert_eq!(
        place(&failure),
        "answer of obcan-justice: /rozhodnutieList/*/zvyraznenie"
    );
    // A single hit may have its number where the register makes no passage.
    answering(&[page(1, &[without(1)])]).install();
    assert!(enrich().is_ok());
}

#[test]
fn decisions_of_other_search_are_malformed() {
    let mut other = decision(1);
    other["zvyraznenie"] = json!(["IČO: <em>99999919</em>"]);
    for pages in [
        vec![page(1, &[other.clone()])],
        vec![page(2, &[decision(2)]), page(2, &[other])],
    ] {
        let failure = fails(answering(&pages));
        assert_eq!(
            place(&failure),
            "answer of obcan-justice: /rozhodnutieList/*/zvyraznenie"
        );
    }
}

#[test]
fn truncated_search_must_be_sorted() {
    let mixed: Vec<Value> = [3, 1, 2].into_iter().map(decision).collect();
    let host = answering(&[page(30, &mixed)]).setting("most_pages", &json!(1));
    assert_eq!(
        place(&fails(host)),
        "answer of obcan-justice: /rozhodnutieList/*/datumVydania"
    );
    answering(&[page(3, &mixed)]).install();
    assert!(enrich().is_ok(), "one that is whole is put into order");
}

#[test]
fn odd_row_costs_no_other_decision() {
    for (name, value) in [
        ("guid", Value::Null),
        ("guid", json!("")),
        ("guid", json!(7)),
        ("zvyraznenie", json!([{"text": "IČO"}])),
        ("zvyraznenie", json!("IČO")),
    ] {
        let mut odd = decision(1);
        odd[name] = value;
        // The second page has nothing but the odd row.
        answering(&[page(2, &[decision(0)]), page(2, &[odd])]).install();
        let content = content();
        assert_eq!(
            (
                &content["total"],
                &content["unproven"],
                &content["complete"]
            ),
            (&json!(1), &json!(0), &json!(false)),
            "{name}"
        );
        let unread = &content["unread"][0];
        assert_eq!(unread["source"], "decisions");
        let why = unread["why"].as_str().unwrap();
        assert!(why.starts_with("in part: 1 decisions without"), "{why}");
    }
    answering(&[page(2, &[decision(0), json!("x")])]).install();
    assert_eq!(content()["total"], 1);
}

#[test]
fn odd_member_is_omitted_and_named() {
    for (name, value, member) in [
        (
            "datumVydania",
            json!("dňa Jozefa Vymysleného"),
            "decision_date",
        ),
        ("datumVydania", json!(20_250_527), "decision_date"),
        ("sud", json!("Jozef Vymyslený"), "court"),
        ("povaha", json!("Jozef Vymyslený"), "ruling"),
        ("spisovaZnacka", json!(["Jozef Vymyslený"]), "case_number"),
        (
            "formaRozhodnutia",
            json!({"nazov": "Jozef Vymyslený"}),
            "decision_type",
        ),
    ] {
        let mut odd = decision(1);
        odd[name] = value;
        answering(&[page(1, &[odd])]).install();
        let content = content();
        assert_eq!(content["recent"][0][member], Value::Null);
        assert_eq!(
            (&content["total"], &content["complete"]),
            (&json!(1), &json!(true))
        );
        assert_eq!(content["unread"][0]["source"], "decisions", "{name}");
        assert!(!content.to_string().contains("Vymysl"), "{content}");
    }
}

#[test]
fn empty_text_in_place_of_a_list_is_empty() {
    let mut odd = decision(1);
    odd["povaha"] = json!("");
    odd["zvyraznenie"] = json!(" ");
    answering(&[page(2, &[decision(0), odd])]).install();
    let content = content();
    assert_eq!(
        (&content["total"], &content["unproven"]),
        (&json!(1), &json!(1))
    );
    assert!(content.get("unread").is_none());
}

#[test]
fn mostly_odd_rows_are_malformed() {
    let with = |name: &'static str, value: Value| {
        move |number| {
            let mut odd = decision(number);
            odd[name] = value.clone();
            odd
        }
    };
    let no_ids: Vec<Value> = (0..3).map(with("guid", Value::Null)).collect();
    let failure = fails(answering(&[page(
        5,
        &[no_ids, vec![decision(3), decision(4)]].concat(),
    )]));
    assert_eq!(
        place(&failure),
        "answer of obcan-justice: /rozhodnutieList/0/guid"
    );
    let days: Vec<Value> = (0..10)
        .map(with("datumVydania", json!("27/05/2025")))
        .collect();
    let failure = fails(answering(&[page(10, &days)]));
    assert_eq!(
        place(&failure),
        "answer of obcan-justice: /rozhodnutieList/0/datumVydania"
    );
}

#[test]
fn failures_quote_no_names() {
    for (name, value) in [
        ("guid", json!(["Jozef Vymyslený"])),
        ("zvyraznenie", json!([{"text": "Jozef Vymyslený"}])),
    ] {
        let mut odd = decision(1);
        odd[name] = value;
        let failure = fails(answering(&[page(1, &[odd])]));
        assert!(place(&failure).contains(name), "{failure:?}");
        assert!(!format!("{failure:?}").contains("Vymysl"), "{failure:?}");
    }
    assert_eq!(TestHost::requests(), [format!("obcan-justice {}", path(1))]);
}
