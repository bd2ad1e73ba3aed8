//! Faults of a register, derived from a recorded call: one answer is made faulty, and the connector's reaction is
//! judged.
//!
//! The requirement is always the same: a structured failure, or a section that names what it could not read. A trap, an
//! exceeded limit, or an incomplete answer that looks complete is wrong. The same answer as without the fault is right
//! if the faulty answer was not needed.

mod judge;

use super::bench::{Bench, OnBench};
use super::cassette::Cassette;
use super::repeat::replay;
use lustra_sandbox::recording::{RecordedAnswer, RecordedCall, RecordedFailure};

/// Most answers of one call that are made faulty; if there are more, they are spread from first to last.
const MAX_ANSWERS: usize = 6;

/// Most pieces of a body; more would only take longer.
const MAX_PIECES: usize = 4_000;

const PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Chyba</title></head>\
    <body><h1>Služba je dočasne nedostupná</h1><p>Skúste to neskôr.</p></body></html>\n";

/// One fault of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The register is unreachable.
    Unavailable,
    /// The register answers with status 500.
    Status500,
    /// The register answers with status 403.
    Status403,
    /// The register answers with status 429.
    Status429,
    /// A redirect to an address that is not granted.
    RedirectAway,
    /// An HTML error page with status 200.
    ErrorPage,
    /// An empty body with status 200.
    Empty,
    /// A body of meaningless bytes.
    Garbage,
    /// The connection breaks after this many thousandths of the body.
    BrokenOff(u16),
    /// The body ends after this many thousandths, without any sign of truncation.
    CutShort(u16),
    /// The announced length exceeds the body.
    LyingLength,
    /// The body exceeds the limit of a call.
    Huge,
    /// The text has another charset than declared.
    WrongCharset,
    /// The compressed bytes are damaged.
    BrokenPacking,
    /// The body arrives byte by byte, which is not a fault.
    ByteByByte,
}

/// All faults in the order in which they are tried.
pub const ALL: [Fault; 21] = [
    Fault::Unavailable,
    Fault::Status500,
    Fault::Status403,
    Fault::Status429,
    Fault::RedirectAway,
    Fault::ErrorPage,
    Fault::Empty,
    Fault::Garbage,
    Fault::BrokenOff(0),
    Fault::BrokenOff(250),
    Fault::BrokenOff(500),
    Fault::BrokenOff(750),
    Fault::BrokenOff(999),
    Fault::CutShort(250),
    Fault::CutShort(500),
    Fault::CutShort(750),
    Fault::LyingLength,
    Fault::Huge,
    Fault::WrongCharset,
    Fault::BrokenPacking,
    Fault::ByteByByte,
];

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = |thousandths: &u16| f64::from(*thousandths) / 10.0;
        match self {
            Self::Unavailable => f.write_str("unavailable"),
            Self::Status500 => f.write_str("status 500"),
            Self::Status403 => f.write_str("status 403"),
            Self::Status429 => f.write_str("status 429"),
            Self::RedirectAway => f.write_str("redirect away"),
            Self::ErrorPage => f.write_str("error page with 200"),
            Self::Empty => f.write_str("empty body"),
            Self::Garbage => f.write_str("garbage"),
            Self::BrokenOff(at) => write!(f, "broken off at {} %", share(at)),
            Self::CutShort(at) => write!(f, "cut short at {} %", share(at)),
            Self::LyingLength => f.write_str("lying length"),
            Self::Huge => f.write_str("huge body"),
            Self::WrongCharset => f.write_str("wrong charset"),
            Self::BrokenPacking => f.write_str("damaged packing"),
            Self::ByteByByte => f.write_str("byte by byte"),
        }
    }
}

impl Fault {
    /// Whether nothing of the real answer is left.
    fn replaces_all(self) -> bool {
        match self {
            Self::Unavailable
            | Self::Status500
            | Self::Status403
            | Self::Status429
            | Self::RedirectAway
            | Self::ErrorPage
            | Self::Empty
            | Self::Garbage
            | Self::BrokenOff(0) => true,
            Self::BrokenOff(_)
            | Self::CutShort(_)
            | Self::LyingLength
            | Self::Huge
            | Self::WrongCharset
            | Self::BrokenPacking
            | Self::ByteByByte => false,
        }
    }

    /// Whether the fault replaces the whole answer, and not only the body.
    fn is_of_status(self) -> bool {
        matches!(
            self,
            Self::Unavailable
                | Self::Status500
                | Self::Status403
                | Self::Status429
                | Self::RedirectAway
                | Self::ErrorPage
        )
    }

