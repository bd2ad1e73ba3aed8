//! The requirement that one odd row affects no other record of an import.
//!
//! The check damages one row of a recorded answer. The connector must return the records of all other rows unchanged;
//! only records that it keeps from an earlier import may stay as they were stored. It must keep the odd row, perhaps
//! with less content, or count it in the notes. The odd row must not remove a record.

mod damage;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use self::damage::{Damage, Numbers, damaged};
use super::{Found, Mistake, Suite};
use crate::cassette::Cassette;
use crate::lists::{self, Known};
use lustra_sandbox::recording::{CallOutcome, Recording};

/// The highest number of answers of one import that are damaged.
const MAX_ANSWERS: usize = 6;

/// The number of records of the smallest list that is judged. A connector may refuse a list of the odd row alone.
const MIN_RECORDS: usize = 2;

/// What a damaged row may change.
struct OddRow<'a> {
    /// The company of the row; `None` if the answer has no company numbers of the list.
    ico: Option<String>,
    /// Keys of the records that come from the row.
    keys: BTreeSet<String>,
    /// Companies of those records. A key may depend on the content, so a record with less content may have another key.
    companies: BTreeSet<String>,
    /// The list without the row; `None` if the import fails without it.
    without: Option<&'a Value>,
    /// Records of earlier imports that the connector read, by key.
    stored: &'a BTreeMap<String, Value>,
}

impl Suite<'_> {
    pub(super) async fn odd_rows(&self, on_call: &mut (dyn FnMut() + Send)) -> Found {
        let (mut mistakes, mut looked_at, mut untried) = (Vec::new(), 0, Vec::new());
        for (name, cassette, _) in self.imports() {
            let count = self.odd_rows_of(name, cassette, &mut mistakes, on_call);
            match count.await {
                0 => untried.push(name.as_str()),
                count => looked_at += count,
            }
        }
        let missing = if untried.is_empty() {
            "there is no cassette of an import".to_owned()
        } else {
            let untried = untried.join(", ");
            format!("no row could be made odd, or no odd row made a difference, in {untried}")
        };
        match Found::of(mistakes, looked_at, "odd rows", &missing) {
            Found::Passed { how } if !untried.is_empty() => {
                Found::passed(format!("{how}; {missing}"))
            }
            found @ (Found::Passed { .. } | Found::Failed { .. } | Found::Skipped { .. }) => found,
        }
    }

    /// Damages rows of one import and returns how many odd rows were judged.
    async fn odd_rows_of(
        &self,
        name: &str,
        cassette: &Cassette,
        mistakes: &mut Vec<Mistake>,
        on_call: &mut (dyn FnMut() + Send),
    ) -> usize {
        let recording = &cassette.recording;
        let CallOutcome::Gave(expected) = &recording.outcome else {
            return 0;
        };
        let records = lists::all(expected).filter(|record| !lists::is_own_note(record));
        if records.count() < MIN_RECORDS {
            return 0;
        }
        let (numbers, stored) = (numbers(expected), stored(recording));
        let stride = recording.exchanges.len().div_ceil(MAX_ANSWERS).max(1);
        let mut judged = 0;
        for number in (0..recording.exchanges.len()).step_by(stride) {
            let mut without = None;
            for damage in Damage::ALL {
                let Some((derived, ico)) = derived(recording, number, &numbers, damage) else {
                    continue;
                };
                on_call();
                let replayed = self.derived(cassette, &derived).await;
                // The connector does not read the damaged place, or sends a request that was not recorded.
                if matches!(&replayed.outcome, CallOutcome::Gave(given) if lists::are_equal(given, expected))
                    || !replayed.unmatched.is_empty()
                {
                    continue;
                }
                if without.is_none() {
                    without = Some(self.without_row(cassette, number, &numbers).await);
                }
                let without = without.as_ref().and_then(Option::as_ref);
                // The import needs this answer as a whole, so the answer is not a part of the list.
                if ico.is_none() && without.is_none() {
                    continue;
                }
                let row = OddRow::new(ico, expected, without, &stored);
                judged += 1;
                let why = match &replayed.outcome {
                    CallOutcome::Failed(why) => Some(format!("the whole list is refused: {why}")),
                    CallOutcome::Gave(given) => fault(given, expected, &row),
                };
                let place = format!("{name}: {damage} in answer {}", number + 1);
                mistakes.extend(why.map(|why| Mistake::new(place, why)));
            }
        }
        judged
    }

    /// The list of an import without the row; `None` if the import fails.
    async fn without_row(
        &self,
        cassette: &Cassette,
        number: usize,
        numbers: &Numbers<'_>,
    ) -> Option<Value> {
        let (without, _) = derived(&cassette.recording, number, numbers, Damage::Removal)?;
        match self.derived(cassette, &without).await.outcome {
            CallOutcome::Gave(list) => Some(list),
            CallOutcome::Failed(_) => None,
        }
    }
}

impl<'a> OddRow<'a> {
    fn new(
        ico: Option<String>,
        expected: &Value,
        without: Option<&'a Value>,
        stored: &'a BTreeMap<String, Value>,
    ) -> Self {
        let missing = without.map(|list| Known::of(list).others(expected));
        let of_company = lists::all(expected).filter(|record| {
            ico.as_ref()
                .is_some_and(|ico| record.to_string().contains(ico))
        });
        let (mut keys, mut companies) = (BTreeSet::new(), BTreeSet::new());
        for record in missing.into_iter().flatten().chain(of_company) {
            keys.insert(lists::key(record).to_owned());
            companies.extend(company(record).map(str::to_owned));
        }
        // Companies have no key.
        keys.remove("");
        Self {
            ico,
            keys,
            companies,
            without,
            stored,
        }
    }

