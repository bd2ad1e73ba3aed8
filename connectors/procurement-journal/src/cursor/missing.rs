//! Issues that the portal did not list when later ones were read. They are looked for in each run for some weeks.
//!
//! Issues are numbered in a year without gaps, so an issue is missing if its number lies between two that were read.
//! Whether a year has more issues than were read is not known, so the number after its last one is looked for too, but
//! it does not count as missing.

use std::collections::BTreeMap;
use std::fmt;

use lustra_sdk::calendar;

use super::{IssueNumber, number};

/// A missing issue is looked for during this many days.
const MAX_DAYS: i64 = 42;
/// The largest number of missing issues that are looked for. If there are more, the oldest are given up.
pub const MOST: usize = 100;

/// One missing issue.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sought {
    /// The day on which it was found missing: `YYYY-MM-DD`.
    since: String,
    /// The number of its items that were returned since.
    given: usize,
}

/// The issues that are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missing {
    issues: BTreeMap<IssueNumber, Sought>,
    /// The number after the last issue of the year before, and since when it is looked for.
    end_of_year: Option<(IssueNumber, String)>,
}

impl Missing {
    /// Notes the numbers between two issues that are read one after the other. Returns how many issues are missing,
    /// and how many of them are too many to be looked for.
    pub fn skip(
        &mut self,
        before: IssueNumber,
        issue: IssueNumber,
        today: &str,
    ) -> (u64, Vec<IssueNumber>) {
        let mut first = 1;
        if before.year == issue.year {
            first = before.number + 1;
        } else if before.year + 1 == issue.year && today <= &*format!("{}-12-31", issue.year) {
            let next = IssueNumber {
                number: before.number + 1,
                ..before
            };
            self.end_of_year = Some((next, today.to_owned()));
        }
        let count = issue.number.saturating_sub(first);
        self.add(first, issue, today);
        (u64::from(count), self.give_up_surplus())
    }

    /// Adds the numbers of a year from `first` up to an issue, at most one more than are looked for.
    fn add(&mut self, first: u32, issue: IssueNumber, today: &str) {
        let most = u32::try_from(MOST).unwrap_or(u32::MAX);
        let first = first.max(issue.number.saturating_sub(most));
        for number in first..issue.number {
            let sought = Sought {
                since: today.to_owned(),
                given: 0,
            };
            self.issues
                .entry(IssueNumber { number, ..issue })
                .or_insert(sought);
        }
    }

    /// Whether an issue is looked for.
    #[must_use]
    pub fn has(&self, issue: IssueNumber) -> bool {
        let is_later = |(next, _): &(IssueNumber, String)| {
            issue.year == next.year && issue.number >= next.number
        };
        self.issues.contains_key(&issue) || self.end_of_year.as_ref().is_some_and(is_later)
    }

    /// The oldest issue that is looked for.
    #[must_use]
    pub fn oldest(&self) -> Option<IssueNumber> {
        let next = self.end_of_year.as_ref().map(|(next, _)| *next);
        self.issues
            .keys()
            .next()
            .copied()
            .into_iter()
            .chain(next)
            .min()
    }

    /// The number of a late issue's items that were returned.
    #[must_use]
    pub fn given(&self, issue: IssueNumber) -> usize {
        self.issues.get(&issue).map_or(0, |sought| sought.given)
    }

    /// Notes that items of a late issue were returned: their number, or `None` if all were.
    pub fn give(&mut self, issue: IssueNumber, given: Option<usize>, today: &str) {
        if let Some((next, since)) = self.end_of_year.take() {
            if issue.year == next.year && issue.number >= next.number {
                // The year has more issues than were known. Those before this one are missing now.
                self.add(next.number, issue, today);
                let next = IssueNumber {
                    number: issue.number + 1,
                    ..issue
                };
                self.end_of_year = Some((next, since));
            } else {
                self.end_of_year = Some((next, since));
            }
        }
        match given {
            None => {
                self.issues.remove(&issue);
            }
            Some(given) => {
                let since = today.to_owned();
                let sought = Sought { since, given: 0 };
                self.issues.entry(issue).or_insert(sought).given = given;
            }
        }
    }

