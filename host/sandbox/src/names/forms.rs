//! Legal forms of companies: in names, in the words of the registers, and as codes.

use super::{fold, words};

/// Legal forms as folded words, longest first, with their token.
pub(super) const LEGAL_FORMS: [(&[&str], &str); 24] = [
    (&["spolocnost", "s", "rucenim", "obmedzenym"], "sro"),
    (&["jednoducha", "spolocnost", "na", "akcie"], "jsa"),
    (&["verejna", "obchodna", "spolocnost"], "vos"),
    (&["spol", "s", "r", "o"], "sro"),
    (&["spol", "s", "ro"], "sro"),
    (&["spol", "sro"], "sro"),
    (&["komanditna", "spolocnost"], "ks"),
    (&["akciova", "spolocnost"], "as"),
    (&["statny", "podnik"], "sp"),
    (&["s", "r", "o"], "sro"),
    (&["s", "ro"], "sro"),
    (&["sr", "o"], "sro"),
    (&["v", "o", "s"], "vos"),
    (&["j", "s", "a"], "jsa"),
    (&["a", "s"], "as"),
    (&["k", "s"], "ks"),
    (&["n", "o"], "no"),
    (&["o", "z"], "oz"),
    (&["s", "p"], "sp"),
    (&["s", "e"], "se"),
    (&["sro"], "sro"),
    (&["as"], "as"),
    (&["vos"], "vos"),
    (&["ks"], "ks"),
];

/// Legal forms that names rarely end with, as folded words, with their token. The words of the register may go on:
/// `Nezisková organizácia poskytujúca všeobecne prospešné služby`. They are not part of name keys.
const FORMS_IN_WORDS: [(&str, &str); 3] = [
    ("neziskova organizacia", "no"),
    ("europska spolocnost", "se"),
    ("obcianske zdruzenie", "oz"),
];

/// Codes of legal forms in the code list CL000056, with their token.
const FORM_CODES: [(&str, &str); 9] = [
    ("111", "vos"),
    ("112", "sro"),
    ("113", "ks"),
    ("119", "no"),
    ("121", "as"),
    ("123", "se"),
    ("125", "jsa"),
    ("301", "sp"),
    ("701", "oz"),
];

/// The token of a legal form in [`super::name_key`]: `sro` for `Spoločnosť s ručením obmedzeným`.
#[must_use]
pub fn form_token(form: &str) -> Option<&'static str> {
    let folded = fold(form);
    let words: Vec<&str> = folded.split(' ').collect();
    let written = LEGAL_FORMS
        .iter()
        .find(|(written, token)| *written == words.as_slice() || folded == *token)
        .map(|(_, token)| *token);
    written.or_else(|| {
        let mut in_words = FORMS_IN_WORDS.iter();
        let found = in_words.find(|(written, _)| folded == *written);
        found.map(|(_, token)| *token)
    })
}

/// The token of a company's legal form: by its code in the code list CL000056 or, if that has none, by the register's
/// words.
#[must_use]
pub fn registered_form(code: Option<&str>, form: Option<&str>) -> Option<&'static str> {
    let code = code.map(str::trim);
    let mut codes = FORM_CODES.iter();
    if let Some((_, token)) = codes.find(|(listed, _)| code == Some(*listed)) {
        return Some(token);
    }
    let folded = fold(form?);
    form_token(&folded).or_else(|| {
        let mut in_words = FORMS_IN_WORDS.iter();
        let found = in_words.find(|(written, _)| folded.starts_with(written));
        found.map(|(_, token)| *token)
    })
}

/// The token of the legal form with which a company's name ends, also if it is written as its token: `se` for
/// `Vzor SE`. `None` if a remark follows, such as `organizačná zložka`.
#[must_use]
pub fn form_at_end(name: &str) -> Option<&'static str> {
    let words = words(name);
    let (last, before) = words.split_last()?;
    if before.is_empty() {
        return None;
    }
    let mut tokens = LEGAL_FORMS.iter().map(|(_, token)| *token);
    tokens.find(|token| last == token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_legal_form_share_a_token() {
        for form in [
            "s.r.o.",
            "spol. s r.o.",
            "sro",
            "Spoločnosť s ručením obmedzeným",
        ] {
            assert_eq!(form_token(form), Some("sro"), "{form}");
        }
        assert_eq!(form_token("Živnostník"), None);
        assert_eq!(form_token("Občianske združenie"), Some("oz"));
    }

    #[test]
    fn form_follows_from_code_words_or_name() {
        let general = "Nezisková organizácia poskytujúca všeobecne prospešné služby";
        for (code, form, expected) in [
            (Some("701"), Some("Združenie (zväz, spolok)"), Some("oz")),
            (Some("123"), None, Some("se")),
            (Some("120"), Some(general), Some("no")),
            (None, Some("Akciová spoločnosť"), Some("as")),
            (Some("205"), Some("Družstvo"), None),
            (None, None, None),
        ] {
            assert_eq!(registered_form(code, form), expected, "{code:?} {form:?}");
        }
        for (name, expected) in [
            ("Vzor o.z.", Some("oz")),
            ("Vzor SE", Some("se")),
            ("Vzor, spol. s r. o.", Some("sro")),
            ("Vzor s.r.o., organizačná zložka", None),
            ("Vzor", None),
            ("SE", None),
        ] {
            assert_eq!(form_at_end(name), expected, "{name}");
        }
    }
}
