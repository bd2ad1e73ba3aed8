//! Decides whether a company is a buyer of a notice.

use lustra_sdk::{Failure, ico, malformed, text};

use crate::page::{Members, texts};

/// The country in the query.
const COUNTRY: &str = "SVK";
/// Folded prefixes that may precede a number. Another country's letters before eight digits make a different
/// number.
const PREFIXES: [&str; 3] = ["", "sk", "ico"];

/// True if one of the buyers has this number, in a notice with a Slovak buyer. The lists of numbers and
/// countries in a notice are not aligned, so a stricter check is impossible.
///
/// # Errors
/// [`Failure::Malformed`] for a notice without numbers or countries: the search could not have found it.
pub fn is_buyer(notice: &Members, number: &str) -> Result<bool, Failure> {
    let identifiers = required_texts(notice, "buyer-identifier")?;
    let countries = required_texts(notice, "buyer-country")?;
    let is_named = identifiers
        .iter()
        .any(|identifier| ico_of(identifier).as_deref() == Some(number));
    Ok(is_named && countries.contains(&COUNTRY))
}

fn required_texts<'a>(notice: &'a Members, name: &str) -> Result<Vec<&'a str>, Failure> {
    let found = texts(notice, name)?;
    if found.is_empty() {
        return Err(malformed(
            format!("notices/{name}"),
            "a text or texts",
            "none",
        ));
    }
    Ok(found)
}

/// The IČO in an identifier. `None` for a DIČ, an IČ DPH, and anything else.
fn ico_of(identifier: &str) -> Option<String> {
    let first = identifier.find(|letter: char| letter.is_ascii_digit())?;
    let (prefix, digits) = identifier.split_at(first);
    let is_known = PREFIXES.contains(&text::fold(prefix).as_str());
    is_known.then(|| ico::parse(digits)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ico_is_read_in_every_spelling() {
        for (identifier, number) in [
            ("99000016", Some("99000016")),
            ("99 000 016", Some("99000016")),
            ("99\u{a0}000\u{a0}016", Some("99000016")),
            ("IČO: 99000016", Some("99000016")),
            ("SK99000016", Some("99000016")),
            ("124", None),
            ("000124", Some("00000124")),
            ("CZ99000016", None),
            ("2099000016", None),
            ("SK2099000016", None),
            ("1990000160", None),
            ("99000016-1", None),
            ("neuvedené", None),
            ("", None),
        ] {
            assert_eq!(ico_of(identifier).as_deref(), number, "{identifier}");
        }
    }
}
