//! The requirement that a register's answer counts only for the question that it answers.
//!
//! In all answers of a look-up, the requested numbers are replaced by those of another company, and by zeros (as if the
//! number never arrived). The connector must fail or name an unread source. If it returns the same answer as before, or
//! *nothing found*, it accepted an answer to another question.

use super::{Found, Mistake, Suite};
use crate::cassette::Cassette;
use lustra_sandbox::CallFailure;
use lustra_sandbox::recording::{CallOutcome, RecordedCall, Recording};

/// Shortest run of digits in a path that is taken for a key; shorter ones are often dates, pages and sizes.
const MIN_DIGITS: usize = 8;
/// Shortest id of a register that is replaced; shorter ones are too common in a page.
const MIN_ID_DIGITS: usize = 4;

/// The replacement of the number.
#[derive(Clone, Copy)]
enum Replacement {
    Another,
    Nothing,
}

impl Suite<'_> {
    pub(super) async fn other_questions(&self, on_call: &mut (dyn FnMut() + Send)) -> Found {
        let (mut mistakes, mut looked_at, mut silent) = (Vec::new(), 0, Vec::new());
        for (name, cassette) in self.look_ups() {
            if cassette.recording.exchanges.is_empty()
                || !matches!(cassette.recording.outcome, CallOutcome::Gave(_))
            {
                continue;
            }
            let keys = keys(&cassette.recording);
            let mut is_repeated = false;
            for instead in [Replacement::Another, Replacement::Nothing] {
                let Some(derived) = derived(&cassette.recording, &keys, instead) else {
                    continue;
                };
                is_repeated = true;
                looked_at += 1;
                on_call();
                let replayed = self.derived(cassette, &derived).await;
                mistakes.extend(mistake(
                    name,
                    instead,
                    cassette,
                    &replayed.outcome,
                    &replayed.failure,
                ));
            }
            if !is_repeated {
                silent.push(name.as_str());
            }
        }
        let missing = if silent.is_empty() {
            "no look-up asks for anything".to_owned()
        } else {
            no_echo(&silent)
        };
        match Found::of(mistakes, looked_at, "answers", &missing) {
            Found::Passed { how } if !silent.is_empty() => {
                Found::passed(format!("{how}; {missing}"))
            }
            found @ (Found::Passed { .. } | Found::Failed { .. } | Found::Skipped { .. }) => found,
        }
    }
}

fn no_echo(silent: &[&str]) -> String {
    format!(
        "no answer in {} repeats the requested number (see the connector's README)",
        silent.join(", ")
    )
}

fn mistake(
    name: &str,
    instead: Replacement,
    cassette: &Cassette,
    outcome: &CallOutcome,
    failure: &Option<CallFailure>,
) -> Option<Mistake> {
    let place = match instead {
        Replacement::Another => format!("{name}: answers for another company"),
        Replacement::Nothing => format!("{name}: answers for no company"),
    };
    let given = match (outcome, failure) {
        (_, Some(CallFailure::Failed(_))) => return None,
        (_, Some(failure)) => return Some(Mistake::new(place, format!("it ends with {failure}"))),
        (CallOutcome::Failed(_), None) => return None,
        (CallOutcome::Gave(given), None) => given,
    };
    let unread = |given: &serde_json::Value| given.get("unread").cloned().unwrap_or_default();
    let expected = match &cassette.recording.outcome {
        CallOutcome::Gave(expected) => expected,
        CallOutcome::Failed(_) => return None,
    };
    let names_more = unread(given)
        .as_object()
        .is_some_and(|unread| !unread.is_empty());
    if names_more && unread(given) != unread(expected) {
        return None;
    }
    let why = if given == expected {
        "it returns the same as for the right numbers"
    } else if given.is_null() {
        "it reports that the register does not know the company"
    } else {
        "it returns another result and does not name what it could not read"
    };
    Some(Mistake::new(place, why))
}

/// The numbers in the call's requests.
fn keys(recording: &Recording) -> Vec<String> {
    let mut keys = Vec::new();
    match &recording.call {
        RecordedCall::Enrich { subject, .. } => keys.push(subject.ico.clone()),
        RecordedCall::FetchCompany { value, .. } => {
            let runs = value.split(|c: char| !c.is_ascii_digit());
            keys.extend(
                runs.filter(|run| run.len() >= MIN_ID_DIGITS)
                    .map(str::to_owned),
            );
        }
        RecordedCall::Import { .. } => {}
    }
    for exchange in &recording.exchanges {
        let runs = exchange.question.path.split(|c: char| !c.is_ascii_digit());
        keys.extend(
            runs.filter(|run| run.len() >= MIN_DIGITS)
                .map(str::to_owned),
        );
    }
    keys.retain(|key| key.len() >= MIN_ID_DIGITS && key.bytes().all(|byte| byte.is_ascii_digit()));
    keys.sort();
    keys.dedup();
    keys
}

