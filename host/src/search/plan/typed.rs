//! A name as typed so far, and what its words may mean.

use tantivy::Term;
use tantivy::query::{FuzzyTermQuery, Query};
use tantivy::schema::Field;

use super::{and, cloned};
use crate::names;
use crate::search::document::cut;
use crate::search::queries::{all_of, has};
use crate::search::schema::NameFields;

/// Shorter words are not searched with typos: with one letter changed they are other words.
const SHORTEST_WITH_TYPO: usize = 4;

/// Maximum words of a query; further words hardly narrow the result.
const MAX_WORDS: usize = 16;

/// One interpretation of the typed words.
pub struct Reading {
    /// Queries that must all match.
    pub all: Vec<Box<dyn Query>>,
    /// Queries that must not match.
    pub none: Vec<Box<dyn Query>>,
}

/// A name as typed so far.
pub struct Typed {
    pub words: Vec<String>,
    /// How many of the last words may be the beginning of a legal form, and the possible forms.
    form: (usize, Vec<&'static str>),
    pub key: String,
}

impl Typed {
    pub fn read(text: &str) -> Self {
        let mut words = names::words_so_far(text);
        words.truncate(MAX_WORDS);
        let mut form = names::forms_begun_by(&words);
        if form.0 == 1 {
            // A form whose token begins with the last word is found by that word's prefix already.
            let last = words.last().map(String::as_str).unwrap_or_default();
            form.1.retain(|token| !token.starts_with(last));
        }
        if form.1.is_empty() {
            form.0 = 0;
        }
        Self {
            words,
            form,
            key: names::name_key(text),
        }
    }

    /// The typed words as they stand in a former name, and whether each is a prefix: as words, or with the last ones as
    /// the beginning of a legal form.
    pub fn former_readings(&self) -> Vec<Vec<(String, bool)>> {
        let last = self.words.len().saturating_sub(1);
        let word = |(at, word): (usize, &String)| (word.clone(), at == last);
        let mut readings = vec![self.words.iter().enumerate().map(word).collect::<Vec<_>>()];
        let (count, forms) = &self.form;
        let before = &self.words[..self.words.len() - count];
        readings.extend(forms.iter().map(|token| {
            let words = before.iter().map(|word| (word.clone(), false));
            words.chain([((*token).to_owned(), false)]).collect()
        }));
        readings
    }

    /// The first typed word as the first word of the name.
    pub fn first(&self, names: &NameFields) -> Box<dyn Query> {
        let word = &self.words[0];
        if self.words.len() == 1 {
            has(names.first_prefix, cut(word))
        } else {
            has(names.first_word, word)
        }
    }

    /// Interpretations of the words from `start` on: as words of the name, or with the last ones as the beginning of a
    /// legal form. Each one excludes the matches of those before it.
    pub fn readings(&self, start: usize, names: &NameFields) -> Vec<Reading> {
        let (count, forms) = &self.form;
        let begin_of_form = self.words.len() - count;
        let before: Vec<_> = (start..begin_of_form)
            .map(|at| self.word(at, names))
            .collect();
        let last: Vec<_> = (begin_of_form.max(start)..self.words.len())
            .map(|at| self.word(at, names))
            .collect();
        let mut readings = vec![Reading {
            all: and(cloned(&before), &last),
            none: Vec::new(),
        }];
        let mut none = Vec::new();
        if !forms.is_empty() {
            let last = begin_of_form..self.words.len();
            none.push(all_of(last.map(|at| self.word(at, names)).collect()));
        }
        for token in forms {
            let form = has(names.word, token);
            readings.push(Reading {
                all: and(cloned(&before), &[form.box_clone()]),
                none: cloned(&none),
            });
            none.push(form);
        }
        readings
    }

    fn word(&self, at: usize, names: &NameFields) -> Box<dyn Query> {
        let (field, text) = self.term(at, names);
        has(field, text)
    }

    /// The field and text for a word; the last word is searched as a prefix.
    pub fn term(&self, at: usize, names: &NameFields) -> (Field, &str) {
        let word = &self.words[at];
        if at + 1 == self.words.len() {
            (names.prefix, cut(word))
        } else {
            (names.word, word)
        }
    }

    /// Queries for the words. Words that are not known to be correct may have one letter added, removed, changed or
    /// swapped with the next. `None` if no word may have a typo.
    pub fn with_typos(&self, names: &NameFields, right: &[bool]) -> Option<Vec<Box<dyn Query>>> {
        let (count, _) = self.form;
        let words = self.words.len() - count;
        let may_be_wrong =
            |at: &usize| !right[*at] && self.words[*at].chars().count() >= SHORTEST_WITH_TYPO;
        if !(0..words).any(|at| may_be_wrong(&at)) {
            return None;
        }
        let queries = (0..words)
            .map(|at| {
                if !may_be_wrong(&at) {
                    return self.word(at, names);
                }
                let (field, text) = self.term(at, names);
                let term = Term::from_field_text(field, text);
                Box::new(FuzzyTermQuery::new(term, 1, true)) as Box<dyn Query>
            })
            .collect();
        Some(queries)
    }
}
