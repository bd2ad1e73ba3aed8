//! States of the register, which gives them as texts without a code.

use lustra_sdk::text::fold;

/// Whether a state is one of these texts. Case and diacritics make no difference.
#[must_use]
pub fn is_one_of(state: &str, texts: &[String]) -> bool {
    let state = fold(state);
    texts.iter().any(|text| fold(text) == state)
}
