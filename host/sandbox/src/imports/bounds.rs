//! Size limits of what a guest sends in one request and of what it gets back.
//!
//! The host's work grows with the texts of a request, so sizes are checked before any work starts. Names are compared
//! on another thread, and the call is charged for the CPU time.

use std::cmp::Ordering;

use crate::bindings::base::lustra::connector::http::Request;
use crate::bindings::types::{Failure, Field};
use crate::cpu::OffloadError;
use crate::names::FoldedName;
use crate::state::CallState;

/// Most bytes of a name, town or postal code in a request. A longer stored name is compared by its first bytes.
const MAX_NAME_BYTES: usize = 1_000;

/// Most bytes of a dataset's name, a company's number or a record's key in a request.
const MAX_KEY_BYTES: usize = 4_096;

/// Limits of an HTTP request: bytes of path and query, of all headers, and of the body; number of headers and of
/// options. Registers accept less.
const MAX_PATH_BYTES: usize = 64 << 10;
const MAX_HEADERS_BYTES: usize = 64 << 10;
const MAX_BODY_BYTES: usize = 1 << 20;
const MAX_FIELDS: usize = 64;

/// Least similarity of names that are considered alike.
const MIN_SIMILARITY: f64 = 0.7;

/// Refuses texts that are longer than any name.
pub(super) fn names<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<(), Failure> {
    texts
        .into_iter()
        .try_for_each(|text| fits("a name", text, MAX_NAME_BYTES))
}

/// Refuses texts that are longer than any key.
pub(super) fn keys<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<(), Failure> {
    texts
        .into_iter()
        .try_for_each(|text| fits("a key", text, MAX_KEY_BYTES))
}

fn fits(what: &str, text: &str, most: usize) -> Result<(), Failure> {
    if text.len() <= most {
        return Ok(());
    }
    let length = text.len();
    Err(Failure::Refused(format!(
        "{what} of {length} bytes in a question; {most} is the most"
    )))
}

/// Refuses a request that is larger than any register accepts.
pub(super) fn request(request: &Request) -> Result<(), Failure> {
    let bytes = |fields: &[Field]| -> usize {
        let sizes = fields
            .iter()
            .map(|field| field.name.len() + field.value.len());
        sizes.sum()
    };
    let fields = bytes(&request.headers) + bytes(&request.options);
    let body = request.body.as_ref().map_or(0, Vec::len);
    for (what, size, most) in [
        ("upstream", request.upstream.len(), MAX_NAME_BYTES),
        ("path", request.path.len(), MAX_PATH_BYTES),
        ("header count", request.headers.len(), MAX_FIELDS),
        ("option count", request.options.len(), MAX_FIELDS),
        ("headers and options", fields, MAX_HEADERS_BYTES),
        ("body", body, MAX_BODY_BYTES),
    ] {
        if size > most {
            return Err(Failure::Refused(format!(
                "request {what}: {size}, limit {most}"
            )));
        }
    }
    Ok(())
}

/// Converts a failure of offloaded work for the guest.
pub(super) fn of_offload(error: OffloadError) -> Failure {
    match error {
        OffloadError::Stopped => Failure::Refused(error.to_string()),
        OffloadError::Panicked => Failure::Unavailable(error.to_string()),
    }
}

/// Comparisons up to this product of the lengths in bytes run inline, because they take well below a millisecond.
const MAX_INLINE_COMPARISON: usize = 100_000;

impl CallState {
    /// The candidates with a similar name, most similar first. `tie` orders equally similar ones.
    pub(super) async fn most_similar<T: Send + 'static>(
        &mut self,
        name: FoldedName,
        candidates: Vec<T>,
        name_of: fn(&T) -> &str,
        tie: fn(&T, &T) -> Ordering,
    ) -> Result<Vec<(f64, T)>, Failure> {
        let work: usize = candidates
            .iter()
            .map(|candidate| name_of(candidate).len().saturating_mul(name.length()))
            .sum();
        if work <= MAX_INLINE_COMPARISON {
            return compare(&name, candidates, name_of, tie, || Ok(())).map_err(of_offload);
        }
        let compared = self
            .offload(move |progress| compare(&name, candidates, name_of, tie, || progress.check()));
        compared.await.map_err(of_offload)
    }
}

fn compare<T>(
    name: &FoldedName,
    candidates: Vec<T>,
    name_of: fn(&T) -> &str,
    tie: fn(&T, &T) -> Ordering,
    check: impl Fn() -> Result<(), OffloadError>,
) -> Result<Vec<(f64, T)>, OffloadError> {
    let mut alike = Vec::new();
    for candidate in candidates {
        check()?;
        let other = FoldedName::of(compared_prefix(name_of(&candidate)));
        let similarity = name.similarity(&other);
        if similarity >= MIN_SIMILARITY {
            alike.push((similarity, candidate));
        }
    }
    alike.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| tie(one, other)));
    Ok(alike)
}

/// The part of a stored name that is compared.
fn compared_prefix(name: &str) -> &str {
    let end = name.floor_char_boundary(MAX_NAME_BYTES);
    name.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_longer_than_its_bound_is_refused() {
        assert!(names([&*"a".repeat(1_000)]).is_ok());
        let refused = names(["a", &*"a".repeat(1_001)]).expect_err("it is too long");
        assert!(matches!(refused, Failure::Refused(why) if why.contains("1001 bytes")));
        assert!(keys([&*"a".repeat(4_097)]).is_err());
    }

    #[test]
    fn stored_name_is_cut_at_a_character() {
        assert_eq!(compared_prefix(&"š".repeat(600)).len(), 1_000);
        assert_eq!(compared_prefix(&format!("a{}", "š".repeat(600))).len(), 999);
    }
}
