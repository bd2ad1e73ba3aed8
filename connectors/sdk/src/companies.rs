//! Companies that the host already knows, for sources whose entries carry no IČO.

use crate::Failure;
pub use crate::bindings::base::lustra::connector::companies::Candidate;

#[cfg(target_family = "wasm")]
use crate::bindings::base::lustra::connector::companies as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::companies as host;

/// Companies with a similar name, most similar first. `city` and `postal_code` narrow the search.
///
/// # Errors
/// The host's refusal.
pub fn candidates(
    name: &str,
    city: Option<&str>,
    postal_code: Option<&str>,
    limit: u32,
) -> Result<Vec<Candidate>, Failure> {
    host::candidates(name, city, postal_code, limit)
}
