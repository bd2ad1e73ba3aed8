//! Decides which awards count, and with which value: the newest modification's value replaces the award's own.
//!
//! A modification names the notice that it modifies, which may itself be a modification. If that notice was not
//! read, or is named by another identifier than its number, the procedure identifies the award, unless the
//! procedure has several. A modification of an unknown award adds nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::money::Money;
use crate::notice::{Notice, Stage};

/// Number of notices that modify an earlier one.
#[must_use]
pub fn count(notices: &[Notice]) -> u64 {
    let is_one = |notice: &&Notice| notice.stage == Stage::Modification;
    notices.iter().filter(is_one).count() as u64
}

/// The value of each award that has one. `notices` are sorted newest first.
#[must_use]
pub fn worths(notices: &[Notice]) -> Vec<&Money> {
    let known = Known::of(notices);
    let mut worths: BTreeMap<&str, &Money> = BTreeMap::new();
    // The newest modification of an award comes first and wins.
    let modified = notices
        .iter()
        .filter(|notice| notice.stage == Stage::Modification);
    for (notice, value) in modified.filter_map(with_value) {
        if let Some(award) = known.award_of(notice) {
            worths.entry(award).or_insert(value);
        }
    }
    let awards = notices.iter().filter(|notice| notice.stage == Stage::Award);
    for (notice, value) in awards.filter_map(with_value) {
        worths.entry(&notice.number).or_insert(value);
    }
    worths.into_values().collect()
}

fn with_value(notice: &Notice) -> Option<(&Notice, &Money)> {
    let value = notice.value.as_ref().filter(|_| notice.has_value())?;
    Some((notice, value))
}

struct Known<'a> {
    by_number: BTreeMap<&'a str, &'a Notice>,
    awards_by_procedure: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Known<'a> {
    fn of(notices: &'a [Notice]) -> Self {
        let numbered = notices
            .iter()
            .map(|notice| (notice.number.as_str(), notice));
        let mut awards_by_procedure: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for notice in notices.iter().filter(|notice| notice.stage == Stage::Award) {
            if let Some(procedure) = &notice.procedure {
                let awards = awards_by_procedure.entry(procedure).or_default();
                awards.push(&notice.number);
            }
        }
        Self {
            by_number: numbered.collect(),
            awards_by_procedure,
        }
    }

    /// The award that a chain of modifications changes. `None` if it is unknown.
    fn award_of(&self, modification: &'a Notice) -> Option<&'a str> {
        let mut seen = BTreeSet::new();
        let mut notice = modification;
        while seen.insert(notice.number.as_str()) {
            let named = notice.modifies.iter();
            let before = named.filter_map(|number| self.by_number.get(number.as_str()));
            let before: Vec<&Notice> = before.copied().collect();
            match before.as_slice() {
                [award] if award.stage == Stage::Award => return Some(&award.number),
                [other] if other.stage == Stage::Modification => notice = other,
                _ => break,
            }
        }
        let procedure = notice
            .procedure
            .as_ref()
            .or(modification.procedure.as_ref())?;
        match self.awards_by_procedure.get(procedure.as_str())?.as_slice() {
            [award] => Some(award),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(number: &str, stage: Stage, value: Option<&str>, modifies: &[&str]) -> Notice {
        Notice {
            number: number.to_owned(),
            title: None,
            date: None,
            kind: None,
            stage,
            procedure: Some("p".to_owned()),
            modifies: modifies.iter().map(|number| (*number).to_owned()).collect(),
            value: value.map(|value| Money {
                value: value.to_owned(),
                currency: Some("EUR".to_owned()),
            }),
            estimate: None,
        }
    }

    fn values(notices: &[Notice]) -> Vec<&str> {
        let mut values: Vec<&str> = worths(notices)
            .into_iter()
            .map(|money| money.value.as_str())
            .collect();
        values.sort_unstable();
        values
    }

    #[test]
    fn newest_modification_replaces_its_award() {
        use Stage::{Award, Modification, Other};
        let award = notice("1-2024", Award, Some("100"), &[]);
        let other = notice("2-2024", Award, Some("7"), &[]);
        let first = notice("3-2025", Modification, Some("120"), &["1-2024"]);
        let second = notice("4-2026", Modification, Some("150"), &["3-2025"]);
        let without = notice("5-2026", Modification, None, &["1-2024"]);
        let all = [without, second, first, other, award];
        assert_eq!(values(&all), ["150", "7"]);
        let competition = notice("6-2024", Other, None, &[]);
        assert_eq!(values(&[competition]), Vec::<&str>::new());
    }

    #[test]
    fn award_is_found_by_its_procedure() {
        use Stage::{Award, Modification};
        let award = notice("1-2024", Award, Some("100"), &[]);
        let by_uuid = notice("3-2025", Modification, Some("120"), &["65c1c820-01"]);
        assert_eq!(values(&[by_uuid.clone(), award.clone()]), ["120"]);
        let second = notice("2-2024", Award, Some("7"), &[]);
        assert_eq!(values(&[by_uuid, second, award]), ["100", "7"]);
    }

    #[test]
    fn modification_without_its_award_adds_nothing() {
        use Stage::Modification;
        let alone = notice("3-2025", Modification, Some("120"), &["1-2020"]);
        assert_eq!(values(&[alone]), Vec::<&str>::new());
        let one = notice("3-2025", Modification, Some("120"), &["4-2025"]);
        let two = notice("4-2025", Modification, Some("130"), &["3-2025"]);
        assert_eq!(values(&[two, one]), Vec::<&str>::new());
    }
}
