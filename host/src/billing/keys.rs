//! API keys: `lst_live_` or `lst_test_`, 32 base-62 characters, and a checksum of 6 characters.
//!
//! The prefix lets secret scanners recognise a leaked key. The checksum rejects mistyped keys without a query. Only the
//! SHA-256 of a key is stored.
//! Invariant: a key's text is shown once, to the person who creates it.

use std::fmt;

use sha2::{Digest, Sha256};

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM: usize = 32;
const CHECK: usize = 6;
const LIVE: &str = "lst_live_";
const TEST: &str = "lst_test_";

/// Maximum time for which a replaced secret stays valid, in hours.
pub const MAX_OVERLAP_HOURS: u16 = 7 * 24;

/// A well-formed key text from a client; it need not exist.
pub struct KeyText(String);

/// A newly created key.
pub struct NewKey {
    /// The full key, shown once.
    pub text: KeyText,
    /// The first characters of the key, for lists.
    pub prefix: String,
}

impl NewKey {
    /// Creates a live key from the operating system's random numbers.
    #[must_use]
    pub fn live() -> Self {
        let random: String = (0..RANDOM)
            .map(|_| char::from(ALPHABET[rand::random_range(0..ALPHABET.len())]))
            .collect();
        let text = format!("{LIVE}{random}{}", check(&format!("{LIVE}{random}")));
        Self {
            prefix: text[..LIVE.len() + 4].to_owned(),
            text: KeyText(text),
        }
    }
}

impl KeyText {
    /// Parses a text that has the form of a key and a valid checksum.
    #[must_use]
    pub fn parse(raw: &str) -> Option<Self> {
        let rest = raw.strip_prefix(LIVE).or_else(|| raw.strip_prefix(TEST))?;
        if rest.len() != RANDOM + CHECK || !rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        let (body, given) = raw.split_at(raw.len() - CHECK);
        (check(body) == given).then(|| Self(raw.to_owned()))
    }

    /// SHA-256 of the whole key: the stored form, used for look-ups.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }

    /// The full key, for the one place that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyText(***)")
    }
}

/// Checksum: CRC-32 (ISO-HDLC, as in zip) in base 62, six characters.
fn check(text: &str) -> String {
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    let mut rest = crc.sum();
    let mut digits = [b'0'; CHECK];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[(rest % 62) as usize];
        rest /= 62;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_key_is_well_formed_and_hidden_in_debug() {
        let key = NewKey::live();
        let text = key.text.reveal().to_owned();
        assert!(text.starts_with(&key.prefix) && text.len() == 9 + 32 + 6);
        assert_eq!(
            KeyText::parse(&text).map(|parsed| parsed.hash()),
            Some(key.text.hash())
        );
        assert!(!format!("{:?}", key.text).contains(&text[9..]));
        assert_ne!(NewKey::live().text.reveal(), text);
    }

    #[test]
    fn mistyped_key_does_not_parse() {
        let text = NewKey::live().text.reveal().to_owned();
        for at in 0..text.len() {
            let mut wrong = text.clone().into_bytes();
            wrong[at] = if wrong[at] == b'x' { b'y' } else { b'x' };
            let wrong = String::from_utf8(wrong).expect("it is ASCII");
            assert!(KeyText::parse(&wrong).is_none(), "{at}");
        }
        for wrong in [
            "",
            "lst_live_",
            "Bearer",
            &text[..text.len() - 1],
            &format!("{text}0"),
        ] {
            assert!(KeyText::parse(wrong).is_none());
        }
    }
}
