//! Since when a section could not find out what it names as unread.

use lustra_sdk::unread::{Unread, since};

/// Says since when: what the stored section says, else now.
pub fn date(unread: &mut [Unread], previous: Option<&str>) {
    for one in unread {
        one.since = Some(since(previous, &one.source));
    }
}