/// The recording with other numbers in its answers, or `None` if no answer contains one.
fn derived(recording: &Recording, keys: &[String], instead: Replacement) -> Option<Recording> {
    let mut derived = recording.clone();
    let mut is_changed = false;
    for exchange in &mut derived.exchanges {
        let Ok(answer) = &mut exchange.answer else {
            continue;
        };
        for key in keys {
            let other = match instead {
                Replacement::Another => another(key),
                Replacement::Nothing => "0".repeat(key.len()),
            };
            is_changed |= replace(&mut answer.body, key, &other);
            for space in [&b" "[..], "\u{a0}".as_bytes(), b"\xa0", b"&nbsp;"] {
                if let (Some(key), Some(other)) = (grouped(key, space), grouped(&other, space)) {
                    is_changed |= replace_bytes(&mut answer.body, &key, &other);
                }
            }
        }
    }
    is_changed.then_some(derived)
}

/// Another number of the same length; one of eight digits gets the check digit of a registration number.
fn another(key: &str) -> String {
    let digits: Vec<u32> = key.chars().filter_map(|c| c.to_digit(10)).collect();
    let mut other: Vec<u32> = digits;
    let last = other.len().saturating_sub(2);
    if let Some(digit) = other.get_mut(last) {
        *digit = (*digit + 1) % 10;
    }
    if let [first @ .., check] = other.as_mut_slice()
        && first.len() == 7
    {
        let sum: u32 = (2..=8)
            .rev()
            .zip(first.iter())
            .map(|(weight, digit)| weight * digit)
            .sum();
        *check = (11 - sum % 11) % 10;
    }
    other.iter().map(u32::to_string).collect()
}

fn grouped(key: &str, space: &[u8]) -> Option<Vec<u8>> {
    let bytes = key.as_bytes();
    let (first, rest) = bytes.split_at_checked(2)?;
    let (second, third) = rest.split_at_checked(3)?;
    (third.len() == 3).then(|| [first, space, second, space, third].concat())
}

fn replace(body: &mut [u8], key: &str, other: &str) -> bool {
    replace_bytes(body, key.as_bytes(), other.as_bytes())
}

/// Replaces a number, but a short one only if it is not part of a longer one. Returns whether it was found.
fn replace_bytes(body: &mut [u8], key: &[u8], other: &[u8]) -> bool {
    let is_digit = |at: Option<usize>| {
        key.len() < MIN_DIGITS
            && at
                .and_then(|at| body.get(at))
                .is_some_and(u8::is_ascii_digit)
    };
    let places: Vec<usize> = body
        .windows(key.len())
        .enumerate()
        .filter(|(at, window)| {
            *window == key && !is_digit(at.checked_sub(1)) && !is_digit(Some(at + key.len()))
        })
        .map(|(at, _)| at)
        .collect();
    for at in &places {
        if let Some(place) = body.get_mut(*at..at + key.len()) {
            place.copy_from_slice(other);
        }
    }
    !places.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_numbers_have_the_same_form() {
        for key in ["99999994", "00000124", "2999999904", "1000"] {
            let other = another(key);
            assert_ne!(other, key);
            assert_eq!(other.len(), key.len());
        }
        assert!(lustra_store::Ico::parse(&another("99999994")).is_ok());
    }

    #[test]
    fn whole_numbers_are_replaced_however_grouped() {
        let mut body = b"99999994 2099999994 99 999 994 1000 21000".to_vec();
        assert!(replace(&mut body, "99999994", "00000000"));
        assert!(replace(&mut body, "1000", "1010"));
        let (key, other) = (grouped("99999994", b" "), grouped("00000000", b" "));
        assert!(
            key.zip(other)
                .is_some_and(|(key, other)| replace_bytes(&mut body, &key, &other))
        );
        assert_eq!(body, b"00000000 2000000000 00 000 000 1010 21000");
        assert!(!replace(&mut body, "99999994", "00000000"));
    }
}
