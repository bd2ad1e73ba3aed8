//! Registration numbers (IČO) and the tax numbers derived from them.

use super::date;
use crate::Failure;

/// What registers write in place of a number.
const NONE: &str = "00000000";

/// The canonical form: 8 digits. Spaces and other separators are dropped. Numbers with 6 or 7
/// digits, as historic registers write them, are padded on the left. `None` for anything else and
/// for eight zeros.
#[must_use]
pub fn parse(raw: &str) -> Option<String> {
    // The usual form, of which an import reads millions.
    if raw.len() == 8 && raw.bytes().all(|byte| byte.is_ascii_digit()) {
        return (raw != NONE).then(|| raw.to_owned());
    }
    let trimmed = raw.trim();
    if trimmed.chars().any(|c| {
        !(c.is_ascii_digit() || c.is_whitespace() || c == '\u{a0}' || c == '.' || c == '-')
    }) {
        return None;
    }
    // Some registers put a date of birth into the number field. A date of eight plain digits
    // cannot be distinguished from an IČO.
    if trimmed.contains(['.', '-']) && (date::parse(trimmed).is_some() || is_like_a_date(trimmed)) {
        return None;
    }
    let digits: String = trimmed.chars().filter(char::is_ascii_digit).collect();
    if !(6..=8).contains(&digits.len()) {
        return None;
    }
    let padded = format!("{digits:0>8}");
    (padded != NONE).then_some(padded)
}

/// Whether a text has the shape of a date that [`date::parse`] does not read: `12.03.70`,
/// `12-03-1970`, `1970-3-12`.
fn is_like_a_date(text: &str) -> bool {
    let parts: Vec<&str> = text
        .split(['.', '-'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let [first, month, last] = parts.as_slice() else {
        return false;
    };
    let day = match (first.len(), last.len()) {
        (1 | 2, 2 | 4) => first,
        (4, 1 | 2) => last,
        _ => return false,
    };
    let is_within = |part: &str, most: u32| {
        part.len() <= 2
            && part
                .parse()
                .is_ok_and(|number| (1..=most).contains(&number))
    };
    is_within(day, 31) && is_within(month, 12)
}

/// Fails unless the IČO is in canonical form. `what` names the object that is requested by it.
///
/// # Errors
/// [`Failure::Other`] with the code `invalid-ico`.
pub fn required(ico: &str, what: &str) -> Result<(), Failure> {
    if ico.len() == 8 && ico.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    let why = format!("{what} are asked for by 8 digits");
    Err(Failure::Other(("invalid-ico".to_owned(), why)))
}

/// True if the check digit is correct. Old numbers fail this check, so use it only for warnings.
#[must_use]
pub fn check_digit_fits(ico: &str) -> bool {
    let digits: Vec<u32> = ico.chars().filter_map(|c| c.to_digit(10)).collect();
    let [head @ .., last] = digits.as_slice() else {
        return false;
    };
    if head.len() != 7 {
        return false;
    }
    let sum: u32 = head
        .iter()
        .zip((2..=8).rev())
        .map(|(digit, weight)| digit * weight)
        .sum();
    (11 - sum % 11) % 10 == *last
}

/// A DIČ: 10 digits.
#[must_use]
pub fn parse_dic(raw: &str) -> Option<String> {
    let digits: String = raw.chars().filter(|c| !c.is_whitespace()).collect();
    (digits.len() == 10 && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
}

/// An IČ DPH (VAT number) of any member state, in upper case without spaces: two letters and 2 to
/// 13 letters or digits.
#[must_use]
pub fn parse_ic_dph(raw: &str) -> Option<String> {
    let compact: String = raw
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect::<String>()
        .to_ascii_uppercase();
    let state = compact.get(..2)?;
    let number = compact.get(2..)?;
    (state.bytes().all(|b| b.is_ascii_uppercase())
        && (2..=13).contains(&number.len())
        && number.bytes().all(|b| b.is_ascii_alphanumeric()))
    .then_some(compact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ico_is_normalized_to_eight_digits() {
        for (raw, expected) in [
            ("99999901", Some("99999901")),
            ("99 999 901", Some("99999901")),
            ("00\u{a0}585 441", Some("00585441")),
            ("316792", Some("00316792")),
            ("", None),
            ("bez ičo", None),
            ("00000000", None),
            ("2999999904", None),
            ("99999A01", None),
            ("12.03.1970", None),
            ("1. 2. 1970", None),
            ("1970-03-12", None),
            ("12.03.70", None),
            ("12. 3. 70", None),
            ("12-03-1970", None),
            ("1970-3-12", None),
            ("31.67.92", Some("00316792")),
            ("31-797-903", Some("31797903")),
        ] {
            assert_eq!(parse(raw).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn only_canonical_ico_is_accepted() {
        assert!(required("00000124", "debtors").is_ok());
        for odd in ["", "124", "000001245", "0000012x", "０００００１２４"] {
            assert!(required(odd, "debtors").is_err(), "{odd}");
        }
    }

    #[test]
    fn check_digit_matches_the_register() {
        for good in ["99999901", "88888801", "99900017", "00000124"] {
            assert!(check_digit_fits(good), "{good}");
        }
        assert!(!check_digit_fits("99999902"));
        assert!(!check_digit_fits("9999990"));
    }

    #[test]
    fn tax_numbers_keep_their_shape() {
        assert_eq!(parse_dic("2999999904").as_deref(), Some("2999999904"));
        assert_eq!(parse_dic("299999990"), None);
        assert_eq!(
            parse_ic_dph("sk 2999999904").as_deref(),
            Some("SK2999999904")
        );
        assert_eq!(parse_ic_dph("2999999904"), None);
        assert_eq!(parse_ic_dph("ž"), None);
    }
}
