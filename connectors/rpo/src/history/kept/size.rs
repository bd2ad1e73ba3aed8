//! Keeps the stored text of a history within its maximum size.

use std::num::NonZeroU32;

use lustra_sdk::{Failure, to_json};
use serde::Serialize;

use super::{
    Activities, Deposit, Equity, History, Person, Relative, Seat, Share, State, Text, Unit,
    Validity,
};

/// Maximum size of a stored history in bytes. The largest known companies have some 60 kB.
pub const MAX_BYTES: usize = 256 * 1024;

impl History {
    /// The JSON text to store. Of a history that is too large, the oldest closed rows of the longest lists are
    /// removed and counted in `dropped`.
    ///
    /// # Errors
    /// Never in practice: texts and numbers always become JSON.
    pub fn content(&mut self) -> Result<String, Failure> {
        loop {
            let text = to_json(self)?;
            if text.len() <= MAX_BYTES || !self.shorten() {
                return Ok(text);
            }
        }
    }

    /// Drops half of the longest list. False if all are empty.
    fn shorten(&mut self) -> bool {
        let Self {
            names,
            seats,
            forms,
            statuses,
            activities,
            statutory,
            stakeholders,
            authorizations,
            deposits,
            equities,
            shares,
            predecessors,
            successors,
            facts,
            units,
            ..
        } = self;
        let mut lists: [(usize, &mut dyn Shorten); 15] = [
            (bytes(names), names),
            (bytes(seats), seats),
            (bytes(forms), forms),
            (bytes(statuses), statuses),
            (bytes(activities), activities),
            (bytes(statutory), statutory),
            (bytes(stakeholders), stakeholders),
            (bytes(authorizations), authorizations),
            (bytes(deposits), deposits),
            (bytes(equities), equities),
            (bytes(shares), shares),
            (bytes(predecessors), predecessors),
            (bytes(successors), successors),
            (bytes(facts), facts),
            (bytes(units), units),
        ];
        lists.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
        for (_, list) in lists {
            let dropped = list.drop_older_half();
            if dropped > 0 {
                let before = self.dropped.map_or(0, NonZeroU32::get);
                self.dropped = NonZeroU32::new(before.saturating_add(dropped));
                return true;
            }
        }
        false
    }
}

fn bytes<T: Serialize>(rows: &[T]) -> usize {
    serde_json::to_vec(rows).map_or(0, |text| text.len())
}

/// A list of rows that can be made shorter.
trait Shorten {
    /// Drops the half that was closed first, at least one row, and returns how many. Zero if the list is empty.
    fn drop_older_half(&mut self) -> u32;
}

/// A row with a validity.
pub trait Dated {
    fn validity(&self) -> &Validity;
}

macro_rules! dated {
    ($($row:ty),*) => {
        $(impl Dated for $row {
            fn validity(&self) -> &Validity {
                &self.validity
            }
        })*
    };
}
dated!(
    Text, State, Activities, Seat, Person, Deposit, Equity, Share, Relative, Unit
);

impl<T: Dated> Shorten for Vec<T> {
    fn drop_older_half(&mut self) -> u32 {
        let surplus = self.len().div_ceil(2);
        let rank = |row: &T| (row.validity().end(), row.validity().from());
        let mut ranks: Vec<_> = self.iter().map(rank).zip(0_usize..).collect();
        ranks.sort_unstable();
        let mut dropped: Vec<usize> = ranks.into_iter().take(surplus).map(|(_, at)| at).collect();
        dropped.sort_unstable();
        let mut at = 0;
        self.retain(|_| {
            at += 1;
            dropped.binary_search(&(at - 1)).is_err()
        });
        u32::try_from(surplus).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::kept::End;

    fn row(text: &str, from: &str, to: Option<&str>) -> Text {
        Text {
            text: text.to_owned(),
            validity: Validity {
                from: Some(from.to_owned()),
                to: to.map(str::to_owned),
            },
        }
    }

    #[test]
    fn placeholder_date_is_an_unknown_day() {
        let unknown = Validity {
            from: Some("1800-01-01".to_owned()),
            to: Some("1800-01-01".to_owned()),
        };
        assert_eq!((unknown.from(), unknown.end()), (None, End::Unknown));
        assert_eq!(Validity::default().end(), End::Open);
    }

    #[test]
    fn oversized_history_drops_what_ended_first() {
        let long = "x".repeat(1_000);
        let mut history = History {
            names: (0..400)
                .map(|day| {
                    row(
                        &long,
                        &format!("20{:02}-01-01", day % 90),
                        Some("2099-01-01"),
                    )
                })
                .collect(),
            ..History::default()
        };
        history.names.push(row("open", "1990-01-01", None));
        history.authorizations.push(row("rule", "1990-01-01", None));
        let text = history.content().expect("a text");
        assert!(text.len() <= MAX_BYTES);
        let kept: History = serde_json::from_str(&text).expect("the same form");
        assert!(kept.names.iter().any(|name| name.text == "open"));
        assert_eq!(kept.authorizations.len(), 1);
        let dropped = kept.dropped.map_or(0, |dropped| dropped.get() as usize);
        assert_eq!(kept.names.len() + dropped, 401);
    }

    #[test]
    fn history_of_one_huge_row_is_bounded() {
        let text = "x".repeat(MAX_BYTES);
        let mut history = History {
            names: vec![row(&text, "1990-01-01", None)],
            authorizations: vec![row("rule", "1990-01-01", None)],
            ..History::default()
        };
        let kept: History =
            serde_json::from_str(&history.content().expect("a text")).expect("the same form");
        assert_eq!((kept.names.len(), kept.authorizations.len()), (0, 1));
        assert_eq!(History::default().content().expect("a text"), "{}");
    }
}
