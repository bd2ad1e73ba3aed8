//! Whole calls to a service in trouble. The section never claims anything that was not read.

use lustra_rpvs::question::{Breadth, current_owners};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Failure, failure};

use super::world::{answer, answer_with_more, by_key, enrich, file, first, host, ok};

const SERVICE: &str = "https://rpvs.gov.sk/opendatav2";

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
    for status in [403, 404, 500, 503] {
        let failure = fails(host(Answer::status(status, "{\"value\":[]}")));
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
    let page = Answer::ok("<html><body>Prebieha údržba</body></html>");
    assert!(matches!(fails(host(page)), Failure::Unavailable(_)));
}

#[test]
fn truncated_answer_fails() {
    let whole = answer(&[file(1, [1])]).to_string();
    for length in [0, 1, whole.len() / 2, whole.len() - 1] {
        let cut: String = whole
            .chars()
            .take(length.min(whole.chars().count() - 1))
            .collect();
        place(&fails(host(Answer::ok(cut))));
    }
}

#[test]
fn refused_confirmed_request_fails() {
    let refused = || Answer::status(400, "");
    let both = host(refused()).answer("rpvs", &first(Breadth::Confirmed), refused());
    assert!(matches!(fails(both), Failure::Unavailable(_)));
    let broken = host(refused()).answer("rpvs", &first(Breadth::Confirmed), Answer::ok("<html>"));
    assert!(matches!(fails(broken), Failure::Unavailable(_)));
}

#[test]
fn unreadable_page_fails_the_section() {
    let next = "/Partneri?$skiptoken=Id-1";
    let first = || {
        host(ok(&answer_with_more(
            &[file(1, [1])],
            &format!("{SERVICE}{next}"),
        )))
    };
    let failure = fails(first().answer("rpvs", next, Answer::status(500, "")));
    assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    let failure = fails(first().answer("rpvs", next, Answer::ok("{}")));
    assert_eq!(place(&failure), "answer of rpvs");
}

#[test]
fn circular_link_is_not_followed() {
    let path = "/Partneri?$skiptoken=Id-1";
    let round = answer_with_more(&[file(1, [1])], &format!("{SERVICE}{path}"));
    let failure = fails(host(ok(&round)).answer("rpvs", path, ok(&round)));
    assert_eq!(place(&failure), "@odata.nextLink");
    assert_eq!(TestHost::requests().len(), 2);
}

#[test]
fn a_link_to_elsewhere_is_not_followed() {
    for link in [
        "https://elsewhere.example/opendatav2/Partneri?$skiptoken=Id-1",
        "https://rpvs.gov.sk/opendatav2/Osoby?$skiptoken=Id-1",
        "https://rpvs.gov.sk/opendatav2/Partneri/../../x?$skiptoken=Id-1",
        "//elsewhere.example/Partneri",
        "/Partneri?$skiptoken=Id-1",
    ] {
        let failure = fails(host(ok(&answer_with_more(&[file(1, [1])], link))));
        assert_eq!(place(&failure), "@odata.nextLink", "{link}");
        assert_eq!(TestHost::requests().len(), 1, "{link}");
    }
}

#[test]
fn partly_read_owners_are_not_shown() {
    let list = "KonecniUzivateliaVyhod@odata.nextLink";
    let cut = |link: Value| {
        let mut cut = file(7, 1..=20);
        cut[list] = link;
        cut
    };
    let good = json!(format!(
        "{SERVICE}/Partneri(7)/KonecniUzivateliaVyhod?$skiptoken=Id-20"
    ));
    let found = || host(ok(&answer(&[cut(good.clone())])));
    let failure = fails(found().answer("rpvs", &by_key(7), Answer::status(404, "")));
    assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    let failure = fails(found().answer("rpvs", &by_key(7), ok(&file(8, [1]))));
    assert_eq!(place(&failure), "Partneri(7)/Id");
    for elsewhere in [
        json!(format!(
            "{SERVICE}/Partneri(8)/KonecniUzivateliaVyhod?$skiptoken=Id-20"
        )),
        json!(5),
    ] {
        let alone = current_owners(7);
        let found = found()
            .answer("rpvs", &by_key(7), ok(&cut(elsewhere)))
            .answer("rpvs", &alone, Answer::status(503, ""));
        let failure = fails(found);
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    }
}

#[test]
fn refusals_of_the_host_are_passed_on() {
    let refused = Failure::Refused("requests: 21 asked, limit 20".to_owned());
    let host = TestHost::new().fail("rpvs", &first(Breadth::Wide), refused.clone());
    assert_eq!(failure::reason(&fails(host)), failure::reason(&refused));
}
