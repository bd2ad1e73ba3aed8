//! Validates bank account numbers (IBAN).

/// True if a text without spaces, in upper case, is an IBAN by its shape and its ISO 7064 mod
/// 97-10 checksum.
#[must_use]
pub fn is_valid(iban: &str) -> bool {
    let bytes = iban.as_bytes();
    let (15..=34, Some(state), Some(check)) = (bytes.len(), bytes.get(..2), bytes.get(2..4)) else {
        return false;
    };
    let slovak_shape =
        state != b"SK" || (bytes.len() == 24 && bytes[2..].iter().all(u8::is_ascii_digit));
    if !slovak_shape
        || !state.iter().all(u8::is_ascii_uppercase)
        || !check.iter().all(u8::is_ascii_digit)
        || !bytes
            .iter()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    {
        return false;
    }
    let remainder =
        bytes[4..]
            .iter()
            .chain(&bytes[..4])
            .fold(0_u32, |remainder, byte| match byte {
                b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
                _ => (remainder * 100 + u32::from(byte - b'A') + 10) % 97,
            });
    remainder == 1
}

/// The bank code of a Slovak IBAN: its digits 5 to 8. `None` for any other IBAN.
#[must_use]
pub fn bank_code(iban: &str) -> Option<&str> {
    iban.strip_prefix("SK")?.get(2..6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iban_with_wrong_checksum_is_invalid() {
        for (iban, expected) in [
            ("SK4399990000000000000019", true),
            ("AT049999900000000001", true),
            ("SK4399990000000000000018", false),
            ("SK0000000000000000000001", false),
            ("SK439999000000000000001", false),
            ("sk4399990000000000000019", false),
            ("SK43 9999 0000 0000 0000 0019", false),
            ("SKÄ399990000000000000019", false),
            ("", false),
        ] {
            assert_eq!(is_valid(iban), expected, "{iban}");
        }
    }

    #[test]
    fn bank_code_is_read_from_slovak_iban() {
        assert_eq!(bank_code("SK4399990000000000000019"), Some("9999"));
        assert_eq!(bank_code("AT049999900000000001"), None);
        assert_eq!(bank_code("SK"), None);
    }
}
