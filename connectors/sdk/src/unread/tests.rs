//! Tests of gaps and their words.

use super::*;
use crate::testing::TestHost;

#[test]
fn unread_source_keeps_its_start_time() {
    TestHost::new().now("2026-01-15T08:00:00Z").install();
    let previous = r#"{"unread":[{"source":"a","since":"2026-01-01T00:00:00Z","why":"x"},{"source":"b","since":null,"why":"x"}]}"#;
    assert_eq!(since(Some(previous), "a"), "2026-01-01T00:00:00Z");
    for (previous, source) in [
        (Some(previous), "b"),
        (Some(previous), "c"),
        (Some("["), "a"),
        (None, "a"),
    ] {
        assert_eq!(since(previous, source), "2026-01-15T08:00:00Z", "{source}");
    }
}

#[test]
fn import_failure_reason_is_not_repeated() {
    let failed = "malformed: row of Jozef Vymyslený";
    for (host, why) in [
        (TestHost::new(), "never imported"),
        (
            TestHost::new().failed("list", failed),
            "never imported: the newest attempt failed",
        ),
        (
            TestHost::new().off("list"),
            "off: switched off by the operator",
        ),
    ] {
        host.install();
        let missing = of_dataset("list").ok().flatten();
        let missing = missing.map(|missing| missing.why.to_string());
        assert_eq!(missing.as_deref(), Some(why));
        let expected = format!("the dataset list: {why}");
        let failed = imported("list");
        assert!(matches!(&failed, Err(Failure::Unavailable(told)) if *told == expected));
    }
    TestHost::new()
        .dataset("list", "2026-01-15T08:00:00Z", None, Vec::new())
        .install();
    assert!(imported("list").is_ok());
}

#[test]
fn each_reason_begins_with_its_code() {
    let told = || "told".to_owned();
    let drift = crate::malformed("row", "a name", "7");
    for (gap, text) in [
        (Gap::Off(told()), "off: told"),
        (Gap::Off(String::new()), "off"),
        (Gap::NeverImported(String::new()), "never imported"),
        (Gap::Truncated(told()), "truncated: told"),
        (Gap::Behind(told()), "behind: told"),
        (Gap::InPart(told()), "in part: told"),
        (Gap::OddEntry(told()), "malformed: told"),
        (Gap::partly(told()), "told"),
        (
            Gap::Failed(Failure::Misconfigured(told())),
            "misconfigured: told",
        ),
        (Gap::Failed(drift), "malformed: row: expected a name"),
        (
            Gap::Several(vec![Gap::Off(told()), Gap::partly("more")]),
            "off: told; more",
        ),
    ] {
        assert_eq!(gap.to_string(), text);
        let unread = gap.unread("list", None);
        assert_eq!(unread.field().value, text);
        assert_eq!(serde_json::json!(unread)["why"], text);
    }
    for words in ["offline since Monday", "limited to the newest", ""] {
        assert!(!has_code(words), "{words}");
    }
    for words in ["off", "off: by the operator", "never imported: yet", "busy"] {
        assert!(has_code(words), "{words}");
    }
}

#[test]
fn only_a_failure_has_a_start_time() {
    TestHost::new().now("2026-01-15T08:00:00Z").install();
    let failed = Gap::Failed(Failure::Throttled(None)).unread("list", None);
    assert_eq!(failed.since.as_deref(), Some("2026-01-15T08:00:00Z"));
    let truncated = Gap::Truncated("40 of 50 were read".to_owned()).unread("list", None);
    assert_eq!(truncated.since, None);
}

#[test]
fn several_reasons_are_off_if_each_is() {
    let off = || Gap::Off(String::new());
    let down = || Gap::Failed(Failure::Unavailable("down".to_owned()));
    assert!(Gap::Several(vec![off(), off()]).is_off());
    assert!(!Gap::Several(vec![off(), down()]).is_off());
    assert!(!Gap::Several(Vec::new()).is_off());
}

#[test]
fn what_was_found_is_not_repeated() {
    let failure = crate::malformed("row 3: name", "a name", "Jozef Vymyslený");
    assert_eq!(why(&failure), "malformed: row 3: name: expected a name");
}
