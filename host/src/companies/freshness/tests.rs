//! Each freshness rule just before, at and just after its limit.

use serde_json::json;
use time::macros::datetime;

use super::*;
use crate::store::testing::{connector_id, scope_name};

const NOW: OffsetDateTime = datetime!(2026-01-15 08:00 UTC);

const DAY: u64 = 86_400;

fn before(seconds: u64) -> OffsetDateTime {
    NOW - Duration::from_secs(seconds)
}

fn freshness() -> FreshnessConfig {
    FreshnessConfig {
        failed_retry_seconds: 60,
        unread_retry_seconds: 900,
        ..FreshnessConfig::default()
    }
}

fn scope(live: bool) -> ScopeManifest {
    let manifest =
        json!({"scope": "tax", "key": "tax", "title": "Tax", "schema": {}, "live": live});
    serde_json::from_value(manifest).expect("the fields that have no default")
}

fn read(fetched_at: Option<OffsetDateTime>, failed_at: Option<OffsetDateTime>) -> StoredSection {
    StoredSection {
        scope: scope_name("tax"),
        content: Some("{}".to_owned()),
        unread: false,
        connector_version: None,
        generation: None,
        fetched_at,
        dirty: false,
        failed_at,
        failure: None,
        unread_sources: None,
    }
}

fn of_register(
    fetched_at: Option<OffsetDateTime>,
    failed_at: Option<OffsetDateTime>,
) -> StoredDetails {
    StoredDetails {
        ico: "99999994".to_owned(),
        connector: connector_id("orsr"),
        register_id: None,
        found: true,
        content: None,
        content_hash: None,
        connector_version: None,
        generation: None,
        fetched_at,
        failed_at,
        failure: None,
    }
}

/// The decision for a section with a maximum age of ten days, requested now.
fn due(stored: &StoredSection, live: bool, import: Option<OffsetDateTime>) -> Freshness {
    let age = Duration::from_secs(10 * DAY);
    section(
        Some(stored),
        &scope(live),
        age,
        import,
        &freshness(),
        NOW,
        NOW,
    )
}

#[test]
fn only_fresh_parts_are_not_stale() {
    let all = [
        Freshness::Fresh,
        Freshness::Stale,
        Freshness::RetryLater,
        Freshness::Missing,
    ];
    assert_eq!(all.map(Freshness::is_stale), [false, true, true, true]);
}

#[test]
fn overflowing_ages_and_times_mean_no_limit() {
    assert_eq!(days(0.5), Duration::from_secs(DAY / 2));
    assert_eq!(days(f64::MAX), Duration::MAX);
    assert_eq!(
        later(NOW, Duration::from_secs(1)),
        NOW + time::Duration::SECOND
    );
    assert_eq!(later(NOW, Duration::MAX), FOREVER);
    assert_eq!(later(NOW, Duration::from_secs(8_000 * 366 * DAY)), FOREVER);
    assert_eq!(
        base(before(DAY), Duration::MAX, None, &freshness(), NOW),
        Freshness::Fresh
    );
}

#[test]
fn operator_setting_overrides_manifest_age() {
    let source = json!({"provides": "details", "keys": ["ico"], "max_age_days": 3.0});
    let source: CompanySourceManifest = serde_json::from_value(source).expect("a manifest");
    let mut freshness = freshness();
    assert_eq!(register_age(Some(&source), &freshness), days(3.0));
    assert_eq!(register_age(None, &freshness), days(30.0));
    freshness.details_days = Some(7.0);
    assert_eq!(register_age(Some(&source), &freshness), days(7.0));
}

#[test]
fn base_record_is_stale_beyond_its_age() {
    let age = Duration::from_secs(DAY);
    let due = |seen, tried| base(before(seen), age, tried, &freshness(), NOW);
    assert_eq!(due(DAY, None), Freshness::Fresh);
    assert_eq!(due(DAY + 1, None), Freshness::Stale);
    assert_eq!(due(DAY + 1, Some(before(60))), Freshness::RetryLater);
    assert_eq!(due(DAY + 1, Some(before(61))), Freshness::Stale);
    assert_eq!(due(DAY, Some(before(0))), Freshness::Fresh);
}

#[test]
fn missing_details_are_fetched_unless_just_tried() {
    let age = Duration::from_secs(DAY);
    let due = |stored: Option<&StoredDetails>| details(stored, age, &freshness(), NOW);
    assert_eq!(due(None), Freshness::Missing);
    assert_eq!(due(Some(&of_register(None, None))), Freshness::Missing);
    assert_eq!(
        due(Some(&of_register(None, Some(before(60))))),
        Freshness::RetryLater
    );
    assert_eq!(
        due(Some(&of_register(None, Some(before(61))))),
        Freshness::Missing
    );
}

#[test]
fn details_are_stale_beyond_their_age() {
    let age = Duration::from_secs(DAY);
    let due = |fetched, failed: Option<u64>| {
        let stored = of_register(Some(before(fetched)), failed.map(before));
        details(Some(&stored), age, &freshness(), NOW)
    };
    assert_eq!(due(DAY, None), Freshness::Fresh);
    assert_eq!(due(DAY, Some(0)), Freshness::Fresh);
    assert_eq!(due(DAY + 1, None), Freshness::Stale);
    assert_eq!(due(DAY + 1, Some(60)), Freshness::RetryLater);
    assert_eq!(due(DAY + 1, Some(61)), Freshness::Stale);
}

