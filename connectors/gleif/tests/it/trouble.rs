//! Whole calls to a service in trouble. The section never claims anything that was not read.

use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Value, from_slice, json};
use lustra_sdk::testing::{Answer, TestHost};

use super::world::{
    LEI, PARENT, content, document, enrich, exception, has_exception, has_record, host, list,
    list_for, of, record,
};

fn fails(host: TestHost) -> Failure {
    host.install();
    enrich().unwrap_err()
}

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
    for status in [400, 403, 404, 500, 503] {
        let failure = fails(host(Answer::status(status, "{\"data\":[]}")));
        assert!(
            matches!(failure, Failure::Unavailable(_)),
            "{status}: {failure:?}"
        );
    }
    let busy = Answer::status(429, "").with_header("retry-after", "30");
    assert!(matches!(fails(host(busy)), Failure::Throttled(Some(30))));
}

#[test]
fn html_page_is_not_absence() {
    let page = Answer::html("<html><body>Maintenance</body></html>");
    assert!(matches!(fails(host(page)), Failure::Unavailable(_)));
}

#[test]
fn truncated_answer_fails() {
    let whole = String::from_utf8(list(&[record(LEI, &[])]).body).unwrap();
    for length in [0, 1, whole.len() / 2, whole.len() - 1] {
        let cut: String = whole
            .chars()
            .take(length.min(whole.chars().count() - 1))
            .collect();
        place(&fails(host(Answer::ok(cut))));
    }
}

#[test]
fn list_shorter_than_stated_is_malformed() {
    for total in [json!(1), json!(2), json!(null)] {
        let mut answer: Value = from_slice(&list(&[]).body).unwrap();
        answer["meta"]["pagination"]["total"] = total;
        place(&fails(host(Answer::json(&answer))));
    }
}

#[test]
fn record_of_an_unknown_register_is_malformed() {
    let mut unknown = record(LEI, &[]);
    unknown["attributes"]["entity"]["registeredAt"]["id"] = json!("RA000999");
    let failure = fails(host(list(&[unknown])));
    assert_eq!(place(&failure), "data/attributes/entity/registeredAt/id");
}

#[test]
fn list_for_other_number_is_not_absence() {
    for answer in [
        list_for("99999919", &[]),
        list_for("", &[]),
        list_for("99999919", &[record(LEI, &[])]),
    ] {
        let failure = fails(host(answer));
        assert!(
            matches!(&failure, Failure::Malformed(drift) if drift.what == "links/first"),
            "{failure:?}"
        );
    }
}

#[test]
fn unread_parent_leaves_the_rest() {
    let own = || record(LEI, &[("direct-parent", has_record("direct-parent"))]);
    let other = record("short", &[]);
    for answer in [
        Answer::status(500, ""),
        Answer::status(429, ""),
        Answer::status(404, "<html>"),
        Answer::status(404, ""),
        Answer::status(404, "{\"message\":\"no route\"}"),
        Answer::html("<html></html>"),
        Answer::ok("{"),
        document(&other),
    ] {
        host(list(&[own()]))
            .answer("gleif", &of("direct-parent"), answer.clone())
            .install();
        let content = content();
        assert_eq!(content["lei"], LEI);
        assert_eq!(content["parent_lei"], Value::Null);
        let [unread] = content["unread"].as_array().unwrap().as_slice() else {
            panic!("{content}");
        };
        assert_eq!(unread["source"], "parent", "{answer:?}");
    }
}

#[test]
fn unknown_links_are_unread() {
    let links = json!({"links": {"relationship-record": "…"}});
    host(list(&[record(LEI, &[("ultimate-parent", links)])])).install();
    assert_eq!(content()["unread"][0]["source"], "ultimate_parent");
}

#[test]
fn exception_of_another_entity_is_unread() {
    let own = || record(LEI, &[("direct-parent", has_exception("direct-parent"))]);
    let of_other_kind = exception("ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT", "NON_PUBLIC");
    let mut of_other = exception("DIRECT_ACCOUNTING_CONSOLIDATION_PARENT", "NON_PUBLIC");
    of_other.body = String::from_utf8(of_other.body)
        .unwrap()
        .replace(LEI, PARENT)
        .into_bytes();
    for answer in [of_other_kind, of_other] {
        host(list(&[own()]))
            .answer("gleif", &of("direct-parent-reporting-exception"), answer)
            .install();
        let content = content();
        assert_eq!(content["parent_exception"], Value::Null);
        assert_eq!(content["unread"][0]["source"], "parent");
    }
}