    /// Whether a record comes from the row.
    fn makes(&self, record: &Value) -> bool {
        self.keys.contains(lists::key(record))
            || self
                .ico
                .as_ref()
                .is_some_and(|ico| record.to_string().contains(ico))
    }

    /// Whether a record is one of an earlier import, unchanged.
    fn is_stored(&self, record: &Value) -> bool {
        let Some(before) = self.stored.get(lists::key(record)) else {
            return false;
        };
        let content = before.get("content").and_then(Value::as_str);
        let content: Option<Value> = content.and_then(|text| serde_json::from_str(text).ok());
        record.get("ico") == before.get("ico") && record.get("content") == content.as_ref()
    }

    /// Whether a list with the odd row may have a record that the undamaged list does not have. Records of the odd row
    /// may have less content or no company. Other records are as in the list without the row, or as they were stored.
    fn may_be_given(&self, record: &Value) -> bool {
        let is_of_row = self.makes(record)
            || lists::names_no_company(record)
            || company(record).is_some_and(|company| self.companies.contains(company));
        let is_without = || {
            self.without
                .is_some_and(|list| lists::all(list).any(|known| known == record))
        };
        (is_of_row && !lists::is_removal(record)) || is_without() || self.is_stored(record)
    }
}

fn company(record: &Value) -> Option<&str> {
    record.get("ico").and_then(Value::as_str)
}

/// The recording with a damaged row in one answer, and the company of the row.
fn derived(
    recording: &Recording,
    number: usize,
    numbers: &Numbers<'_>,
    damage: Damage,
) -> Option<(Recording, Option<String>)> {
    let mut derived = recording.clone();
    let exchange = derived.exchanges.get_mut(number)?;
    let answer = exchange.answer.as_mut().ok()?;
    let damaged = damaged(&answer.body, numbers, damage)?;
    answer.body = damaged.body;
    Some((derived, damaged.ico))
}

/// Company numbers of the list. The numbers in the fewest records identify a row. A number that is also in records of
/// other companies does not, because it may be in a row of those companies.
fn numbers(list: &Value) -> Numbers<'_> {
    let records: Vec<(Option<&str>, String)> = lists::all(list)
        .map(|record| (company(record), record.to_string()))
        .collect();
    let mut all: Vec<&str> = records.iter().filter_map(|(ico, _)| *ico).collect();
    all.sort_unstable();
    all.dedup();
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for ico in &all {
        let mut with_it = records.iter().filter(|(_, text)| text.contains(ico));
        let count = with_it.clone().count();
        if with_it.all(|(own, _)| own.as_ref() == Some(ico)) {
            counted.push((ico, count));
        }
    }
    let fewest = counted.iter().map(|(_, count)| *count).min();
    let of_rows = counted
        .into_iter()
        .filter(|(_, count)| Some(*count) == fewest);
    Numbers {
        of_rows: of_rows.map(|(ico, _)| ico).collect(),
        all,
    }
}

/// Records of earlier imports that the connector read, by key.
fn stored(recording: &Recording) -> BTreeMap<String, Value> {
    let answers = recording.host_answers.iter();
    answers
        .filter(|answer| answer.function.starts_with("records."))
        .filter_map(|answer| answer.answer.get("ok")?.as_array())
        .flatten()
        .map(|record| (lists::key(record).to_owned(), record.clone()))
        .collect()
}

/// What is wrong with a list that has one odd row; `None` if only the odd row's records differ.
fn fault(given: &Value, expected: &Value, row: &OddRow<'_>) -> Option<String> {
    let differing = Known::of(expected).others(given);
    let mut wrong = differing.iter().filter(|record| !row.may_be_given(record));
    // If the row's company is not known, one record may be of any company of the list: a list may hold the row twice,
    // and its damaged copy is a record of its own.
    let is_copy = row.ico.is_none()
        && wrong.clone().count() == 1
        && wrong.clone().all(|record| !lists::is_removal(record));
    if !is_copy && let Some(wrong) = wrong.next() {
        let named = lists::named(wrong);
        return Some(format!("it returns {named}, which the list does not have"));
    }
    let same_key = |record: &Value| {
        let key = lists::key(record);
        lists::all(given).find(|given| !key.is_empty() && lists::key(given) == key)
    };
    let (own, others): (Vec<&Value>, Vec<&Value>) = Known::of(given)
        .others(expected)
        .into_iter()
        .partition(|record| row.makes(record));
    // A record with the same key is not missing. Its content was checked above.
    let lost = others.iter().filter(|record| same_key(record).is_none());
    if let Some(first) = lost.clone().next() {
        let (count, named) = (lost.count(), lists::named(first));
        return Some(format!(
            "{count} records of other rows are missing, such as {named}"
        ));
    }
    let is_counted = lists::notes(given) != lists::notes(expected);
    let placeholders = lists::all(given).filter(|record| {
        lists::is_placeholder(record) && !lists::all(expected).any(|known| known == *record)
    });
    let instead = differing.len() + placeholders.count();
    let is_kept = own.len() <= instead || own.iter().all(|record| same_key(record).is_some());
    (!is_counted && !is_kept).then(|| "the odd row is neither kept nor counted".to_owned())
}

#[cfg(test)]
mod tests;
