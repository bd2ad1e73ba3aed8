//! Plausibility guards: an empty list, or one that shrank too much, is not published.

/// Record counts of a snapshot, and the limits of its manifest and settings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Snapshot<'a> {
    /// Records of the published list; 0 if none is published.
    pub before: i64,
    /// Records of the new list.
    pub count: i64,
    pub may_be_empty: bool,
    /// Maximum decrease: the setting `max_shrink_percent`.
    pub most_percent: f64,
    /// The table of the settings that contains the limit.
    pub table: &'a str,
}

impl Snapshot<'_> {
    /// Why the snapshot must not be published. `None`: it may be.
    pub(super) fn refusal(self) -> Option<String> {
        let Self {
            before,
            count,
            most_percent: most,
            ..
        } = self;
        if count == 0 && !self.may_be_empty {
            return Some("nothing was downloaded: the list has no records".to_owned());
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "a share of counts far below 2^52"
        )]
        let shrunk = 100.0 * (before - count) as f64 / before.max(1) as f64;
        (before > 0 && shrunk > most).then(|| {
            format!(
                "the list shrank from {before} to {count} records, by {shrunk:.1} %; the maximum is {most} %. \
                 If the register did remove them, raise max_shrink_percent under [{}]",
                self.table
            )
        })
    }
}

/// Why a delta's run counts as failed. A later run may have no changes, but a first run without records has read
/// nothing.
pub(super) fn delta_refusal(is_first: bool, records: u64) -> Option<String> {
    (is_first && records == 0).then(|| "nothing was downloaded: there are no records".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_or_shrunk_snapshot_is_refused() {
        for (before, count, may_be_empty, most_percent, refused) in [
            (0, 0, false, 20.0, Some("nothing was downloaded")),
            (0, 0, true, 20.0, None),
            (0, 1, false, 20.0, None),
            (1_000, 0, false, 100.0, Some("nothing was downloaded")),
            (1_000, 0, true, 100.0, None),
            (
                1_000,
                0,
                true,
                99.9,
                Some("from 1000 to 0 records, by 100.0 %"),
            ),
            (1_000, 800, false, 20.0, None),
            (
                1_000,
                799,
                false,
                20.0,
                Some("by 20.1 %; the maximum is 20 %"),
            ),
            (1_000, 999, false, 0.0, Some("by 0.1 %; the maximum is 0 %")),
            (1_000, 1_000, false, 0.0, None),
            (1_000, 5_000, false, 0.0, None),
        ] {
            let snapshot = Snapshot {
                before,
                count,
                may_be_empty,
                most_percent,
                table: "connector.debtors.datasets.dovera",
            };
            let refusal = snapshot.refusal();
            match refused {
                None => assert_eq!(refusal, None, "{snapshot:?}"),
                Some(words) => assert!(
                    refusal.as_ref().is_some_and(|why| why.contains(words)),
                    "{snapshot:?}: {refusal:?}"
                ),
            }
        }
    }

    #[test]
    fn only_a_first_delta_must_have_records() {
        assert!(delta_refusal(true, 0).is_some());
        for (is_first, records) in [(true, 1), (false, 0), (false, 1)] {
            assert_eq!(delta_refusal(is_first, records), None);
        }
    }
}
