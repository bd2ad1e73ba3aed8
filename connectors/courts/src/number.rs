//! Finds a company's number in a text. Accepts the whole number only: no part of a longer number, and no other number
//! of the same shape.

use lustra_sdk::text::fold;

/// How far before a number a label may stand, in characters.
const LABEL: usize = 48;
/// Labels of other numbers: a tax number, an account, a telephone number, a payment.
const OTHERS: [&str; 22] = [
    "dic",
    "dph",
    "icdph",
    "vat",
    "iban",
    "ucet",
    "uctu",
    "ucte",
    "uctom",
    "tel",
    "telefon",
    "telefonu",
    "telefonne",
    "telefonnom",
    "mob",
    "mobil",
    "fax",
    "symbol",
    "symbolom",
    "vs",
    "ss",
    "ks",
];
/// Words behind a number that make it an amount of money.
const MONEY: [&str; 6] = ["eur", "euro", "eura", "sk", "skk", "kc"];

/// The label of a number, from the words before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// The number is labelled as an IČO.
    Ico,
    /// Another label: a tax number, an account, the number of a contract.
    Other,
    None,
}

/// Returns the text before each occurrence of the number (8 digits). An occurrence without spaces must stand alone. One
/// in groups (`12 345 678`) must also be labelled as an IČO, since amounts are written so.
#[must_use]
pub fn mentions<'a>(text: &'a str, ico: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(|c: char| c.is_ascii_digit()) {
        let start = rest + start;
        let end = start + digits(&text[start..]);
        let whole = [(end, false), (start + grouped(&text[start..]), true)]
            .into_iter()
            .find(|(end, _)| is_number(&text[start..*end], ico));
        if let Some((end, is_grouped)) = whole
            && is_own(&text[..start], &text[end..], is_grouped)
        {
            found.push(&text[..start]);
        }
        rest = end;
    }
    found
}

/// The number of digits at the beginning of a text.
fn digits(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len())
}

/// The length of a number in groups of two, three and three digits at the beginning of a text, with one space between
/// groups. 0 if there is none.
fn grouped(text: &str) -> usize {
    let mut at = 0;
    for (place, length) in [2, 3, 3].into_iter().enumerate() {
        if place > 0 {
            match text[at..].chars().next() {
                Some(space) if is_space(space) => at += space.len_utf8(),
                Some(_) | None => return 0,
            }
        }
        if digits(&text[at..]) != length {
            return 0;
        }
        at += length;
    }
    at
}

fn is_number(written: &str, ico: &str) -> bool {
    let digits = written.chars().filter(char::is_ascii_digit);
    digits.eq(ico.chars())
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{a0}'
}

/// Whether an occurrence is a complete number and an IČO, judged by the text around it.
fn is_own(before: &str, after: &str, is_grouped: bool) -> bool {
    let label = label(before);
    if label == Label::Other || (is_grouped && label == Label::None) {
        return false;
    }
    let glued = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let joint = |c: Option<char>| c.is_some_and(|c| "/-–.,+".contains(c));
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (mut back, mut ahead) = (before.chars().rev(), after.chars());
    let (last, next) = (back.next(), ahead.next());
    if glued(last) || glued(next) || last == Some('+') {
        return false;
    }
    if (joint(last) && digit(back.next())) || (joint(next) && digit(ahead.next())) {
        return false;
    }
    if label == Label::Ico {
        return true;
    }
    // The digits belong to a longer number in groups, or to an amount.
    let (before, behind) = (before.trim_end(), after.trim_start());
    let is_money = behind.starts_with('€')
        || fold(behind.split(is_space).next().unwrap_or_default())
            .split(' ')
            .next()
            .is_some_and(|word| MONEY.contains(&word));
    !is_money && !digit(before.chars().next_back()) && !digit(behind.chars().next())
}

fn label(before: &str) -> Label {
    let from = before.char_indices().rev().nth(LABEL - 1);
    let near = fold(from.map_or(before, |(from, _)| &before[from..]));
    let words: Vec<&str> = near.rsplit(' ').take(4).collect();
    if words.starts_with(&["o", "c", "i"]) {
        return Label::Ico;
    }
    let mut is_numbered = false;
    for word in words {
        match word {
            "c" | "cis" | "cislo" | "cislom" | "cisla" | "cislu" => is_numbered = true,
            "organizacie" => {}
            "ico" | "ic" | "identifikacne" | "identifikacnym" | "identifikacneho" => {
                return Label::Ico;
            }
            _ if OTHERS.contains(&word) => return Label::Other,
            _ => break,
        }
    }
    if is_numbered {
        Label::Other
    } else {
        Label::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ICO: &str = "99999901";

    #[test]
    fn whole_number_is_found_in_every_spelling() {
        for text in [
            "99999901",
            "IČO: 99999901",
            "IČO:99999901",
            "(IČO 99 999 901)",
            "IČO:\u{a0}99\u{a0}999\u{a0}901, so sídlom",
            "I Č O : 99999901",
            "identifikačné číslo organizácie: 99999901",
            "IČO č. 99999901",
            "IČ: 99999901.",
            "IČO: 99999901 811 01 Bratislava",
            "IČO: 99999901, 811 01 Bratislava",
            "žalovaný Vzorová, s. r. o., 99999901; zaplatiť",
            "Hlavná 5, 99999901",
        ] {
            assert_eq!(mentions(text, ICO).len(), 1, "{text}");
        }
        assert_eq!(mentions("99999901 a IČO: 99 999 901", ICO).len(), 2);
        assert_eq!(mentions("IČO: 00000124", "00000124").len(), 1);
    }

    #[test]
    fn similar_numbers_are_not_found() {
        for text in [
            "",
            "IČO: 99999902",
            "IČO: 999999012",
            "199999901",
            "DIČ: 99999901",
            "IČ DPH: 99999901",
            "CZ99999901",
            "SK2099999901",
            "IBAN SK31 0200 0000 0000 99999901",
            "0000 99999901",
            "účet 19-99999901/0200",
            "č. účtu 99999901",
            "99999901/0200",
            "tel. 99999901",
            "telefónne číslo 99999901",
            "+99999901",
            "zmluva č. 99999901",
            "zmluva o úvere číslo: 99999901",
            "variabilný symbol: 99999901",
            "VS 99999901",
            "suma 99 999 901",
            "99999901 €",
            "99999901 Eur",
            "99999901,50",
            "1 99 999 901",
            "99999901 500",
            "9999 9901",
        ] {
            assert_eq!(mentions(text, ICO), [""; 0], "{text}");
        }
    }

    #[test]
    fn any_text_is_read_without_panic() {
        for text in ["ž9999990", "€99999901€", "9", "99 999 9", "\u{a0}99999901ž"] {
            let _any = mentions(text, ICO).len();
        }
    }
}
