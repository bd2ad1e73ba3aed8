//! VIES: whether a VAT number is currently valid for trade between member states.
//!
//! The service forwards the query to the member state, which often does not answer; that answer differs from
//! *invalid* only by its code. Invariant: only an actual answer of the member state becomes a verdict.

use lustra_sdk::http::{self, Request};
use lustra_sdk::serde_json::{Map, Value};
use lustra_sdk::{Evidence, Failure, malformed};

/// The upstream, and the source's name in `unread`.
pub const UPSTREAM: &str = "vies";
/// Maximum length of a code in the section, in characters.
const CODE_CHARACTERS: usize = 60;

/// The VIES verdict on a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The member state confirms the number.
    Valid,
    /// The member state answered that the number is not valid.
    Invalid,
    /// The member state did not answer: the service's code, for example `MS_UNAVAILABLE`.
    Unknown(String),
}

/// The number to query: the digits of an IČ DPH of that member state. `None` for numbers of other states and
/// for malformed ones, which VIES would call invalid.
#[must_use]
pub fn number<'a>(ic_dph: &'a str, member_state: &str) -> Option<&'a str> {
    let number = ic_dph.strip_prefix(member_state)?;
    let fits = match member_state {
        "SK" => number.len() == 10 && number.bytes().all(|b| b.is_ascii_digit()),
        _ => (2..=12).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_alphanumeric()),
    };
    fits.then_some(number)
}

/// Queries one number of [`number`].
///
/// # Errors
/// The service's failure.
pub fn ask(member_state: &str, number: &str) -> Result<(Verdict, Evidence), Failure> {
    let path = format!("/ms/{member_state}/vat/{number}");
    let response = Request::get(UPSTREAM, path)
        .header("accept", "application/json")
        .send()?;
    let is_success = (200..300).contains(&response.status);
    let status_failure = response.status_failure();
    let text = response.body.text(None)?;
    let evidence = response.body.evidence();
    // The service sends its own error bodies with any status, so read the body before the status.
    match read_answer(number, &text) {
        Ok(verdict) => Ok((verdict, evidence)),
        Err(failure) => Err(if is_success { failure } else { status_failure }),
    }
}

/// Reads an answer in any format: that of `GET` (`isValid`, `userError`), that of `POST` (`valid`), and the
/// error body observed with both.
///
/// # Errors
/// [`Failure::Malformed`] for anything else and for an answer about another number; [`Failure::Unavailable`]
/// for HTML.
pub fn read_answer(number: &str, text: &str) -> Result<Verdict, Failure> {
    let answer: Map<String, Value> = http::read_json(UPSTREAM, text)?;
    let wrong = |member: &str, expected: &str| {
        malformed(format!("answer of {UPSTREAM}: {member}"), expected, text)
    };
    if let Some(code) = error_code(&answer) {
        return Ok(Verdict::Unknown(code));
    }
    let user_error = member_text(&answer, "userError");
    if let Some(code) = user_error.filter(|code| !matches!(*code, "VALID" | "INVALID")) {
        return Ok(Verdict::Unknown(shorten(code)));
    }
    let valid = answer
        .get("isValid")
        .or_else(|| answer.get("valid"))
        .and_then(Value::as_bool);
    let valid = valid.ok_or_else(|| wrong("/isValid", "true or false"))?;
    // Both verdicts repeat the number. An answer without it may be about another company.
    if member_text(&answer, "vatNumber") != Some(number) {
        return Err(wrong("/vatNumber", "the number that was asked about"));
    }
    match (valid, user_error) {
        (true, None | Some("VALID")) => Ok(Verdict::Valid),
        (false, None | Some("INVALID")) => Ok(Verdict::Invalid),
        _ => Err(wrong("/userError", "the code that fits isValid")),
    }
}

fn error_code(answer: &Map<String, Value>) -> Option<String> {
    let wrappers = answer
        .get("errorWrappers")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let refused = answer.get("actionSucceed").and_then(Value::as_bool) == Some(false);
    if wrappers.is_empty() && !refused {
        return None;
    }
    let code = wrappers
        .iter()
        .find_map(|wrapper| wrapper.get("error").and_then(Value::as_str));
    Some(code.map_or_else(|| "an error without a code".to_owned(), shorten))
}

fn member_text<'a>(answer: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    answer
        .get(name)
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

fn shorten(code: &str) -> String {
    code.chars().take(CODE_CHARACTERS).collect()
}
