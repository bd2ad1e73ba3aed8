//! The place of an establishment or its operator, used to distinguish companies with the same name.

use lustra_sdk::text::fold;
use serde::{Deserialize, Serialize};

/// A municipality and a postal code, if known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    /// The municipality as the list writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Five digits without a space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
}

impl Place {
    /// The place at the end of an address in one line: `Testovacia 12, 949 01 Nitra`. Empty if no postal code stands
    /// before the municipality, since a street could be taken for one.
    #[must_use]
    pub fn of_address(address: &str) -> Self {
        let words: Vec<&str> = address.split_whitespace().collect();
        let digits = |word: &str, count: usize| {
            let word = word.trim_end_matches(',');
            word.len() == count && word.bytes().all(|byte| byte.is_ascii_digit())
        };
        for at in (0..words.len()).rev() {
            let (code, behind) = if at > 0 && digits(words[at], 2) && digits(words[at - 1], 3) {
                (format!("{}{}", words[at - 1], words[at]), &words[at + 1..])
            } else if digits(words[at], 5) {
                (words[at].to_owned(), &words[at + 1..])
            } else {
                continue;
            };
            let city = behind.join(" ");
            let city = city.split(',').map(str::trim).find(|part| !part.is_empty());
            return Self {
                city: city.map(str::to_owned),
                postal_code: postal_code(&code),
            };
        }
        Self::default()
    }

    /// Whether neither part is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.city.is_none() && self.postal_code.is_none()
    }
}

/// The five digits of a postal code. `None` for anything else.
#[must_use]
pub fn postal_code(raw: &str) -> Option<String> {
    let digits: String = raw.chars().filter(char::is_ascii_digit).collect();
    let is_code = raw
        .chars()
        .all(|c| c.is_ascii_digit() || c.is_whitespace() || c == ',');
    (is_code && digits.len() == 5).then_some(digits)
}

/// The key for comparing municipalities. A district of Bratislava or Košice becomes the city, in any spelling. The
/// number of a post office is removed.
#[must_use]
pub fn city_key(city: &str) -> String {
    let folded = fold(city);
    let name = folded
        .split(" mestska cast ")
        .next()
        .unwrap_or_default()
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    for with_parts in ["bratislava", "kosice"] {
        if name
            .strip_prefix(with_parts)
            .is_some_and(|rest| rest.starts_with(' '))
        {
            return with_parts.to_owned();
        }
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_is_read_behind_the_postal_code() {
        for (address, city, code) in [
            ("Testovacia 12, 949 01 Nitra", Some("Nitra"), Some("94901")),
            ("Testovacia 12, Nitra 949 01", None, Some("94901")),
            ("94901 Nitra, Testovacia 12", Some("Nitra"), Some("94901")),
            (
                "č. d. 100, 99701 Horné Čučoriedky",
                Some("Horné Čučoriedky"),
                Some("99701"),
            ),
            ("Testovacia 12, Nitra", None, None),
            ("", None, None),
        ] {
            let place = Place::of_address(address);
            assert_eq!(place.city.as_deref(), city, "{address}");
            assert_eq!(place.postal_code.as_deref(), code, "{address}");
        }
    }

    #[test]
    fn cities_are_equal_with_and_without_their_parts() {
        let city = "bratislava";
        for written in [
            "Bratislava",
            "BRATISLAVA 1",
            "Bratislava-Ružinov",
            "Bratislava - mestská časť Vzorové Mesto",
        ] {
            assert_eq!(city_key(written), city, "{written}");
        }
        assert_eq!(city_key("Košická Belá"), "kosicka bela");
        assert_eq!(city_key("Nitra 1"), "nitra");
    }
}
