//! A register that is out of order never leads to *no trades*.

use lustra_sdk::testing::{Answer, TestHost, subject};
use lustra_sdk::{Enrichment, Failure};
use lustra_trade_licences::TradeLicences;
use serde_json::json;

use crate::world::{
    ID, NO_RECORD, SCOPE, enrich, entity_path, found, record, register, search_path,
};

/// A register that returns this instead of one of its answers.
fn broken(is_search: bool, answer: Answer) -> TestHost {
    let path = if is_search {
        search_path()
    } else {
        entity_path(ID)
    };
    register(&[record(ID, "2", "Maloobchod")]).answer("rpo", &path, answer)
}

#[test]
fn unusable_answer_fails() {
    let whole = found(&[record(ID, "2", "Maloobchod")]).body;
    for is_search in [true, false] {
        for body in [
            Vec::new(),
            "<!DOCTYPE html><html><body>Údržba</body></html>"
                .as_bytes()
                .to_vec(),
            b"garbage".to_vec(),
            whole[..whole.len() / 2].to_vec(),
            b"{}".to_vec(),
            b"[]".to_vec(),
            b"null".to_vec(),
            vec![0xff, 0xfe, 0x00],
        ] {
            let failed = enrich(broken(is_search, Answer::ok(body.clone()))).err();
            assert!(
                matches!(
                    failed,
                    Some(Failure::Malformed(_) | Failure::Unavailable(_))
                ),
                "{}: {failed:?}",
                String::from_utf8_lossy(&body)
            );
        }
        for status in [400, 403, 404, 500, 503] {
            let failed = enrich(broken(is_search, Answer::status(status, "{}"))).err();
            assert!(
                matches!(failed, Some(Failure::Unavailable(_))),
                "{status}: {failed:?}"
            );
        }
        let throttled = Answer::status(429, "").with_header("retry-after", "30");
        let failed = enrich(broken(is_search, throttled)).err();
        assert!(
            matches!(failed, Some(Failure::Throttled(Some(30)))),
            "{failed:?}"
        );
    }
}

#[test]
fn unknown_company_is_not_without_trades() {
    let failed = enrich(register(&[])).err();
    assert!(
        matches!(failed, Some(Failure::Unavailable(_))),
        "{failed:?}"
    );
}

#[test]
fn record_found_but_not_returned_fails() {
    let failed = enrich(broken(false, Answer::status(404, NO_RECORD))).err();
    assert!(
        matches!(failed, Some(Failure::Unavailable(_))),
        "{failed:?}"
    );
}

#[test]
fn record_with_another_number_fails() {
    let mut other = record(ID, "2", "Maloobchod");
    other["identifiers"] = json!([{"value": "99900017", "validFrom": "2020-01-01"}]);
    let failed = enrich(broken(false, Answer::ok(other.to_string()))).err();
    assert!(matches!(failed, Some(Failure::Malformed(_))), "{failed:?}");
}

#[test]
fn hostile_keys_make_no_request() {
    for key in [
        "",
        "\0",
        "9999990",
        "' or 1=1",
        "99999901?x=1",
        &"9".repeat(1 << 20),
    ] {
        TestHost::new().install();
        assert!(TradeLicences::enrich(SCOPE, subject(key)).is_err());
        assert!(TestHost::requests().is_empty());
    }
    let other = TradeLicences::enrich("x", subject("99999901"));
    assert!(matches!(other, Err(Failure::Other((code, _))) if code == "not-offered"));
}
