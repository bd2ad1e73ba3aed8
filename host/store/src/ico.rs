//! The Slovak registration number, IČO.

use std::fmt;

/// A Slovak registration number (IČO): 8 digits, leading zeros kept. The check digit is not verified, because old
/// numbers do not satisfy it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ico(String);

/// The text is not a registration number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an IČO has exactly 8 digits")]
pub struct InvalidIco;

impl Ico {
    /// Accepts exactly 8 ASCII digits.
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
    fn ico_accepts_only_eight_digits() {
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
