//! How names of companies and towns are compared.
//!
//! A **name key** is what two ways of writing one name share: folded letters and digits, the legal form brought to one
//! token at the end, remarks on the company's state dropped. Keys are stored and indexed, so a change here needs a
//! migration that computes them anew.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Legal forms as folded words, longest first, and their token.
const LEGAL_FORMS: [(&[&str], &str); 24] = [
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

/// Remarks behind a name that are no part of it.
const REMARKS: [&[&str]; 6] = [
    &["v", "likvidacii"],
    &["v", "konkurze"],
    &["v", "restrukturalizacii"],
    &["v", "nutenej", "sprave"],
    &["r", "s", "p"],
    &["organizacna", "zlozka"],
];

/// Lower case without diacritics; everything but letters and digits becomes one space.
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

/// The key of a company's name; empty for a name without letters or digits.
#[must_use]
pub fn name_key(name: &str) -> String {
    FoldedName::of(name).key()
}

/// As [`name_key`], without the legal form.
#[must_use]
pub fn bare_name(name: &str) -> String {
    words_and_form(name).0
}

/// A name folded once, to be compared with many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedName {
    words: String,
    form: Option<&'static str>,
}

impl FoldedName {
    /// Folds a name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let (words, form) = words_and_form(name);
        Self { words, form }
    }

    /// Bytes that are compared.
    #[must_use]
    pub fn length(&self) -> usize {
        self.words.len()
    }

    /// As [`name_key`].
    #[must_use]
    pub fn key(&self) -> String {
        match self.form {
            Some(form) => format!("{} {form}", self.words).trim_start().to_owned(),
            None => self.words.clone(),
        }
    }

    /// As [`similarity`]. The time grows with the product of both lengths: callers bound them.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        if self.words.is_empty() || other.words.is_empty() {
            return 0.0;
        }
        let forms_differ = self.form.is_some() && other.form.is_some() && self.form != other.form;
        if self.words == other.words {
            return match (forms_differ, self.form == other.form) {
                (true, _) => 0.9,
                (false, true) => 1.0,
                (false, false) => 0.97,
            };
        }
        let alike = strsim::jaro_winkler(&self.words, &other.words) * 0.94;
        if forms_differ { alike * 0.9 } else { alike }
    }
}

/// The words of a name in their order, the remarks among them, each legal form behind the first word as one token.
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

/// The words of a name that somebody is still typing: the legal form at its end is not brought to its token, since the
/// next letter may make another word of it; see [`forms_begun_by`].
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

/// The tokens of the legal forms that the last words of a name may be the beginning of, and how many words these are;
/// of several readings the longest. With nothing before it only a whole legal form is taken for one.
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

/// What a legal form is called in short, as [`name_key`] has it at its end: `sro` for `Spoločnosť s ručením obmedzeným`.
#[must_use]
pub fn form_token(form: &str) -> Option<&'static str> {
    let folded = fold(form);
    let words: Vec<&str> = folded.split(' ').collect();
    LEGAL_FORMS
        .iter()
        .find(|(written, token)| *written == words.as_slice() || folded == *token)
        .map(|(_, token)| *token)
}

/// `McDonald's` is one word for whoever looks for it.
fn without_apostrophes(raw: &str) -> String {
    raw.replace(['\'', '’', '‘', '`', '´', 'ʼ'], "")
}

/// The first word of a name key, by which similar names are looked for.
#[must_use]
pub fn first_word(key: &str) -> &str {
    key.split(' ').next().unwrap_or_default()
}

/// How alike two names are: 1.0 for equal keys, at least 0.97 where only one of them names its legal form, less than
/// 0.95 otherwise.
#[must_use]
pub fn similarity(a: &str, b: &str) -> f64 {
    FoldedName::of(a).similarity(&FoldedName::of(b))
}

fn words_and_form(name: &str) -> (String, Option<&'static str>) {
    let folded = fold(name);
    let mut words: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).collect();
    let mut form = None;
    // A remark may stand behind the form and before it.
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

/// Whether the words end with these and something stands before them.
fn ends_with(words: &[&str], end: &[&str]) -> bool {
    words.len() > end.len() && words.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_of_writing_one_name_share_a_key() {
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
    fn words_have_each_form_as_one_token_and_no_apostrophes() {
        assert_eq!(
            words("Vzorová firma, spol. s r. o. v likvidácii"),
            ["vzorova", "firma", "sro", "v", "likvidacii"]
        );
        assert_eq!(words("A. S."), ["a", "s"]);
        assert_eq!(words("O'Neill’s a.s."), ["oneills", "as"]);
        assert!(words("…").is_empty());
    }

    #[test]
    fn a_form_that_is_being_typed_is_known_by_its_beginning() {
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
    fn forms_have_one_token_however_they_are_written() {
        for form in [
            "s.r.o.",
            "spol. s r.o.",
            "sro",
            "Spoločnosť s ručením obmedzeným",
        ] {
            assert_eq!(form_token(form), Some("sro"), "{form}");
        }
        assert_eq!(form_token("Živnostník"), None);
    }

    #[test]
    fn other_forms_and_other_names_are_less_than_equal() {
        assert!((similarity("Vzor s.r.o.", "VZOR, spol. s r. o.") - 1.0).abs() < f64::EPSILON);
        assert!(similarity("Vzor s.r.o.", "Vzor") > 0.96);
        assert!(similarity("Vzor s.r.o.", "Vzor, a.s.") < 0.95);
        assert!(similarity("Vzor s.r.o.", "Vzorka s.r.o.") < 0.95);
        assert!(similarity("", "Vzor").abs() < f64::EPSILON);
    }
}
