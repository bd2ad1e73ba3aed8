//! Each rule of freshness as a table of ages and what follows from them.

use time::macros::datetime;

use super::*;

const NOW: OffsetDateTime = datetime!(2026-07-01 06:00 UTC);
const HOUR: Duration = Duration::from_secs(3_600);

/// Retries of failures after 60 s, of unread sources after 900 s.
fn settings() -> Freshness {
    Freshness {
        failed_retry_seconds: 60,
        unread_retry_seconds: 900,
        ..Freshness::default()
    }
}

fn ago(seconds: i64) -> OffsetDateTime {
    NOW - time::Duration::seconds(seconds)
}

fn details_of(fetched: Option<i64>, failed: Option<i64>) -> StoredDetails {
    StoredDetails {
        ico: "10000001".to_owned(),
        connector: "orsr".to_owned(),
        register_id: None,
        found: true,
        content: None,
        content_hash: None,
        connector_version: None,
        generation: None,
        fetched_at: fetched.map(ago),
        evidence: None,
        failed_at: failed.map(ago),
        failure: None,
    }
}

fn section_of(fetched: Option<i64>, failed: Option<i64>) -> StoredSection {
    StoredSection {
        ico: "10000001".to_owned(),
        scope: "tax".to_owned(),
        content: None,
        content_hash: None,
        unread: false,
        connector: "tax-authority".to_owned(),
        connector_version: None,
        generation: None,
        fetched_at: fetched.map(ago),
        dirty: false,
        evidence: None,
        baseline: None,
        failed_at: failed.map(ago),
        failure: None,
        unread_sources: None,
    }
}

fn scope(live: bool) -> ScopeManifest {
    let manifest = serde_json::json!({
        "scope": "tax", "key": "tax", "title": "Tax", "schema": {}, "live": live,
    });
    serde_json::from_value(manifest).expect("a manifest")
}

fn list(imported: Option<i64>) -> DatasetState {
    DatasetState {
        connector: "tax-authority".to_owned(),
        dataset: "list".to_owned(),
        generation: None,
        previous_generation: None,
        marked_generation: None,
        list_date: None,
        imported_at: imported.map(ago),
        records: 0,
        cursor: None,
        attempted_at: None,
        failed_at: None,
        failure: None,
        next_run_at: None,
    }
}

/// Of a section that is at most an hour old.
fn section_due(stored: &StoredSection, live: bool, lists: &[DatasetState]) -> Due {
    let settings = settings();
    section(Some(stored), &scope(live), HOUR, lists, &settings, NOW, NOW)
}

#[test]
fn base_record_waits_for_the_retry_of_its_last_try() {
    for (seen, tried, expected) in [
        (0, None, Due::No),
        (3_600, None, Due::No),
        (3_601, None, Due::Refresh),
        (3_601, Some(61), Due::Refresh),
        (3_601, Some(60), Due::Waits),
        (3_601, Some(0), Due::Waits),
        // A try says nothing about a record that is young enough.
        (3_600, Some(0), Due::No),
        // Another host's clock may be ahead.
        (-600, None, Due::No),
        (3_601, Some(-600), Due::Waits),
    ] {
        let due = base(ago(seen), HOUR, tried.map(ago), &settings(), NOW);
        assert_eq!(due, expected, "seen {seen} s ago, tried {tried:?}");
    }
}

#[test]
fn details_never_read_are_needed_now_unless_just_failed() {
    assert_eq!(details(None, HOUR, &settings(), NOW), Due::Now);
    for (fetched, failed, expected) in [
        (None, None, Due::Now),
        (None, Some(60), Due::Waits),
        (None, Some(61), Due::Now),
        (Some(3_600), None, Due::No),
        (Some(3_600), Some(0), Due::No),
        (Some(3_601), None, Due::Refresh),
        (Some(3_601), Some(60), Due::Waits),
        (Some(3_601), Some(61), Due::Refresh),
    ] {
        let stored = details_of(fetched, failed);
        let due = details(Some(&stored), HOUR, &settings(), NOW);
        assert_eq!(due, expected, "fetched {fetched:?}, failed {failed:?}");
    }
}

#[test]
fn failed_retry_seconds_decides_how_long_a_failure_waits() {
    let stored = details_of(Some(7_200), Some(100));
    for (seconds, expected) in [
        (0, Due::Refresh),
        (99, Due::Refresh),
        (100, Due::Waits),
        (u64::MAX, Due::Waits),
    ] {
        let freshness = Freshness {
            failed_retry_seconds: seconds,
            ..settings()
        };
        let due = details(Some(&stored), HOUR, &freshness, NOW);
        assert_eq!(due, expected, "{seconds} s");
    }
}

