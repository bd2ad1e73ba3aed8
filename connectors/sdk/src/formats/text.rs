//! Text as registers send it: encodings, stray quotes and entities, folding for comparison.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Encodes for a query string in windows-1250, percent-encoded. `None` when a character is not in it.
#[must_use]
pub fn encode_windows_1250(value: &str) -> Option<String> {
    let (bytes, _, unmappable) = encoding_rs::WINDOWS_1250.encode(value);
    (!unmappable).then(|| crate::http::encode_bytes(&bytes))
}

/// Decodes bytes that are windows-1250 by the register's own word.
#[must_use]
pub fn decode_windows_1250(bytes: &[u8]) -> String {
    encoding_rs::WINDOWS_1250
        .decode_without_bom_handling(bytes)
        .0
        .into_owned()
}

/// Decodes bytes as UTF-8 (without its byte order mark) and, where that fails, as windows-1250.
#[must_use]
pub fn decode_utf8_or_windows_1250(bytes: &[u8]) -> String {
    let without_mark = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(without_mark) {
        Ok(text) => text.to_owned(),
        Err(_) => decode_windows_1250(without_mark),
    }
}

/// Text that was UTF-8 and was read as windows-1250 by mistake (`ĹľltĂ˝`), as it was meant (`žltý`). `None` where it was
/// not: what comes of it is no UTF-8. Only a text with an `Ă` is worth asking, which the letters á, é, í,
/// ó, ú and ý begin with then.
#[must_use]
pub fn undo_windows_1250(text: &str) -> Option<String> {
    let (bytes, _, unmappable) = encoding_rs::WINDOWS_1250.encode(text);
    let bytes = (!unmappable).then(|| bytes.into_owned())?;
    String::from_utf8(bytes).ok()
}

/// One line without surrounding space: every run of white space (no-break spaces too) becomes one space.
#[must_use]
pub fn squeeze(raw: &str) -> String {
    raw.split(|c: char| c.is_whitespace() || c == '\u{a0}')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// [`squeeze`]d text, `None` where nothing is left. Registers write an absent value in many ways.
#[must_use]
pub fn present(raw: &str) -> Option<String> {
    let text = squeeze(raw);
    (!text.is_empty() && text != "-" && text != "---").then_some(text)
}

/// A business name as people write it: entities resolved, one pair of quotes around the whole and a trailing comma gone.
#[must_use]
pub fn business_name(raw: &str) -> String {
    let resolved = raw
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&apos;", "'");
    let squeezed = squeeze(&resolved);
    let trimmed = squeezed.trim_end_matches([',', ';']).trim_end();
    let inner = trimmed
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .filter(|inner| !inner.contains('"'));
    inner.unwrap_or(trimmed).trim().to_owned()
}

/// For comparing: lower case without diacritics, everything but letters and digits becomes one space.
#[must_use]
pub fn fold(raw: &str) -> String {
    let mut folded = String::with_capacity(raw.len());
    for c in raw
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
    {
        let plain = match c {
            'ß' => {
                folded.push('s');
                's'
            }
            'ł' => 'l',
            'đ' | 'ð' => 'd',
            'ø' => 'o',
            _ => c,
        };
        if plain.is_alphanumeric() {
            folded.push(plain);
        } else if !folded.ends_with(' ') && !folded.is_empty() {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_the_lists_wrap_around_them() {
        for (raw, expected) in [
            (
                "&quot;Vzorový dlžník, s. r. o.&quot;",
                "Vzorový dlžník, s. r. o.",
            ),
            ("  Vzorová\u{a0} firma ,", "Vzorová firma"),
            ("\"A\" a \"B\"", "\"A\" a \"B\""),
            ("Müller &amp; syn", "Müller & syn"),
        ] {
            assert_eq!(business_name(raw), expected);
        }
    }

    #[test]
    fn folding_keeps_letters_and_digits_only() {
        assert_eq!(
            fold("  Železničná  4/A, Šaľa – „Nová“ "),
            "zeleznicna 4 a sala nova"
        );
        assert_eq!(fold("Groß Łódź"), "gross lodz");
        assert_eq!(fold("..."), "");
    }

    #[test]
    fn encodings_are_told_apart() {
        assert_eq!(
            decode_utf8_or_windows_1250("\u{feff}žltý".as_bytes()),
            "žltý"
        );
        assert_eq!(decode_utf8_or_windows_1250(b"\x9elt\xfd"), "žltý");
        assert_eq!(
            encode_windows_1250("žltý a").as_deref(),
            Some("%9Elt%FD%20a")
        );
        assert_eq!(encode_windows_1250("漢"), None);
    }

    #[test]
    fn text_that_was_read_in_the_wrong_encoding_is_read_again() {
        let garbled = decode_windows_1250("Žalovaný: Vzorová, s.\u{a0}r. o.".as_bytes());
        assert!(garbled.contains('Ă'), "{garbled}");
        assert_eq!(
            undo_windows_1250(&garbled).as_deref(),
            Some("Žalovaný: Vzorová, s.\u{a0}r. o.")
        );
        for other in ["žalovaný", "Ă", "漢"] {
            assert_eq!(undo_windows_1250(other), None, "{other}");
        }
    }

    #[test]
    fn absent_values_are_absent() {
        assert_eq!(present(" \u{a0} "), None);
        assert_eq!(present("---"), None);
        assert_eq!(present(" a\n b "), Some("a b".to_owned()));
    }
}
