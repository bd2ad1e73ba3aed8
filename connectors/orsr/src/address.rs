//! Addresses of companies and persons from the lines under a name.

use lustra_sdk::{Address, text};

use crate::extract::{Line, line_text};

/// An address as printed: the number beside the street, the postal code behind the municipality, a country for
/// foreign ones.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Printed {
    street: Option<String>,
    city: Option<String>,
    postal_code: Option<String>,
    country: Option<String>,
}

/// Folded names of countries that the register prints, with ISO 3166-1 codes where the name is certain.
const COUNTRIES: [(&str, &str); 26] = [
    ("slovenska republika", "SK"),
    ("slovensko", "SK"),
    ("ceska republika", "CZ"),
    ("cesko", "CZ"),
    ("rakusko", "AT"),
    ("rakuska republika", "AT"),
    ("madarsko", "HU"),
    ("madarska republika", "HU"),
    ("polsko", "PL"),
    ("polska republika", "PL"),
    ("nemecko", "DE"),
    ("nemecka spolkova republika", "DE"),
    ("spolkova republika nemecko", "DE"),
    ("taliansko", "IT"),
    ("talianska republika", "IT"),
    ("holandske kralovstvo", "NL"),
    ("holandsko", "NL"),
    ("luxemburske velkovojvodstvo", "LU"),
    ("luxembursko", "LU"),
    ("svajciarska konfederacia", "CH"),
    ("svajciarsko", "CH"),
    ("spojene kralovstvo velkej britanie a severneho irska", "GB"),
    ("velka britania", "GB"),
    ("ukrajina", "UA"),
    ("cyperska republika", "CY"),
    ("spojene staty americke", "US"),
];

/// Words that only names of countries contain, for those not in the table.
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
    /// Reads the lines; `None` where there are none.
    #[must_use]
    pub fn of(lines: &[&Line]) -> Option<Self> {
        let (mut lines, mut printed) = (lines, Self::default());
        let [.., last] = lines else { return None };
        let with_code = lines
            .iter()
            .rposition(|line| line.len() > 1 && line.last().is_some_and(|p| is_code(&p.text)));
        // A third line is a country wherever the municipality stands before it.
        let behind_city = with_code.is_some_and(|at| at + 1 < lines.len())
            || (with_code.is_none() && lines.len() > 2);
        if last.len() == 1 && (behind_city || is_country(&last[0].text)) && lines.len() > 1 {
            printed.country = Some(line_text(last));
            lines = &lines[..lines.len() - 1];
        }
        let city_at = with_code
            .filter(|at| *at < lines.len())
            .unwrap_or(lines.len() - 1);
        let city = lines[city_at].as_slice();
        // At home a number that is no postal code is that of a house in a village without streets.
        let abroad = printed.country.is_some();
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

    /// In one line: `Street 1, 999 01 City, country`.
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

    /// As the base record has it. The register prints no country for seats at home.
    #[must_use]
    pub fn into_record(self) -> Address {
        let country = self
            .country
            .unwrap_or_else(|| "Slovenská republika".to_owned());
        let folded = text::fold(&country);
        let country_code = COUNTRIES
            .iter()
            .find(|(name, _)| *name == folded)
            .map(|(_, code)| (*code).to_owned());
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
    COUNTRIES.iter().any(|(name, _)| *name == folded)
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
                &[
                    "Long Lane|Mill Farm",
                    "Hereford, Kent|SG1 2UX",
                    "Ďaleká krajina",
                ],
                "Long Lane Mill Farm, SG1 2UX Hereford, Kent, Ďaleká krajina",
            ),
            (&["Wien|1010", "Rakúsko"], "1010 Wien, Rakúsko"),
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
