//! Converts amounts of money to decimal text. Never uses floats: a section states exactly what
//! was published.

/// Reads `6 641,86`, `6 641.86 €`, `12450,75`, `-5`, `(5,00)` to `6641.86`, `12450.75`, `-5`,
/// `-5.00`.
///
/// Spaces of any width group thousands, a comma or a point starts the decimals, and a currency
/// (`EUR`, `€`) may follow. Returns `None` for anything else, so that an unreadable amount never
/// becomes zero.
#[must_use]
pub fn parse(raw: &str) -> Option<String> {
    let mut text: String = raw
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}'))
        .collect();
    for currency in ["EUR", "Eur", "eur", "€"] {
        if let Some(rest) = text.strip_suffix(currency) {
            text = rest.to_owned();
            break;
        }
    }
    let mut negative = false;
    if let Some(inner) = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        negative = true;
        text = inner.to_owned();
    } else if let Some(rest) = text.strip_prefix(['-', '−']) {
        negative = true;
        text = rest.to_owned();
    }
    let (whole, decimals) = match text.find([',', '.']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text.as_str(), None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || decimals.is_some_and(|part| !digits(part)) {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    };
    let sign = if negative { "-" } else { "" };
    Some(match decimals {
        Some(decimals) => format!("{sign}{whole}.{decimals}"),
        None => format!("{sign}{whole}"),
    })
}

/// Converts a decimal text of [`parse`] to a JSON number with the same digits, for keys whose
/// schema type is a number.
#[must_use]
pub fn to_number(decimal: &str) -> Option<serde_json::Number> {
    serde_json::from_str(decimal).ok()
}

/// Sums decimal texts exactly, up to six decimals. The result has at least two decimals.
#[must_use]
pub fn sum<'a>(decimals: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut sum = Sum::default();
    for decimal in decimals {
        sum.add(decimal)?;
    }
    Some(sum.total())
}

/// An exact sum of decimal texts that grows by one text at a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    millionths: i128,
}

impl Sum {
    /// Adds a decimal text. `None` if it is not one, or has more than six decimals; the sum stays as it was.
    #[must_use]
    pub fn add(&mut self, decimal: &str) -> Option<()> {
        self.millionths = self.millionths.checked_add(millionths(decimal)?)?;
        Some(())
    }

    /// The sum as decimal text with at least two decimals.
    #[must_use]
    pub fn total(self) -> String {
        let sign = if self.millionths < 0 { "-" } else { "" };
        let (whole, rest) = (
            self.millionths.unsigned_abs() / 1_000_000,
            self.millionths.unsigned_abs() % 1_000_000,
        );
        let mut decimals = format!("{rest:06}");
        while decimals.len() > 2 && decimals.ends_with('0') {
            decimals.pop();
        }
        format!("{sign}{whole}.{decimals}")
    }
}

fn millionths(decimal: &str) -> Option<i128> {
    let (negative, text) = match decimal.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, decimal),
    };
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let places = u32::try_from(rest.len())
        .ok()
        .filter(|places| *places <= 6)?;
    let rest = match places {
        0 => 0,
        _ => i128::from(rest.parse::<u32>().ok()?),
    };
    let whole = whole.parse::<i128>().ok()?.checked_mul(1_000_000)?;
    let value = whole.checked_add(rest * 10_i128.pow(6 - places))?;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_amount_formats_are_read() {
        for (raw, expected) in [
            ("6 641,86", Some("6641.86")),
            ("6\u{a0}641,86\u{a0}€", Some("6641.86")),
            ("1 234,50 €", Some("1234.50")),
            ("84 709.6", Some("84709.6")),
            ("5 000 EUR", Some("5000")),
            ("12450,75", Some("12450.75")),
            ("0,00", Some("0.00")),
            ("007", Some("7")),
            ("-5", Some("-5")),
            ("(5,00)", Some("-5.00")),
            ("", None),
            ("-", None),
            ("5,", None),
            ("1.234,50", None),
            ("neuvedené", None),
        ] {
            assert_eq!(parse(raw).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(sum(["0.1", "0.2", "-0.05"]).as_deref(), Some("0.25"));
        assert_eq!(sum([]).as_deref(), Some("0.00"));
        assert_eq!(sum(["33.193918", "1"]).as_deref(), Some("34.193918"));
        for wrong in [
            "x",
            "1.x",
            "",
            "1.0000001",
            "1.-5",
            "170141183460469231731687303715884105727",
        ] {
            assert_eq!(sum([wrong]), None, "{wrong}");
        }
    }
}
