//! Whole calls to a failing search: a section never claims what was not read.

use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost};

use super::world::{enrich, host, notice, page, pages};

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

fn body(notices: &[Value]) -> Value {
    json!({"notices": notices, "totalNoticeCount": notices.len(), "iterationNextToken": null, "timedOut": false})
}

#[test]
fn error_status_fails_and_bad_query_is_misconfigured() {
    for status in [403, 404, 500, 503] {
        let failure = fails(host(Answer::status(status, body(&[]).to_string())));
        assert!(
            matches!(failure, Failure::Unavailable(_)),
            "{status}: {failure:?}"
        );
    }
    let busy = Answer::status(429, "").with_header("retry-after", "35");
    assert!(matches!(fails(host(busy)), Failure::Throttled(Some(35))));
    let refused = Answer::status(400, "{\"message\":\"unknown field\"}");
    assert!(matches!(fails(host(refused)), Failure::Misconfigured(_)));
    assert_eq!(TestHost::requests().len(), 1, "it is not asked again");
}

#[test]
fn timed_out_search_fails() {
    for notices in [vec![], vec![notice(1)]] {
        let mut answer = body(&notices);
        answer["timedOut"] = json!(true);
        assert!(matches!(
            fails(host(Answer::json(&answer))),
            Failure::Unavailable(_)
        ));
    }
}

#[test]
fn truncated_answer_fails() {
    let whole = body(&[notice(1)]).to_string();
    for length in [0, 1, whole.len() / 2] {
        let cut: String = whole.chars().take(length).collect();
        place(&fails(host(Answer::ok(cut))));
    }
    for member in ["notices", "totalNoticeCount", "timedOut"] {
        let mut answer = body(&[]);
        answer.as_object_mut().unwrap().remove(member);
        place(&fails(host(Answer::json(&answer))));
    }
}

#[test]
fn truncated_list_fails() {
    let failure = fails(host(page(&[notice(1)], 2, None)));
    assert_eq!(place(&failure), "iterationNextToken");
    let failure = fails(pages([
        page(&[notice(1)], 2, Some("a")),
        page(&[], 2, Some("a")),
    ]));
    assert_eq!(place(&failure), "notices");
    let failure = fails(host(page(&[notice(1)], 9, Some("a"))));
    assert_eq!(place(&failure), "notices");
    assert_eq!(TestHost::requests().len(), 2, "it is not followed for ever");
    let failure = fails(host(page(&[], 9, Some("a"))));
    assert_eq!(place(&failure), "notices");
}

#[test]
fn unreadable_later_page_fails_the_section() {
    let first = || page(&[notice(1)], 2, Some("a"));
    for second in [Answer::status(500, ""), Answer::html("<html></html>")] {
        let failure = fails(pages([first(), second]));
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    }
}

#[test]
fn only_notices_of_others_is_not_absence() {
    let mut other = notice(1);
    other["buyer-identifier"] = json!(["2099000016"]);
    let failure = fails(host(page(std::slice::from_ref(&other), 1, None)));
    assert_eq!(place(&failure), "notices/buyer-identifier");
    let later = [page(&[notice(2)], 2, Some("a")), page(&[other], 2, None)];
    assert_eq!(place(&fails(pages(later))), "notices/buyer-identifier");
}
