//! HTML entities. Registers use them in texts and in XML, although XML itself defines only a few
//! of them.

/// Named entities that occur in Slovak texts, with their replacements.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("shy", ""),
    ("ensp", " "),
    ("emsp", " "),
    ("thinsp", " "),
    ("ndash", "–"),
    ("mdash", "—"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("sbquo", "‚"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bdquo", "„"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("hellip", "…"),
    ("bull", "•"),
    ("middot", "·"),
    ("euro", "€"),
    ("sect", "§"),
    ("deg", "°"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("times", "×"),
    ("plusmn", "±"),
    ("frac12", "½"),
    ("sup2", "²"),
    ("sup3", "³"),
    ("acute", "´"),
    ("aacute", "á"),
    ("Aacute", "Á"),
    ("auml", "ä"),
    ("Auml", "Ä"),
    ("ccaron", "č"),
    ("Ccaron", "Č"),
    ("dcaron", "ď"),
    ("Dcaron", "Ď"),
    ("eacute", "é"),
    ("Eacute", "É"),
    ("ecaron", "ě"),
    ("Ecaron", "Ě"),
    ("iacute", "í"),
    ("Iacute", "Í"),
    ("lacute", "ĺ"),
    ("Lacute", "Ĺ"),
    ("lcaron", "ľ"),
    ("Lcaron", "Ľ"),
    ("ncaron", "ň"),
    ("Ncaron", "Ň"),
    ("oacute", "ó"),
    ("Oacute", "Ó"),
    ("ocirc", "ô"),
    ("Ocirc", "Ô"),
    ("ouml", "ö"),
    ("Ouml", "Ö"),
    ("racute", "ŕ"),
    ("Racute", "Ŕ"),
    ("rcaron", "ř"),
    ("Rcaron", "Ř"),
    ("scaron", "š"),
    ("Scaron", "Š"),
    ("szlig", "ß"),
    ("tcaron", "ť"),
    ("Tcaron", "Ť"),
    ("uacute", "ú"),
    ("Uacute", "Ú"),
    ("uring", "ů"),
    ("Uring", "Ů"),
    ("uuml", "ü"),
    ("Uuml", "Ü"),
    ("yacute", "ý"),
    ("Yacute", "Ý"),
    ("zcaron", "ž"),
    ("Zcaron", "Ž"),
];

/// Maximum length of the text between `&` and `;`, in characters.
pub const LONGEST: usize = 10;

/// The replacement of an entity name (without `&` and `;`). `None` for an unknown name.
#[must_use]
pub fn named(name: &str) -> Option<&'static str> {
    let known = NAMED.iter().find(|(known, _)| *known == name);
    known.map(|(_, text)| *text)
}

/// The character of a numeric entity such as `#8222` or `#x201E`. `None` for named entities and
/// for control characters.
#[must_use]
pub fn numbered(name: &str) -> Option<char> {
    any_numbered(name).filter(|c| !c.is_control() || c.is_whitespace())
}

fn any_numbered(name: &str) -> Option<char> {
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code)
}

/// The replacement of an XML reference. Allows control characters, which some registers write as
/// references.
#[cfg(feature = "xml")]
pub(super) fn of_reference(name: &str) -> Option<String> {
    match named(name) {
        Some(text) => Some(text.to_owned()),
        None => any_numbered(name).map(String::from),
    }
}

/// Replaces the entities in a text, for registers that escape texts twice. Unknown entities stay
/// as they are.
#[must_use]
pub fn resolved(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let name = after
            .split_once(';')
            .filter(|(name, _)| name.len() <= LONGEST);
        match name.and_then(|(name, behind)| Some((of(name)?, behind))) {
            Some((character, behind)) => {
                text.push_str(&character);
                rest = behind;
            }
            None => {
                text.push('&');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

fn of(name: &str) -> Option<String> {
    match named(name) {
        Some(text) => Some(text.to_owned()),
        None => numbered(name).map(String::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_resolve_and_other_ampersands_stay() {
        for (raw, expected) in [
            ("&quot;Vzor&quot; &ndash; &scaron;kola", "\"Vzor\" – škola"),
            ("&#8222;A&#x201C;", "„A“"),
            ("A & B &unknown; C&D;", "A & B &unknown; C&D;"),
            ("&#0;&#31;", "&#0;&#31;"),
            ("&", "&"),
        ] {
            assert_eq!(resolved(raw), expected);
        }
    }
}