#[test]
fn section_of_a_live_register_is_as_old_as_its_reading() {
    let settings = settings();
    let none = section(None, &scope(true), HOUR, &[], &settings, NOW, NOW);
    assert_eq!(none, Due::Now);
    for (fetched, failed, expected) in [
        (None, None, Due::Now),
        (None, Some(60), Due::Waits),
        (None, Some(61), Due::Now),
        (Some(3_600), None, Due::No),
        (Some(3_600), Some(0), Due::No),
        (Some(3_601), None, Due::Refresh),
        (Some(3_601), Some(60), Due::Waits),
        (Some(3_601), Some(61), Due::Refresh),
    ] {
        // When lists were imported makes no difference.
        let due = section_due(&section_of(fetched, failed), true, &[list(Some(9_000))]);
        assert_eq!(due, expected, "fetched {fetched:?}, failed {failed:?}");
    }
}

#[test]
fn section_of_lists_is_as_old_as_its_oldest_list() {
    for (fetched, lists, expected) in [
        (9_000, vec![Some(0), Some(3_600)], Due::No),
        (0, vec![Some(0), Some(3_601)], Due::Refresh),
        // A list that was never imported has no age.
        (9_000, vec![None, Some(3_600)], Due::No),
        (3_600, vec![None], Due::No),
        (3_601, vec![None], Due::Refresh),
        (3_601, vec![], Due::Refresh),
    ] {
        let states: Vec<DatasetState> = lists.iter().copied().map(list).collect();
        let due = section_due(&section_of(Some(fetched), None), false, &states);
        assert_eq!(due, expected, "fetched {fetched}, imported {lists:?}");
    }
    let never = section_of(None, None);
    assert_eq!(section_as_of(&never, &scope(false), &[list(Some(0))]), None);
}

#[test]
fn dirty_section_is_made_again_however_young() {
    for (live, failed, expected) in [
        (false, None, Due::Now),
        (false, Some(0), Due::Now),
        (true, None, Due::Refresh),
        (true, Some(60), Due::Waits),
        (true, Some(61), Due::Refresh),
    ] {
        let stored = StoredSection {
            dirty: true,
            ..section_of(Some(0), failed)
        };
        let due = section_due(&stored, live, &[]);
        assert_eq!(due, expected, "live {live}, failed {failed:?}");
    }
}

#[test]
fn unread_sources_are_tried_again_before_the_section_is_old() {
    for (unread, fetched, failed, expected) in [
        (true, 900, None, Due::No),
        (true, 901, None, Due::Refresh),
        (true, 901, Some(60), Due::Waits),
        (true, 901, Some(61), Due::Refresh),
        (false, 901, None, Due::No),
    ] {
        let stored = StoredSection {
            unread,
            ..section_of(Some(fetched), failed)
        };
        let due = section_due(&stored, true, &[]);
        assert_eq!(due, expected, "unread {unread}, fetched {fetched}");
    }
}

#[test]
fn section_without_an_age_is_read_for_each_question() {
    let settings = settings();
    // Asked 10 s ago.
    for (fetched, failed, expected) in [
        (11, None, Due::Now),
        (10, None, Due::No),
        (5, Some(5), Due::No),
        (11, Some(11), Due::Now),
        (11, Some(10), Due::Waits),
        (11, Some(5), Due::Waits),
    ] {
        let stored = section_of(Some(fetched), failed);
        let due = section(
            Some(&stored),
            &scope(true),
            Duration::ZERO,
            &[],
            &settings,
            ago(10),
            NOW,
        );
        assert_eq!(due, expected, "fetched {fetched}, failed {failed:?}");
    }
}

#[test]
fn ages_beyond_time_are_no_limit() {
    assert_eq!(days(0.5), HOUR * 12);
    assert_eq!(days(f64::MAX), Duration::MAX);
    assert_eq!(later(NOW, HOUR), ago(-3_600));
    assert_eq!(later(NOW, Duration::MAX), FOREVER);
    let due = base(
        datetime!(0001-01-01 00:00 UTC),
        Duration::MAX,
        None,
        &settings(),
        NOW,
    );
    assert_eq!(due, Due::No);
}

#[test]
fn operator_overrides_the_age_of_the_manifest() {
    let manifest: CompanySourceManifest = serde_json::from_value(serde_json::json!({
        "provides": "base", "keys": [], "max_age_days": 3.0,
    }))
    .expect("a manifest");
    for (of_operator, of_manifest, expected) in [
        (None, None, 30.0),
        (None, Some(&manifest), 3.0),
        (Some(0.5), Some(&manifest), 0.5),
        (Some(7.0), None, 7.0),
    ] {
        let freshness = Freshness {
            details_days: of_operator,
            ..settings()
        };
        assert_eq!(register_age(of_manifest, &freshness), days(expected));
    }
}
