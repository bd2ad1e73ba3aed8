//! Cleans up register text: encodings, stray quotes, entities, folding for comparison.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Percent-encodes a query value in windows-1250. `None` if it contains a character outside that
/// charset.
#[must_use]
pub fn encode_windows_1250(value: &str) -> Option<String> {
    let (bytes, _, unmappable) = encoding_rs::WINDOWS_1250.encode(value);
    (!unmappable).then(|| crate::http::encode_bytes(&bytes))
}

/// Decodes bytes that the register declares as windows-1250.
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

/// Repairs UTF-8 text that was decoded as windows-1250 by mistake (`ĹľltĂ˝` to `žltý`). `None` if
/// the repaired bytes are not UTF-8. Call it only for a text that contains `Ă`, the first wrong
/// character of á, é, í, ó, ú and ý.
#[must_use]
pub fn undo_windows_1250(text: &str) -> Option<String> {
    let (bytes, _, unmappable) = encoding_rs::WINDOWS_1250.encode(text);
    let bytes = (!unmappable).then(|| bytes.into_owned())?;
    String::from_utf8(bytes).ok()
}

/// The text with its first character in lower case.
#[must_use]
pub fn uncapitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_lowercase().chain(chars).collect())
        .unwrap_or_default()
}

/// Puts text on one line: every run of white space (including no-break spaces) becomes one space,
/// and both ends are trimmed.
#[must_use]
pub fn squeeze(raw: &str) -> String {
    squeezed(raw).into_owned()
}

/// [`squeeze`]d text, borrowed if it already is on one line: imports read millions of such texts.
#[must_use]
pub fn squeezed(raw: &str) -> Cow<'_, str> {
    if is_squeezed(raw) {
        return Cow::Borrowed(raw);
    }
    let mut squeezed = String::with_capacity(raw.len());
    // These include no-break spaces.
    for word in raw.split_whitespace() {
        if !squeezed.is_empty() {
            squeezed.push(' ');
        }
        squeezed.push_str(word);
    }
    Cow::Owned(squeezed)
}

/// Whether a text surely has single spaces between words and no other white space. Looks at bytes only, so a character
/// that shares its first byte with a white space counts as one.
fn is_squeezed(raw: &str) -> bool {
    let mut is_behind_space = true;
    for byte in raw.bytes() {
        let is_space = byte == b' ';
        let is_other = matches!(byte, b'\t'..=b'\r' | 0xc2 | 0xe1..=0xe3);
        if is_other || (is_space && is_behind_space) {
            return false;
        }
        is_behind_space = is_space;
    }
    !is_behind_space || raw.is_empty()
}

/// [`squeeze`]d text, or `None` if it is empty. Registers write an absent value in many ways.
#[must_use]
pub fn present(raw: &str) -> Option<String> {
    present_in(raw).map(Cow::into_owned)
}

/// Like [`present`], borrowed as by [`squeezed`].
#[must_use]
pub fn present_in(raw: &str) -> Option<Cow<'_, str>> {
    let text = squeezed(raw);
    (!text.is_empty() && text != "-" && text != "---").then_some(text)
}

/// A business name in its usual form: entities resolved, one pair of surrounding quotes and a
/// trailing comma removed.
#[must_use]
pub fn business_name(raw: &str) -> String {
    let resolved = if raw.contains('&') {
        let quoted = raw.replace("&quot;", "\"").replace("&amp;", "&");
        Cow::Owned(quoted.replace("&apos;", "'"))
    } else {
        Cow::Borrowed(raw)
    };
    let squeezed = squeezed(&resolved);
    let trimmed = squeezed.trim_end_matches([',', ';']).trim_end();
    let inner = trimmed
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .filter(|inner| !inner.contains('"'));
    inner.unwrap_or(trimmed).trim().to_owned()
}

/// Folds text for comparison: lower case without diacritics, everything except letters and digits
/// becomes one space.
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
    fn business_name_loses_quotes_and_entities() {
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
    fn encodings_are_distinguished() {
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
    fn text_decoded_in_wrong_charset_is_repaired() {
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

    #[test]
    fn every_white_space_is_squeezed() {
        let spaces = (0..=u32::from(char::MAX)).filter_map(char::from_u32);
        for space in spaces.filter(|c| c.is_whitespace()) {
            for raw in [
                format!("a{space}{space}b"),
                format!("{space}a b"),
                format!("a b{space}"),
                format!("a{space}b"),
            ] {
                assert_eq!(squeeze(&raw), "a b", "{raw:?}");
            }
        }
        for line in ["", "a b", "žltý – „kôň“", "a\u{200b}b"] {
            assert_eq!(squeeze(line), line);
        }
        assert!(matches!(squeezed("žltý kôň"), Cow::Borrowed(_)));
    }
}
