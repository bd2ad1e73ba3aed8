use time::Duration;
use time::macros::datetime;

use super::*;

#[test]
fn import_is_late_an_hour_after_it_was_due_or_began() {
    let now = datetime!(2026-01-15 08:00 UTC);
    let ago = |minutes| now - Duration::minutes(minutes);
    assert!(!is_late(ago(60), None, now));
    assert!(is_late(ago(61), None, now));
    assert!(!is_late(ago(600), Some(ago(60)), now), "it is in progress");
    assert!(is_late(ago(600), Some(ago(61)), now));
    assert!(is_late(ago(61), Some(ago(600)), now), "an earlier run");
}
