//! What distinguishes a subject of the list, and the id that is derived from it.

use lustra_sdk::text::fold;
use sha2::{Digest, Sha256};

/// The digits of Crockford's base 32 in lower case.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The length of an id: 128 bits, five in each digit.
const LENGTH: u32 = 26;

/// What distinguishes a subject from all others of the list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identity {
    /// An IČO of a Slovak subject, or the id of a foreign one.
    Number { country: String, number: String },
    /// A subject without a number: its folded name and address.
    Name {
        country: String,
        name: String,
        address: String,
    },
}

impl Identity {
    /// The identity of a subject with a number.
    #[must_use]
    pub fn of_number(country: &str, number: &str) -> Self {
        Self::Number {
            country: country.to_owned(),
            number: number.to_owned(),
        }
    }

    /// The identity of a subject without a number. Spellings of name and address do not matter.
    #[must_use]
    pub fn of_name(country: &str, name: &str, address: Option<&str>) -> Self {
        Self::Name {
            country: country.to_owned(),
            name: fold(name),
            address: address.map(folded_address).unwrap_or_default(),
        }
    }

    /// The id of the subject that is first seen with this identity: 26 characters like those of a ULID. `nth` is 0,
    /// unless another subject already has that id.
    ///
    /// Published ids outlive the program, so the derivation must never change.
    #[must_use]
    pub fn entity_id(&self, nth: u32) -> String {
        let text = match self {
            Self::Number { country, number } => format!("number\n{country}\n{number}"),
            Self::Name {
                country,
                name,
                address,
            } => format!("name\n{country}\n{name}\n{address}"),
        };
        let hash = Sha256::digest(format!("nbs entity\n{nth}\n{text}"));
        let bits = hash
            .iter()
            .take(16)
            .fold(0_u128, |bits, byte| (bits << 8) | u128::from(*byte));
        let digit = |place: u32| {
            let five = usize::try_from((bits >> (5 * place)) & 31).unwrap_or_default();
            char::from(DIGITS.get(five).copied().unwrap_or(b'0'))
        };
        (0..LENGTH).rev().map(digit).collect()
    }
}

/// An address for comparison: folded, its postcode without the space: `skusobna 7 04001 kosice`.
#[must_use]
pub fn folded_address(address: &str) -> String {
    let folded = fold(address);
    let mut words: Vec<String> = Vec::new();
    for word in folded.split(' ') {
        match words.last_mut() {
            Some(last) if is_number(last, 3) && is_number(word, 2) => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
    }
    words.join(" ")
}

/// The postcode in a [`folded_address`]: `81102`. The last one, since a house number may have five digits too.
#[must_use]
pub fn postcode(folded_address: &str) -> Option<&str> {
    folded_address.rsplit(' ').find(|word| is_number(word, 5))
}

fn is_number(word: &str, length: usize) -> bool {
    word.len() == length && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_never_changes() {
        let number = Identity::of_number("SK", "99999901");
        let name = Identity::of_name("SK", "Ján  SKÚŠOBNÝ", Some("Skúšobná 7, 040 01 Košice"));
        assert_eq!(number.entity_id(0), "0ecnh3y93a10s6xbqmpjd4wsnr");
        assert_eq!(name.entity_id(0), "75p1qc05xcj04b80d4cfyd4mx8");
        assert_ne!(name.entity_id(0), name.entity_id(1));
        assert_ne!(
            number.entity_id(0),
            Identity::of_number("CZ", "99999901").entity_id(0)
        );
    }

    #[test]
    fn id_has_the_form_of_a_ulid() {
        for number in 0..1_000 {
            let id = Identity::of_number("SK", &number.to_string()).entity_id(0);
            assert_eq!(id.len(), 26);
            assert!(id.bytes().all(|digit| DIGITS.contains(&digit)), "{id}");
            assert!(id.as_bytes()[0] <= b'7', "{id}");
        }
    }

    #[test]
    fn postcode_is_read_in_either_spelling() {
        for (address, expected) in [
            ("Skúšobná 7, 04001 Košice", Some("04001")),
            ("Skúšobná 7, 040 01 Košice", Some("04001")),
            ("Skúšobná 12345/7, 811 02 Bratislava 1", Some("81102")),
            ("Skúšobná 7, Košice", None),
            ("", None),
        ] {
            let folded = folded_address(address);
            assert_eq!(postcode(&folded), expected, "{address}");
        }
    }
}
