//! Comparison of company and town names.
//!
//! A **name key** is what different spellings of one name have in common: folded letters and digits, the legal form as
//! one token at the end, and no remarks on the company's state. Keys are stored and indexed, so a change here needs a
//! migration that recomputes them.

mod forms;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use forms::LEGAL_FORMS;
pub use forms::{form_at_end, form_token, registered_form};

/// Similarity of equal names with different legal forms. They belong to different companies, so it is below the default
/// confidence of batches, 0.9.
const OTHER_FORM: f64 = 0.89;

/// Remarks after a name that are not part of it.
const REMARKS: [&[&str]; 6] = [
    &["v", "likvidacii"],
    &["v", "konkurze"],
    &["v", "restrukturalizacii"],
    &["v", "nutenej", "sprave"],
    &["r", "s", "p"],
    &["organizacna", "zlozka"],
];

/// Lower case without diacritics; runs of other characters than letters and digits become one space.
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

/// Name key of a company; empty for a name without letters or digits.
#[must_use]
pub fn name_key(name: &str) -> String {
    FoldedName::of(name).key()
}

/// Like [`name_key`], without the legal form.
#[must_use]
pub fn bare_name(name: &str) -> String {
    words_and_form(name).0
}

/// A folded name that can be compared with many others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedName {
    words: String,
    form: Option<&'static str>,
}

impl FoldedName {
    #[must_use]
    pub fn of(name: &str) -> Self {
        let (words, form) = words_and_form(name);
        Self { words, form }
    }

    /// Number of bytes to compare.
    #[must_use]
    pub fn length(&self) -> usize {
        self.words.len()
    }

    #[must_use]
    pub fn key(&self) -> String {
        match self.form {
            Some(form) => format!("{} {form}", self.words).trim_start().to_owned(),
            None => self.words.clone(),
        }
    }

    /// Like [`similarity`]. Takes time proportional to the product of both lengths, so callers must limit them.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        if self.words.is_empty() || other.words.is_empty() {
            return 0.0;
        }
        let forms_differ = self.form.is_some() && other.form.is_some() && self.form != other.form;
        if self.words == other.words {
            return match (forms_differ, self.form == other.form) {
                (true, _) => OTHER_FORM,
                (false, true) => 1.0,
                (false, false) => 0.97,
            };
        }
        let alike = strsim::jaro_winkler(&self.words, &other.words) * 0.94;
        if forms_differ { alike * 0.9 } else { alike }
    }
}

/// The words of a name in order, including remarks. Each legal form after the first word becomes one token.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let folded = fold(&without_apostrophes(name));
    let all: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
    let mut words = Vec::with_capacity(all.len());
    let mut rest = all.as_slice();
    while let Some((first, behind)) = rest.split_first() {
        let form = LEGAL_FORMS
            .iter()
            .find(|(written, _)| !words.is_empty() && rest.starts_with(written));
        if let Some((written, token)) = form {
            words.push((*token).to_owned());
            rest = &rest[written.len()..];
        } else {
            words.push((*first).to_owned());
            rest = behind;
        }
    }
    words
}

/// The words of a name that is still being typed. A legal form at the end stays as words, because the next letter may
/// change it; see [`forms_begun_by`].
#[must_use]
pub fn words_so_far(text: &str) -> Vec<String> {
    let folded = fold(&without_apostrophes(text));
    let all: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
    let ended_by_form = LEGAL_FORMS
        .iter()
        .find(|(written, _)| ends_with(&all, written))
        .map_or(0, |(written, _)| written.len());
    let (begin, end) = all.split_at(all.len() - ended_by_form);
    let mut words = words(&begin.join(" "));
    words.extend(end.iter().map(|word| (*word).to_owned()));
    words
}

/// Legal forms that the last words of a name may be the beginning of: the number of these words (the longest match) and
/// the tokens. If no other word precedes them, only a complete legal form counts.
#[must_use]
pub fn forms_begun_by(words: &[String]) -> (usize, Vec<&'static str>) {
    let longest = LEGAL_FORMS
        .iter()
        .map(|(written, _)| written.len())
        .max()
        .unwrap_or_default();
    for count in (1..=longest.min(words.len())).rev() {
        let alone = count == words.len();
        let Some((last, complete)) = words[words.len() - count..].split_last() else {
            continue;
        };
        let mut tokens: Vec<&'static str> = LEGAL_FORMS
            .iter()
            .filter(|(written, _)| {
                written.len() >= count
                    && (!alone || written.len() == count && written[count - 1] == last)
                    && written[..count - 1] == *complete
                    && written[count - 1].starts_with(last.as_str())
            })
            .map(|(_, token)| *token)
            .collect();
        tokens.sort_unstable();
        tokens.dedup();
        if !tokens.is_empty() {
            return (count, tokens);
        }
    }
    (0, Vec::new())
}

