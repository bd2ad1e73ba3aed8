//! Passages of a decision that the register shows for a search. They are HTML, sometimes in a garbled encoding.

use std::borrow::Cow;

use lustra_sdk::{entities, text};

/// Elements that end a line. All other elements, such as highlighting, may occur inside a word.
const BREAKS: [&str; 12] = [
    "br", "p", "div", "li", "ul", "ol", "td", "th", "tr", "table", "h1", "hr",
];
/// A longer text behind `<` is not a tag: the sign is a comparison.
const MAX_TAG_BYTES: usize = 200;

/// Converts a passage to plain text: repairs a garbled encoding, removes tags and resolves entities.
#[must_use]
pub fn plain(highlight: &str) -> String {
    let repaired = if highlight.contains('Ă') {
        text::undo_windows_1250(highlight).map_or(Cow::Borrowed(highlight), Cow::Owned)
    } else {
        Cow::Borrowed(highlight)
    };
    entities::resolved(&without_tags(&repaired))
}

fn without_tags(markup: &str) -> String {
    let mut plain = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some((before, behind)) = rest.split_once('<') {
        plain.push_str(before);
        match tag(behind) {
            Some((name, after)) => {
                if BREAKS.contains(&name.to_ascii_lowercase().as_str()) {
                    plain.push('\n');
                }
                rest = after;
            }
            None => {
                plain.push('<');
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The name of the tag that begins here (behind its bracket), and the text behind the tag.
fn tag(behind: &str) -> Option<(&str, &str)> {
    let (inner, after) = behind.split_once('>')?;
    let name = inner.trim_start_matches('/');
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!');
    if !is_tag || inner.len() > MAX_TAG_BYTES {
        return None;
    }
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '!');
    Some((end.map_or(name, |end| &name[..end]), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_breaks_split_a_number() {
        for (markup, expected) in [
            (
                "IČO: <em>999</em><em>99901</em>, so sídlom",
                "IČO: 99999901, so sídlom",
            ),
            ("IČO: 9999<br/>9901", "IČO: 9999\n9901"),
            (
                "IČO:&nbsp;<span class=\"hl\">99 999 901</span>",
                "IČO:\u{a0}99 999 901",
            ),
            ("suma < 5 a > 3", "suma < 5 a > 3"),
            ("a <", "a <"),
        ] {
            assert_eq!(plain(markup), expected);
        }
    }

    #[test]
    fn only_garbled_text_is_repaired() {
        let garbled = text::decode_windows_1250("<em>žalovaný</em>".as_bytes());
        assert_eq!(plain(&garbled), "žalovaný");
        assert_eq!(plain("MĂRIA"), "MĂRIA");
    }
}
