//! The registration number.

use std::fmt;

/// A Slovak registration number (IČO): 8 digits, leading zeros kept. Its check digit is not insisted on, since old
/// numbers fail it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ico(String);

/// A text that is no registration number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an IČO has exactly 8 digits")]
pub struct InvalidIco;

impl Ico {
    /// Takes exactly 8 ASCII digits.
    ///
    /// # Errors
    /// [`InvalidIco`] for everything else.
    pub fn parse(raw: &str) -> Result<Self, InvalidIco> {
        if raw.len() == 8 && raw.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(raw.to_owned()))
        } else {
            Err(InvalidIco)
        }
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Ico {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_digits_and_nothing_else() {
        assert!(Ico::parse("00000124").is_ok());
        for wrong in [
            "",
            "1234567",
            "123456789",
            "1234567a",
            " 1234567",
            "１２３４５６７８",
            "12 34567",
        ] {
            assert_eq!(Ico::parse(wrong), Err(InvalidIco), "{wrong}");
        }
    }
}
