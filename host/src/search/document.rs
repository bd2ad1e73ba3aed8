//! Index documents of companies.

use tantivy::TantivyDocument;
use tantivy::schema::Field;

use super::former_names::{former_names, mark};
use super::schema::{Fields, MAX_PREFIX_CHARS};
use crate::names;
use crate::store::{CompanyStatus, CompanyToFind};

/// Low bits of a rank: the registration number (8 digits).
const ICO_BITS: u32 = 27;
/// Bits above them: the first letters of the name.
const LETTER_BITS: u32 = 29;
/// Number of letters in a rank; each has one of 37 values.
const RANK_LETTERS: usize = 5;

/// Sort key among equally good matches: shorter names first, then alphabetical, then by number. It depends only on the
/// company, so it is the same on every host.
pub fn rank(bare_name: &str, ico: &str) -> u64 {
    let length = bare_name.chars().count().min(255) as u64;
    let letter = |c: char| match c {
        'a'..='z' => u64::from(c) - u64::from('a') + 11,
        '0'..='9' => u64::from(c) - u64::from('0') + 1,
        // Letters of other alphabets sort last.
        _ if c.is_alphanumeric() => 36,
        _ => 0,
    };
    let mut letters = bare_name.chars();
    let alphabet = (0..RANK_LETTERS).fold(0, |sum, _| sum * 37 + letters.next().map_or(0, letter));
    let number: u64 = ico.parse().unwrap_or_default();
    length << (ICO_BITS + LETTER_BITS) | alphabet << ICO_BITS | number & ((1 << ICO_BITS) - 1)
}

/// The registration number in a rank, as an integer.
pub fn number_of(rank: u64) -> u64 {
    rank & ((1 << ICO_BITS) - 1)
}

/// The registration number in a rank, 8 digits.
pub fn ico_of(rank: u64) -> String {
    format!("{:08}", number_of(rank))
}

/// Builds the index document of a company.
pub fn document(company: &CompanyToFind, fields: &Fields) -> TantivyDocument {
    let names = if company.status == CompanyStatus::Active {
        fields.active
    } else {
        fields.ended
    };
    let bare = names::bare_name(&company.name);
    let mut document = TantivyDocument::new();
    let mut put = |field: Field, text: &str| {
        if !text.is_empty() {
            document.add_text(field, text);
        }
    };
    let words = Words::of(&company.name);
    put(names.word, &words.all.join(" "));
    put(names.prefix, &beginnings(&words.all));
    put(names.first_word, &words.first.join(" "));
    put(names.first_prefix, &beginnings(&words.first));
    put(fields.key, &names::name_key(&company.name));
    put(fields.bare, &bare);
    put(fields.ico, &company.ico);
    put(fields.digits, &in_threes(&company.ico));
    let city = company.city.as_deref().unwrap_or_default();
    put(fields.city, &names::fold(city));
    put(fields.form, &form(company));
    put(fields.status, company.status.word());
    let nace = company.nace_code.as_deref().map(digits_of);
    put(fields.nace, &beginnings(nace.as_slice()));
    put(fields.shown_name, &company.name);
    put(fields.shown_city, city);
    let former = former_names(company);
    for (number, name) in former.iter().enumerate() {
        let words = Words::of(name).all;
        let marked: Vec<String> = words.iter().map(|word| mark(number, word)).collect();
        put(fields.former.word, &marked.join(" "));
        let prefixes = beginnings(&words);
        let prefixes = prefixes.split_whitespace();
        let prefixes: Vec<String> = prefixes.map(|prefix| mark(number, prefix)).collect();
        put(fields.former.prefix, &prefixes.join(" "));
        put(fields.former.key, &names::name_key(name));
        put(fields.former.bare, &names::bare_name(name));
        put(fields.former.shown, name);
    }
    if let Some(date) = company.established_date.as_deref().and_then(day) {
        document.add_u64(fields.established, date);
    }
    document.add_u64(fields.rank, rank(&bare, &company.ico));
    document
}

/// The searchable words of a name.
pub(super) struct Words {
    pub(super) all: Vec<String>,
    first: Vec<String>,
}

impl Words {
    pub(super) fn of(name: &str) -> Self {
        let mut all = names::words(name);
        let mut first: Vec<String> = all.first().cloned().into_iter().collect();
        // Users also type dotted letters as one word: `OK` for O.K. Servis.
        let single = |word: &String| word.chars().nth(1).is_none();
        let mut joined = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let run = all[at..].iter().take_while(|word| single(word)).count();
            if run > 1 {
                joined.push(all[at..at + run].concat());
                if at == 0 {
                    first.extend(joined.last().cloned());
                }
            }
            at += run.max(1);
        }
        all.extend(joined);
        Self { all, first }
    }
}

