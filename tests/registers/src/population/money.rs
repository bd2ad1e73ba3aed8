//! Amounts of money in cents and the ways the registers write them.

use std::fmt;

use serde::{Serialize, Serializer};

/// An amount in euro cents. As JSON it is a decimal string such as `"1785.98"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(pub u64);

impl Money {
    /// Formats the amount as `1785.98`.
    pub(crate) fn dotted(self) -> String {
        format!("{}.{:02}", self.0 / 100, self.0 % 100)
    }

    /// Formats the amount as `1 785,98` with this character between thousands.
    pub(crate) fn comma(self, thousands: char) -> String {
        let mut text = grouped(self.0 / 100, thousands);
        text.push_str(&format!(",{:02}", self.0 % 100));
        text
    }

    /// As the commercial register writes it: `5 000`, with decimals only if there are cents.
    pub(crate) fn register(self) -> String {
        if self.0.is_multiple_of(100) {
            grouped(self.0 / 100, ' ')
        } else {
            self.comma(' ')
        }
    }

    /// A JSON number without useless zeros: `5000`, `33.5`.
    pub(crate) fn number(self) -> String {
        match self.0 % 100 {
            0 => (self.0 / 100).to_string(),
            cents if cents % 10 == 0 => format!("{}.{}", self.0 / 100, cents / 10),
            cents => format!("{}.{cents:02}", self.0 / 100),
        }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.dotted())
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A whole number with a character between thousands.
pub(crate) fn grouped(number: u64, between: char) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + 4);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(between);
        }
        text.push(digit);
    }
    text
}