/// Removes apostrophes, so that `McDonald's` is one word.
fn without_apostrophes(raw: &str) -> String {
    raw.replace(['\'', '’', '‘', '`', '´', 'ʼ'], "")
}

/// The first word of a name key; similar names are searched by it.
#[must_use]
pub fn first_word(key: &str) -> &str {
    key.split(' ').next().unwrap_or_default()
}

/// Similarity of two names: 1.0 for equal keys, at least 0.97 if only one of them has a legal form, less than 0.95
/// otherwise, and at most 0.89 if their legal forms differ.
#[must_use]
pub fn similarity(a: &str, b: &str) -> f64 {
    FoldedName::of(a).similarity(&FoldedName::of(b))
}

fn words_and_form(name: &str) -> (String, Option<&'static str>) {
    let folded = fold(name);
    let mut words: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
    let mut form = None;
    // A remark may stand before or after the form.
    for _ in 0..3 {
        if let Some(remark) = REMARKS.iter().find(|remark| ends_with(&words, remark)) {
            words.truncate(words.len() - remark.len());
        } else if form.is_none()
            && let Some((written, token)) = LEGAL_FORMS
                .iter()
                .find(|(written, _)| ends_with(&words, written))
        {
            words.truncate(words.len() - written.len());
            form = Some(*token);
        }
    }
    (words.join(" "), form)
}

/// Whether `words` ends with `end` and is longer.
fn ends_with(words: &[&str], end: &[&str]) -> bool {
    words.len() > end.len() && words.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_share_a_key() {
        for written in [
            "Vzorová firma, s. r. o.",
            "VZOROVA FIRMA s.r.o.",
            "Vzorová firma spol. s r.o.",
            "Vzorová firma, spol. s r. o. v likvidácii",
            "Vzorová firma, spoločnosť s ručením obmedzeným",
            "Vzorová   firma , s.r.o",
            "Vzorová firma sro",
        ] {
            assert_eq!(name_key(written), "vzorova firma sro", "{written}");
        }
        assert_eq!(
            name_key("A. S."),
            "a s",
            "a name may be nothing but a legal form"
        );
        assert_eq!(name_key("…"), "");
    }

    #[test]
    fn words_merge_legal_forms_and_drop_apostrophes() {
        assert_eq!(
            words("Vzorová firma, spol. s r. o. v likvidácii"),
            ["vzorova", "firma", "sro", "v", "likvidacii"]
        );
        assert_eq!(words("A. S."), ["a", "s"]);
        assert_eq!(words("O'Neill’s a.s."), ["oneills", "as"]);
        assert!(words("…").is_empty());
    }

    #[test]
    fn partially_typed_legal_form_is_recognised() {
        for (typed, count, tokens) in [
            ("vzor s. r", 2, vec!["sro"]),
            ("vzor s.r.o.", 3, vec!["sro"]),
            ("vzor spol. s", 2, vec!["sro"]),
            ("vzor kom", 1, vec!["ks"]),
            ("vzor akciova spol", 2, vec!["as"]),
            ("vzor b", 0, vec![]),
            ("s", 0, vec![]),
            ("s. r.", 0, vec![]),
            ("s. r. o.", 3, vec!["sro"]),
        ] {
            let words = words_so_far(typed);
            assert_eq!(forms_begun_by(&words), (count, tokens), "{typed}");
        }
        assert_eq!(words_so_far("firma a s"), ["firma", "a", "s"]);
        assert_eq!(words_so_far("firma s.r.o. b"), ["firma", "sro", "b"]);
    }

    #[test]
    fn different_forms_and_names_are_less_similar() {
        assert!((similarity("Vzor s.r.o.", "VZOR, spol. s r. o.") - 1.0).abs() < f64::EPSILON);
        assert!(similarity("Vzor s.r.o.", "Vzor") > 0.96);
        assert!(similarity("Vzor s.r.o.", "Vzor, a.s.") < 0.9);
        assert!(similarity("Vzor s.r.o.", "Vzorka s.r.o.") < 0.95);
        assert!(similarity("", "Vzor").abs() < f64::EPSILON);
    }
}