#[test]
fn section_is_as_old_as_its_oldest_import() {
    let stored = read(Some(before(1)), None);
    let as_of = |live, import| section_as_of(&stored, &scope(live), import);
    let import = Some(before(9));
    assert_eq!(as_of(false, import), import);
    assert_eq!(as_of(false, None), Some(before(1)), "never imported");
    assert_eq!(
        as_of(true, import),
        Some(before(1)),
        "asked of its register"
    );
    let never = read(None, None);
    assert_eq!(section_as_of(&never, &scope(false), import), None);
}

#[test]
fn missing_section_is_fetched_unless_just_tried() {
    let age = Duration::from_secs(DAY);
    let none = section(None, &scope(true), age, None, &freshness(), NOW, NOW);
    assert_eq!(none, Freshness::Missing);
    assert_eq!(due(&read(None, None), true, None), Freshness::Missing);
    assert_eq!(
        due(&read(None, Some(before(60))), true, None),
        Freshness::RetryLater
    );
    assert_eq!(
        due(&read(None, Some(before(61))), true, None),
        Freshness::Missing
    );
}

#[test]
fn section_is_stale_beyond_its_age() {
    let old = |seconds: u64, failed: Option<u64>| {
        let stored = read(Some(before(10 * DAY + seconds)), failed.map(before));
        due(&stored, true, None)
    };
    assert_eq!(old(0, None), Freshness::Fresh);
    assert_eq!(old(1, None), Freshness::Stale);
    assert_eq!(old(1, Some(60)), Freshness::RetryLater);
    assert_eq!(old(1, Some(61)), Freshness::Stale);
}

#[test]
fn section_of_the_same_old_lists_is_made_again_daily() {
    let import = Some(before(20 * DAY));
    let made = |at, failed: Option<u64>| due(&read(Some(at), failed.map(before)), false, import);
    assert_eq!(made(NOW, None), Freshness::AwaitsImport);
    assert_eq!(made(before(DAY), None), Freshness::AwaitsImport);
    assert_eq!(made(before(DAY + 1), None), Freshness::Stale);
    assert_eq!(made(before(DAY + 1), Some(60)), Freshness::RetryLater);
}

#[test]
fn section_from_lists_is_made_again_beyond_its_age() {
    let made = |seconds: u64, failed: Option<u64>, import| {
        let stored = read(Some(before(10 * DAY + seconds)), failed.map(before));
        due(&stored, false, import)
    };
    for import in [Some(NOW), Some(before(20 * DAY)), None] {
        assert_eq!(made(1, None, import), Freshness::Missing);
        assert_eq!(made(1, Some(60), import), Freshness::RetryLater);
        assert_eq!(made(1, Some(61), import), Freshness::Missing);
    }
    assert_eq!(made(0, None, Some(NOW)), Freshness::Fresh);
    assert_eq!(made(0, None, None), Freshness::Fresh);
}

#[test]
fn section_of_age_zero_is_read_for_each_request() {
    let asked_at = before(10);
    let due = |fetched: u64, failed: Option<u64>| {
        let stored = read(Some(before(fetched)), failed.map(before));
        let scope = scope(true);
        section(
            Some(&stored),
            &scope,
            Duration::ZERO,
            None,
            &freshness(),
            asked_at,
            NOW,
        )
    };
    assert_eq!(due(11, None), Freshness::Missing);
    assert_eq!(
        due(10, None),
        Freshness::Fresh,
        "read since it was asked for"
    );
    assert_eq!(
        due(11, Some(11)),
        Freshness::Missing,
        "that failure was another question's"
    );
    assert_eq!(due(11, Some(10)), Freshness::RetryLater);
    assert_eq!(due(10, Some(10)), Freshness::Fresh);
}

#[test]
fn section_with_changed_records_is_rebuilt() {
    let mut changed = read(Some(before(1)), None);
    changed.dirty = true;
    assert_eq!(due(&changed, false, None), Freshness::Missing);
    assert_eq!(due(&changed, true, None), Freshness::Stale);
    changed.failed_at = Some(before(60));
    assert_eq!(due(&changed, true, None), Freshness::RetryLater);
    assert_eq!(due(&changed, false, None), Freshness::Missing);
}

#[test]
fn section_with_unread_sources_is_retried_sooner() {
    let unread = |seconds: u64, failed: Option<u64>| {
        let mut stored = read(Some(before(seconds)), failed.map(before));
        stored.unread = true;
        due(&stored, true, None)
    };
    assert_eq!(unread(900, None), Freshness::Fresh);
    assert_eq!(unread(901, None), Freshness::Stale);
    assert_eq!(unread(901, Some(60)), Freshness::RetryLater);
    assert_eq!(unread(901, Some(61)), Freshness::Stale);
    assert_eq!(
        due(&read(Some(before(901)), None), true, None),
        Freshness::Fresh
    );
}
