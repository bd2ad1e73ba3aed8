//! A name split into words that can be compared.

use std::collections::BTreeSet;

use super::forms::{self, Form};
use super::letters::latin;
use super::sounds::sound;
use super::words::{Class, class, is_small, number, tens};

/// Titles of persons. They are not part of the name.
const TITLES: &[&str] = &[
    "ing", "mgr", "mudr", "judr", "phdr", "rndr", "bc", "dr", "prof", "doc", "phd", "csc", "mba",
    "mr", "mrs", "ms", "pan", "pani", "gen", "col",
];

/// Particles of persons' names. Lists write them in many ways or omit them.
const PARTICLES: &[&str] = &[
    "al", "el", "ul", "bin", "ben", "ibn", "bint", "de", "del", "van", "von", "der", "da", "di",
    "dos", "la", "le",
];

/// A word of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// In lower-case Latin letters.
    pub text: String,
    /// The sound of the word; the digits of a number.
    pub sound: String,
    /// The class that decides the weight.
    pub class: Class,
}

impl Word {
    fn of(text: &str) -> Self {
        let sounded = number(text).unwrap_or_else(|| sound(text));
        Self {
            class: class(text, &sounded),
            text: text.to_owned(),
            sound: sounded,
        }
    }

    /// The weight of the word: 1 for a word that few names have.
    #[must_use]
    pub fn weight(&self) -> f64 {
        match self.class {
            Class::Distinctive if self.text.chars().count() < 3 => 0.7,
            Class::Distinctive => 1.0,
            Class::Generic(_) | Class::Place(_) => 0.25,
            Class::Number => 0.5,
        }
    }

    /// Whether few names contain the word.
    #[must_use]
    pub fn is_distinctive(&self) -> bool {
        self.class == Class::Distinctive
    }
}

/// The most words of a name. Longer texts are cut, to limit the cost.
const MAX_WORDS: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The words in order, without the legal form and without small words.
    pub words: Vec<Word>,
    /// The legal form, if the name has one.
    pub form: Option<Form>,
}

impl Name {
    #[must_use]
    pub fn of(raw: &str) -> Self {
        let (words, form) = forms::take_off(&latin(raw));
        let mut words = meaningful(&numbered(joined(words)));
        words.truncate(MAX_WORDS);
        Self { words, form }
    }

    /// Parses a person's name, in which legal forms and small words are names too.
    #[must_use]
    pub fn of_person(raw: &str) -> Self {
        let words = latin(&parted(raw));
        let is_left_out = |word: &str| TITLES.contains(&word) || PARTICLES.contains(&word);
        let mut seen = BTreeSet::new();
        let named: Vec<&String> = words
            .iter()
            .filter(|word| !is_left_out(word) && seen.insert(word.as_str()))
            .collect();
        let named = match named.is_empty() {
            true => words.iter().collect(),
            false => named,
        };
        let word = |text: &String| Word {
            text: text.clone(),
            sound: sound(text),
            class: Class::Distinctive,
        };
        Self {
            words: named.into_iter().take(MAX_WORDS).map(word).collect(),
            form: None,
        }
    }

    /// The words that few names contain.
    pub fn distinctive(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| word.is_distinctive())
    }

    #[must_use]
    pub fn numbers(&self) -> BTreeSet<&str> {
        let numbers = self.words.iter().filter(|word| word.class == Class::Number);
        numbers.map(|word| word.sound.as_str()).collect()
    }

    /// The whole name in Latin letters, for comparison as one text.
    #[must_use]
    pub fn folded(&self) -> String {
        let texts: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        texts.join(" ")
    }
}

/// Whether a name is a company's by its legal form. Lists give a few companies as persons.
#[must_use]
pub fn is_of_company(raw: &str) -> bool {
    forms::is_of_company(&latin(raw))
}

/// Separates names of a person that are written together: `ZofiaPapradova`. Shorter texts are titles, such as `PhD`.
fn parted(raw: &str) -> String {
    let letters: Vec<char> = raw.chars().collect();
    let is_small = |place: usize| {
        letters
            .get(place)
            .is_some_and(|letter| letter.is_lowercase())
    };
    let mut parted = String::with_capacity(raw.len());
    for (place, letter) in letters.iter().enumerate() {
        let is_behind_name = place > 0 && is_small(place - 1);
        if is_behind_name && letter.is_uppercase() && is_small(place + 1) && is_small(place + 2) {
            parted.push(' ');
        }
        parted.push(*letter);
    }
    parted
}

/// Joins successive single letters, which are an abbreviation: `I. B. M.`
fn joined(words: Vec<String>) -> Vec<String> {
    let is_letter = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    };
    let mut all: Vec<String> = Vec::with_capacity(words.len());
    let mut run = String::new();
    for word in words {
        if is_letter(&word) {
            run.push_str(&word);
            continue;
        }
        if !run.is_empty() {
            all.push(std::mem::take(&mut run));
        }
        all.push(word);
    }
    if !run.is_empty() {
        all.push(run);
    }
    all
}

/// Joins numbers of two words, and converts a final `I`, which counts as a digit: `Fund I`.
fn numbered(words: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(words.len());
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let Some((digits, takes_next)) = tens(&word, words.peek().map(String::as_str)) else {
            all.push(word);
            continue;
        };
        all.push(digits);
        if takes_next {
            words.next();
        }
    }
    if let [.., before, last] = all.as_mut_slice()
        && last == "i"
        && before.len() > 2
    {
        "1".clone_into(last);
    }
    all
}

/// Removes small words unless there are no others. A letter at the beginning or the end is not a conjunction.
fn meaningful(words: &[String]) -> Vec<Word> {
    let last = words.len().saturating_sub(1);
    let is_outer_letter =
        |place: usize, word: &str| (place == 0 || place == last) && word.len() == 1;
    let kept: Vec<Word> = words
        .iter()
        .enumerate()
        .filter(|(place, word)| is_outer_letter(*place, word) || !is_small(word))
        .map(|(_, word)| Word::of(word))
        .collect();
    if kept.is_empty() {
        return words.iter().map(|word| Word::of(word)).collect();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_legal_forms_and_small_words() {
        for (raw, folded, form) in [
            (
                "Kvapkovín & synovia, v.o.s.",
                "kvapkovin synovia",
                Some(Form::Partnership),
            ),
            (
                "A. B. C. Vzor and Sons Ltd",
                "abc vzor sons",
                Some(Form::Limited),
            ),
            ("Tri čmele 007", "tri cmele 007", None),
            ("The Of", "the of", None),
            ("Vzor Forty-Four", "vzor 44", None),
            ("Vzor Fond I, s.r.o.", "vzor fond 1", Some(Form::Limited)),
            ("", "", None),
        ] {
            let name = Name::of(raw);
            assert_eq!((name.folded().as_str(), name.form), (folded, form), "{raw}");
        }
        assert_eq!(Name::of("Vzor 007").numbers(), BTreeSet::from(["7"]));
        assert_eq!(Name::of("Tri Vzory").numbers(), BTreeSet::from(["3"]));
        assert_eq!(
            Name::of_person("Ing. Žofia Papraďová, PhD.").folded(),
            "zofia papradova"
        );
        assert_eq!(
            Name::of_person("ŽofiaPapraďová Papraďová bint al-Ján").folded(),
            "zofia papradova jan"
        );
    }
}
