//! Addresses of companies and persons from the lines under a name.

use lustra_sdk::{Address, text};

use crate::countries;
use crate::extract::{Line, line_text};

/// An address as printed: the number after the street, the postal code after the municipality, a country for
/// foreign ones.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Printed {
    street: Option<String>,
    city: Option<String>,
    postal_code: Option<String>,
    country: Option<String>,
    /// A last line after the municipality that is not a known country. For a person it may be a remark.
    unknown: Option<String>,
}

/// Words that occur only in names of countries, for countries outside the table.
const COUNTRY_WORDS: [&str; 8] = [
    "republika",
    "kralovstvo",
    "velkovojvodstvo",
    "konfederacia",
    "federacia",
    "kniezatstvo",
    "emiraty",
    "anglicko",
];

impl Printed {
    /// Reads the lines. `None` if there are none.
    #[must_use]
    pub fn of(lines: &[&Line]) -> Option<Self> {
        let (mut lines, mut printed) = (lines, Self::default());
        let [.., last] = lines else { return None };
        let with_code = lines
            .iter()
            .rposition(|line| line.len() > 1 && line.last().is_some_and(|p| is_code(&p.text)));
        // A house number may have five digits too. Behind the municipality stands a country at most, or a remark behind a
        // street and a municipality.
        let is_country_last = matches!(last.as_slice(), [piece] if is_country(&piece.text));
        let with_code = with_code.filter(|at| match lines.len() - at {
            1 => true,
            2 => is_country_last || *at > 0,
            _ => false,
        });
        if let [piece] = last.as_slice()
            && lines.len() > 1
        {
            let behind_city = with_code.is_some_and(|at| at + 1 < lines.len());
            if is_country(&piece.text) {
                printed.country = Some(piece.text.clone());
            } else if behind_city {
                printed.unknown = Some(piece.text.clone());
            }
            if printed.country.is_some() || behind_city {
                lines = &lines[..lines.len() - 1];
            }
        }
        let city_at = with_code
            .filter(|at| *at < lines.len())
            .unwrap_or(lines.len() - 1);
        let city = lines[city_at].as_slice();
        // In a Slovak address, a number that is not a postal code is a house number in a village without
        // streets.
        let abroad = printed.country.is_some() || printed.unknown.is_some();
        match city {
            [place @ .., code]
                if !place.is_empty()
                    && (is_code(&code.text) || abroad && has_digit(&code.text)) =>
            {
                printed.city = text::present(&line_text(place));
                printed.postal_code = Some(code.text.clone());
            }
            _ => printed.city = text::present(&line_text(city)),
        }
        let street: Vec<String> = lines[..city_at]
            .iter()
            .map(|line| line_text(line))
            .collect();
        printed.street = text::present(&street.join(", "));
        Some(printed)
    }

    /// The address on one line: `Street 1, 999 01 City, country`, without an unknown last line.
    #[must_use]
    pub fn in_one_line(&self) -> String {
        let place = [self.postal_code.as_deref(), self.city.as_deref()];
        let place = place.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let parts = [
            self.street.as_deref(),
            Some(place.as_str()),
            self.country.as_deref(),
        ];
        parts
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The address of the base record. The register prints no country for Slovak seats. A seat has no remarks,
    /// so an unknown last line is a country outside the table.
    #[must_use]
    pub fn into_record(self) -> Address {
        let country = self
            .country
            .or(self.unknown)
            .unwrap_or_else(|| "Slovenská republika".to_owned());
        let country_code = countries::alpha_2(&text::fold(&country)).map(str::to_owned);
        let postal_code = self.postal_code.map(|code| {
            if is_code(&code) {
                code.replace(' ', "")
            } else {
                code
            }
        });
        Address {
            street: self.street,
            city: self.city,
            postal_code,
            country: Some(country),
            country_code,
        }
    }
}

/// Five digits, as in Slovakia and Czechia.
fn is_code(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits == 5
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b' ')
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_country(text: &str) -> bool {
    let folded = text::fold(text);
    countries::alpha_2(&folded).is_some()
        || folded.split(' ').any(|word| COUNTRY_WORDS.contains(&word))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]
mod tests {
    use super::*;
    use crate::extract::Piece;

    #[test]
    fn lines_become_one_address() {
        for (raw, expected) in [
            (
                &["Skúšobná|1", "Vzorovo|999 01"][..],
                "Skúšobná 1, 999 01 Vzorovo",
            ),
            (&["Vzorovo|999 01"], "999 01 Vzorovo"),
            (&["Vzorovo"], "Vzorovo"),
            (&["Vzorovo|12"], "Vzorovo 12"),
            (&["Bočná", "Vzorovo"], "Bočná, Vzorovo"),
            (
                &["Dlhá|2", "Brno|602 00", "Česká republika"],
                "Dlhá 2, 602 00 Brno, Česká republika",
            ),
            (
                &["Long Lane|Mill Farm", "Hereford, Kent|SG1 2UX", "Anglicko"],
                "Long Lane Mill Farm, SG1 2UX Hereford, Kent, Anglicko",
            ),
            (&["Wien|1010", "Rakúsko"], "1010 Wien, Rakúsko"),
            (
                &["Dlhá|2", "Vzorovo|999 01", "Neznámy dovetok"],
                "Dlhá 2, 999 01 Vzorovo",
            ),
            (
                &[
                    "Dlhá|10880",
                    "Vzorovo, CA|90024-4101",
                    "Spojené štáty americké",
                ],
                "Dlhá 10880, 90024-4101 Vzorovo, CA, Spojené štáty americké",
            ),
            (&["Dlhá|13250", "Vzorovo"], "Dlhá 13250, Vzorovo"),
            (
                &["1 Long Lane", "Toronto", "Kanada"],
                "1 Long Lane, Toronto, Kanada",
            ),
            (
                &["Budova A", "Hlavná|5", "Vzorovo|999 01"],
                "Budova A, Hlavná 5, 999 01 Vzorovo",
            ),
        ] {
            let lines: Vec<Line> = raw
                .iter()
                .map(|line| {
                    line.split('|')
                        .map(|text| Piece {
                            text: text.to_owned(),
                            linked: false,
                        })
                        .collect()
                })
                .collect();
            let printed = Printed::of(&lines.iter().collect::<Vec<_>>()).unwrap();
            assert_eq!(printed.in_one_line(), expected);
        }
        assert_eq!(Printed::of(&[]), None);
    }
}
