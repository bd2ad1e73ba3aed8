//! The test host's list of known companies.

use super::HOST;
use crate::Failure;
use crate::companies::Candidate;

#[expect(
    clippy::unnecessary_wraps,
    reason = "the shape of the real host's function"
)]
pub fn candidates(
    name: &str,
    city: Option<&str>,
    postal_code: Option<&str>,
    limit: u32,
) -> Result<Vec<Candidate>, Failure> {
    let mut found: Vec<Candidate> = HOST.with(|host| host.borrow().companies.clone());
    found.retain(|candidate| {
        (city.is_none() || candidate.city.as_deref() == city)
            && (postal_code.is_none() || candidate.postal_code.as_deref() == postal_code)
    });
    for candidate in &mut found {
        candidate.similarity = similarity(&candidate.name, name);
    }
    found.retain(|candidate| candidate.similarity > 0.0);
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    found.truncate(limit as usize);
    Ok(found)
}

/// 1.0 for names equal after folding, 0.5 for a shared first word: enough for tests to
/// distinguish equal from similar names.
pub fn similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (crate::text::fold(a), crate::text::fold(b));
    if a == b {
        1.0
    } else if a.split(' ').next() == b.split(' ').next() {
        0.5
    } else {
        0.0
    }
}
