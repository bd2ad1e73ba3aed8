//! Requirements on how a connector handles a register's faults; see [`crate::faults`].

use super::{Found, Mistake, Suite};
use crate::faults::{self, Fault, Reaction, Tried};

const NOTHING_ASKED: &str = "no cassette has a request";

/// Results of the faults, by requirement.
pub(super) struct Faults {
    pub(super) right_failure: Found,
    pub(super) broken: Found,
    pub(super) error_page: Found,
    pub(super) redirect: Found,
}

impl Suite<'_> {
    pub(super) async fn faults(&self, on_call: &mut (dyn FnMut() + Send)) -> Faults {
        let mut all = Vec::new();
        for (name, cassette) in self.cassettes {
            let tried = faults::try_all(self.bench, self.on_bench, cassette, on_call).await;
            all.extend(tried.into_iter().map(|tried| (name.as_str(), tried)));
        }
        Faults {
            right_failure: judged(&all, &|fault| kinds_of_status(fault)),
            broken: judged(&all, &|fault| kinds_of_form(fault)),
            error_page: judged(&all, &|fault| (fault == Fault::ErrorPage).then_some(FORM)),
            redirect: judged(&all, &|fault| {
                (fault == Fault::RedirectAway).then_some(&["refused", "unavailable"][..])
            }),
        }
    }
}

/// Failure kinds that are valid for a malformed answer. `refused`, because a limit of the host may have stopped the
/// call.
const FORM: &[&str] = &["malformed", "unavailable", "refused"];

/// The valid failure kinds for a register that is failing; `None` for other faults.
fn kinds_of_status(fault: Fault) -> Option<&'static [&'static str]> {
    match fault {
        Fault::Unavailable | Fault::Status500 => Some(&["unavailable"]),
        Fault::Status403 => Some(&["unavailable", "refused", "misconfigured", "throttled"]),
        Fault::Status429 => Some(&["throttled"]),
        Fault::RedirectAway
        | Fault::ErrorPage
        | Fault::Empty
        | Fault::Garbage
        | Fault::BrokenOff(_)
        | Fault::CutShort(_)
        | Fault::LyingLength
        | Fault::Huge
        | Fault::WrongCharset
        | Fault::BrokenPacking
        | Fault::ByteByByte => None,
    }
}

fn kinds_of_form(fault: Fault) -> Option<&'static [&'static str]> {
    match fault {
        Fault::Empty
        | Fault::Garbage
        | Fault::BrokenOff(_)
        | Fault::CutShort(_)
        | Fault::LyingLength
        | Fault::Huge
        | Fault::WrongCharset
        | Fault::BrokenPacking
        | Fault::ByteByByte => Some(FORM),
        Fault::Unavailable
        | Fault::Status500
        | Fault::Status403
        | Fault::Status429
        | Fault::RedirectAway
        | Fault::ErrorPage => None,
    }
}

fn judged(
    all: &[(&str, Tried)],
    right: &dyn Fn(Fault) -> Option<&'static [&'static str]>,
) -> Found {
    let (mut mistakes, mut count) = (Vec::new(), 0);
    for (name, tried) in all {
        let Some(right) = right(tried.fault) else {
            continue;
        };
        count += 1;
        let why = match &tried.reaction {
            Reaction::Wrong(why) => why.clone(),
            Reaction::Failure { kind, why } if !right.contains(kind) => {
                format!("the failure is {kind}, not {}: {why}", right.join(" or "))
            }
            Reaction::Failure { .. } | Reaction::Unread | Reaction::Same => continue,
        };
        let place = format!(
            "{name}: {} at answer {} ({})",
            tried.fault, tried.answer, tried.question
        );
        mistakes.push(Mistake::new(place, why));
    }
    Found::of(mistakes, count, "faults", NOTHING_ASKED)
}