/// Truncates a word to the longest indexed prefix.
pub fn cut(word: &str) -> &str {
    let end = word.char_indices().nth(MAX_PREFIX_CHARS);
    &word[..end.map_or(word.len(), |(at, _)| at)]
}

/// All prefixes of the words, separated by spaces.
fn beginnings(words: &[String]) -> String {
    let mut all = String::new();
    for word in words {
        let word = cut(word);
        for (at, character) in word.char_indices() {
            all.push_str(&word[..at + character.len_utf8()]);
            all.push(' ');
        }
    }
    all
}

/// All sequences of three consecutive digits.
fn in_threes(ico: &str) -> String {
    let threes = (0..ico.len().saturating_sub(2)).filter_map(|at| ico.get(at..at + 3));
    threes.collect::<Vec<_>>().join(" ")
}

/// Codes of legal forms of natural persons, whose names may end like a legal form.
const PERSONS: std::ops::RangeInclusive<u16> = 101..=110;

/// The terms of a company's legal form: its code, its token and its words.
fn form(company: &CompanyToFind) -> String {
    let mut terms = String::new();
    let code = company.legal_form_code.as_deref().map(|code| {
        let code = code.chars().filter(|c| !c.is_whitespace());
        code.collect::<String>()
    });
    if let Some(code) = &code {
        terms += &format!("c:{code} ");
    }
    let token = names::registered_form(code.as_deref(), company.legal_form.as_deref());
    let number = code.as_deref().and_then(|code| code.parse().ok());
    let is_person = number.is_some_and(|code| PERSONS.contains(&code));
    let of_name = || (!is_person).then(|| names::form_at_end(&company.name));
    if let Some(token) = token.or_else(|| of_name().flatten()) {
        terms += &format!("t:{token} ");
    }
    if let Some(form) = &company.legal_form {
        for word in names::fold(form).split(' ').filter(|word| !word.is_empty()) {
            terms += &format!("w:{word} ");
        }
    }
    terms
}

/// Digits of an activity code; registers write it with or without dots.
pub fn digits_of(code: &str) -> String {
    code.chars().filter(char::is_ascii_digit).collect()
}

/// Converts a date `YYYY-MM-DD` into an integer that sorts like the date.
pub fn day(date: &str) -> Option<u64> {
    let mut parts = date.split('-').map(str::parse::<u64>);
    let (year, month, day) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    (parts.next().is_none() && year < 10_000 && month < 100 && day < 100)
        .then_some((year * 100 + month) * 100 + day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_orders_by_length_then_alphabet_then_number() {
        let ordered = [
            rank("alfa", "00000001"),
            rank("alfb", "00000001"),
            rank("beta", "00000001"),
            rank("beta", "99999999"),
            rank("alfab", "00000001"),
            rank(&"z".repeat(400), "00000001"),
        ];
        assert!(ordered.is_sorted(), "{ordered:?}");
        assert_eq!(ico_of(ordered[0]), "00000001");
        assert_eq!(ico_of(ordered[3]), "99999999");
    }

    #[test]
    fn legal_form_has_a_token_by_code_words_or_name() {
        let terms = |code: Option<&str>, legal_form: Option<&str>, name: &str| {
            form(&CompanyToFind {
                ico: "99999994".to_owned(),
                name: name.to_owned(),
                city: None,
                legal_form: legal_form.map(str::to_owned),
                legal_form_code: code.map(str::to_owned),
                status: CompanyStatus::Active,
                nace_code: None,
                established_date: None,
                facts: None,
                revision: 0,
            })
        };
        for (code, words, name, expected) in [
            (
                Some("701"),
                Some("Združenie"),
                "Vzor",
                "c:701 t:oz w:zdruzenie ",
            ),
            (Some("421"), None, "Vzor SE", "c:421 t:se "),
            (Some("101"), None, "Ján Vzor a.s.", "c:101 "),
            (None, None, "Vzor n.o.", "t:no "),
        ] {
            assert_eq!(terms(code, words, name), expected, "{name}");
        }
    }

    #[test]
    fn dotted_letters_are_also_one_word() {
        let words = Words::of("O.K. Servis, s. r. o.");
        assert_eq!(words.all, ["o", "k", "servis", "sro", "ok"]);
        assert_eq!(words.first, ["o", "ok"]);
    }

    #[test]
    fn prefixes_end_at_the_longest() {
        assert_eq!(beginnings(&["žlt".to_owned()]), "ž žl žlt ");
        let long = "x".repeat(MAX_PREFIX_CHARS + 5);
        assert_eq!(
            beginnings(&[long]).split_whitespace().count(),
            MAX_PREFIX_CHARS
        );
        assert_eq!(in_threes("00123"), "001 012 123");
        assert_eq!(day("2007-01-29"), Some(20_070_129));
        assert_eq!(day("2007-01"), None);
    }
}