    /// The faulty answer, or `None` if the fault does not apply to this one.
    fn applied(
        self,
        answer: &RecordedAnswer,
        most: u64,
    ) -> Option<Result<RecordedAnswer, RecordedFailure>> {
        let html = |status: u16| RecordedAnswer {
            status,
            headers: vec![(
                "content-type".to_owned(),
                "text/html; charset=utf-8".to_owned(),
            )],
            body: PAGE.into(),
            complete: true,
        };
        let with = |body: Vec<u8>, complete: bool| RecordedAnswer {
            body,
            complete,
            ..answer.clone()
        };
        let part = |thousandths: u16| {
            let length = answer.body.len() * usize::from(thousandths) / 1_000;
            answer.body.get(..length).unwrap_or_default().to_vec()
        };
        // The body of an error response is not read, so faults in it have no effect.
        if !self.is_of_status() && !(200..300).contains(&answer.status) {
            return None;
        }
        let none = answer.body.is_empty();
        Some(Ok(match self {
            Self::Unavailable => {
                let why = "the register does not answer (a fault of this test)".to_owned();
                return Some(Err(RecordedFailure::Unavailable(why)));
            }
            Self::RedirectAway => {
                let why = "redirect to https://elsewhere.example not granted".to_owned();
                return Some(Err(RecordedFailure::Refused(why)));
            }
            Self::Status500 => html(500),
            Self::Status403 => html(403),
            Self::Status429 => {
                let mut answer = html(429);
                answer
                    .headers
                    .push(("retry-after".to_owned(), "7".to_owned()));
                answer
            }
            Self::ErrorPage => html(200),
            Self::Empty if none => return None,
            Self::Empty => with(Vec::new(), true),
            Self::Garbage => with(garbage(answer.body.len().clamp(64, 4_096)), true),
            Self::BrokenOff(_) | Self::CutShort(_) | Self::LyingLength | Self::ByteByByte
                if none =>
            {
                return None;
            }
            Self::BrokenOff(at) => with(part(at), false),
            Self::CutShort(at) => with(part(at), true),
            Self::LyingLength => with(answer.body.clone(), false),
            Self::ByteByByte => answer.clone(),
            Self::Huge => {
                // An import may read gigabytes; do not generate that much.
                let most = usize::try_from(most)
                    .ok()
                    .filter(|most| *most <= 64 << 20)?;
                let mut body = answer.body.clone();
                body.resize(most + 1, b' ');
                with(body, true)
            }
            Self::WrongCharset => {
                let text = encoding_rs::WINDOWS_1250
                    .decode_without_bom_handling(&answer.body)
                    .0;
                if none || text.chars().any(|c| c.is_control() && !c.is_whitespace()) {
                    return None;
                }
                with(
                    text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                    true,
                )
            }
            Self::BrokenPacking => {
                let packed = [&b"PK\x03\x04"[..], &[0x1f, 0x8b]];
                if !packed.iter().any(|magic| answer.body.starts_with(magic)) {
                    return None;
                }
                let mut body = answer.body.clone();
                let middle = body.len() / 2;
                body.iter_mut()
                    .skip(middle.saturating_sub(8))
                    .take(16)
                    .for_each(|byte| *byte ^= 0x5a);
                with(body, true)
            }
        }))
    }
}

/// Pseudo-random bytes; the same for each call.
fn garbage(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

/// The connector's reaction to a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reaction {
    /// The connector returned a structured failure.
    Failure {
        /// Kind of the failure, such as `malformed`.
        kind: &'static str,
        /// Full text of the failure.
        why: String,
    },
    /// A section that names what it could not read.
    Unread,
    /// The same result as without the fault.
    Same,
    /// A wrong reaction, with the reason.
    Wrong(String),
}

/// One fault at one answer, with the reaction.
#[derive(Debug, Clone)]
pub struct Tried {
    pub fault: Fault,
    /// The request whose answer was made faulty.
    pub question: String,
    /// Number of the answer, from 1.
    pub answer: usize,
    pub reaction: Reaction,
}

/// Tries every fault at the answers of a cassette; calls `on_call` for each.
pub async fn try_all(
    bench: &Bench,
    on_bench: &OnBench,
    cassette: &Cassette,
    on_call: &mut (dyn FnMut() + Send),
) -> Vec<Tried> {
    let recording = &cassette.recording;
    let is_import = matches!(recording.call, RecordedCall::Import { .. });
    let most = if is_import {
        on_bench.loaded.import_limits.body
    } else {
        on_bench.loaded.lookup_limits.body
    };
    let mut tried = Vec::new();
    for number in some(recording.exchanges.len()) {
        let Some(exchange) = recording.exchanges.get(number) else {
            continue;
        };
        let Ok(answer) = &exchange.answer else {
            continue;
        };
        let mut is_needed = true;
        for fault in ALL {
            let Some(faulty) = fault.applied(answer, most) else {
                continue;
            };
            // A recorded refusal is no other answer with the same status.
            if answer.status >= 400 && matches!(&faulty, Ok(same) if same.status == answer.status) {
                continue;
            }
            let mut derived = recording.clone();
            if let Some(exchange) = derived.exchanges.get_mut(number) {
                exchange.answer = faulty;
            }
            let chunk =
                (fault == Fault::ByteByByte).then(|| answer.body.len().div_ceil(MAX_PIECES).max(1));
            let replayed = replay(bench, on_bench, cassette, &derived, chunk).await;
            if fault == Fault::Unavailable {
                is_needed = replayed.outcome != recording.outcome;
            }
            on_call();
            tried.push(Tried {
                fault,
                question: exchange.question.to_string(),
                answer: number + 1,
                reaction: judge::judge(fault, recording, &replayed, is_needed),
            });
        }
    }
    tried
}

/// Indexes of all answers, or of a spread from first to last if there are too many.
fn some(count: usize) -> Vec<usize> {
    if count <= MAX_ANSWERS {
        return (0..count).collect();
    }
    (0..MAX_ANSWERS)
        .map(|step| step * (count - 1) / (MAX_ANSWERS - 1))
        .collect()
}
