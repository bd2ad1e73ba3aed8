//! Companies as subjects of tests.

use serde_json::Value;

use crate::Subject;

/// A company of which only the number and a made-up name are known.
#[must_use]
pub fn subject(ico: &str) -> Subject {
    Subject {
        ico: ico.to_owned(),
        name: "Vzorová firma, s. r. o.".to_owned(),
        city: None,
        postal_code: None,
        nace_code: None,
        facts: Vec::new(),
        company: "{}".to_owned(),
        previous: None,
    }
}

/// The same company, with its stored section if there is one.
#[must_use]
pub fn subject_with_previous(ico: &str, previous: Option<&Value>) -> Subject {
    Subject {
        previous: previous.map(Value::to_string),
        ..subject(ico)
    }
}

/// Builds an IČO with a correct check digit from its first seven digits. Numbers from 9,900,000
/// on are not assigned to any company.
#[must_use]
pub fn ico(first_seven: u32) -> String {
    let head = format!("{first_seven:07}");
    let sum: u32 = head
        .bytes()
        .zip((2..=8).rev())
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    format!("{head}{}", (11 - sum % 11) % 10)
}

#[cfg(test)]
mod tests {
    #[test]
    fn built_ico_has_correct_check_digit() {
        for first_seven in [9_900_001, 9_999_999, 1, 9_912_345] {
            let ico = super::ico(first_seven);
            assert!(crate::ico::check_digit_fits(&ico), "{ico}");
        }
    }
}