    /// Ends the search for issues that were looked for long enough, and returns them.
    pub fn give_up(&mut self, today: &str) -> Vec<IssueNumber> {
        let is_over =
            |since: &str| calendar::days_between(since, today).is_none_or(|days| days > MAX_DAYS);
        self.end_of_year.take_if(|(_, since)| is_over(since));
        let over = self.issues.iter().filter(|(_, one)| is_over(&one.since));
        let over: Vec<IssueNumber> = over.map(|(issue, _)| *issue).collect();
        for issue in &over {
            self.issues.remove(issue);
        }
        over
    }

    fn give_up_surplus(&mut self) -> Vec<IssueNumber> {
        let mut over = Vec::new();
        while self.issues.len() > MOST {
            over.extend(self.issues.pop_first().map(|(issue, _)| issue));
        }
        over
    }

    /// The missing issues, the oldest first.
    #[must_use]
    pub fn numbers(&self) -> Vec<String> {
        self.issues.keys().map(ToString::to_string).collect()
    }

    /// Reads one part of a cursor into this. `None` for a text of another form.
    pub fn parse_part(&mut self, name: &str, rest: &str) -> Option<()> {
        match name {
            "missing" => {
                for one in rest.split(' ') {
                    let (issue, since) = one.split_once('@')?;
                    let (since, given) = match since.split_once(':') {
                        Some((since, given)) => (since, number(given)?),
                        None => (since, 0),
                    };
                    let since = since.to_owned();
                    let sought = Sought { since, given };
                    self.issues.insert(IssueNumber::parse(issue)?, sought);
                }
            }
            "after" => {
                let (next, since) = rest.split_once('@')?;
                self.end_of_year = Some((IssueNumber::parse(next)?, since.to_owned()));
            }
            _ => return None,
        }
        Some(())
    }
}

/// The parts of a cursor, each behind a semicolon.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (issue, Sought { since, given })) in self.issues.iter().enumerate() {
            let lead = if place == 0 { "; missing" } else { "" };
            write!(f, "{lead} {issue}@{since}")?;
            if *given > 0 {
                write!(f, ":{given}")?;
            }
        }
        match &self.end_of_year {
            Some((next, since)) => write!(f, "; after {next}@{since}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: &str = "2026-02-04";

    fn issue(year: u32, number: u32) -> IssueNumber {
        IssueNumber { year, number }
    }

    #[test]
    fn numbers_between_two_issues_are_missing() {
        for (before, next, expected, oldest) in [
            (issue(2026, 23), issue(2026, 24), vec![], None),
            (
                issue(2026, 22),
                issue(2026, 24),
                vec!["2026/23"],
                Some(issue(2026, 23)),
            ),
            // Nobody knows whether 2025/251 exists, so it is only looked for.
            (
                issue(2025, 250),
                issue(2026, 1),
                vec![],
                Some(issue(2025, 251)),
            ),
            (
                issue(2025, 250),
                issue(2026, 2),
                vec!["2026/1"],
                Some(issue(2025, 251)),
            ),
            // The history is read long after the year's end.
            (issue(2019, 250), issue(2020, 1), vec![], None),
        ] {
            let mut missing = Missing::default();
            let (count, over) = missing.skip(before, next, DAY);
            assert_eq!(missing.numbers(), expected, "{before} {next}");
            assert_eq!((count, over.len()), (expected.len() as u64, 0));
            assert_eq!(missing.oldest(), oldest, "{before} {next}");
        }
    }

    #[test]
    fn late_end_of_year_shows_further_gaps() {
        let mut missing = Missing::default();
        missing.skip(issue(2025, 250), issue(2026, 1), DAY);
        assert!(missing.has(issue(2025, 252)) && !missing.has(issue(2025, 250)));
        missing.give(issue(2025, 252), None, DAY);
        assert_eq!(missing.numbers(), ["2025/251"]);
        assert!(missing.has(issue(2025, 253)) && !missing.has(issue(2025, 252)));
    }

    #[test]
    fn search_is_bounded_in_time_and_number() {
        let mut missing = Missing::default();
        missing.skip(issue(2026, 1), issue(2026, 3), "2026-01-05");
        missing.skip(issue(2026, 3), issue(2026, 5), DAY);
        assert_eq!(missing.give_up("2026-02-16"), []);
        assert_eq!(missing.give_up("2026-02-17"), [issue(2026, 2)]);
        let (count, over) = missing.skip(issue(2026, 5), issue(2026, 4_000_000_000), DAY);
        assert_eq!((count, over), (3_999_999_994, vec![issue(2026, 4)]));
        assert_eq!(missing.numbers().len(), MOST);
    }
}
