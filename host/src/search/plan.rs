//! Translates a request into queries, in the order of their results.
//!
//! Each **tier** is a separate query. All its companies rank before those of the next tier, and no company is in two
//! tiers: first the whole name, then names that begin with the first word, then names that contain the words. Each of
//! these has active companies first. Former names follow in the same way. The documents of the index are sorted by
//! rank, so the best twenty of a hundred thousand matches of a tier are found without reading the others.

mod former;

use tantivy::query::{AllQuery, BooleanQuery, FuzzyTermQuery, Query};
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use super::collect::{Digits, SortOrder};
use super::document::cut;
use super::filters::Filters;
use super::queries::{all_but, all_of, has};
use super::schema::{Fields, NameFields};
use crate::names;
use crate::store::CompanyStatus;
pub use former::{Former, matched_former_name};

/// Shorter words are not searched with typos: with one letter changed they are other words.
const SHORTEST_WITH_TYPO: usize = 4;

/// Maximum words of a query; further words hardly narrow the result.
const MAX_WORDS: usize = 16;

/// A search request. All given criteria must match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// A name or the beginning of one.
    pub name: Option<String>,
    /// Whether the name must match completely; spellings of the legal form are equal.
    pub exact: bool,
    /// Digits of the registration number.
    pub ico: Option<String>,
    pub filters: Filters,
}

/// A query and the sort order of its results.
pub struct Tier {
    pub query: Box<dyn Query>,
    pub order: SortOrder,
    /// Whether it finds companies by their former names.
    pub is_former: bool,
}

/// The tiers of a request.
pub struct QueryPlan {
    /// Tiers for current facts and names as typed.
    pub current: Vec<Tier>,
    /// What follows for names if these find too few matches.
    pub rest: Option<Rest>,
}

/// Builds the plan of a request for the current state of the index.
pub fn plan(wanted: &Wanted, fields: &Fields, searcher: &Searcher) -> tantivy::Result<QueryPlan> {
    let filters = wanted.filters.queries(fields);
    if let Some(digits) = &wanted.ico {
        return Ok(by_number(digits, filters, fields));
    }
    let Some(name) = &wanted.name else {
        return Ok(by_facts(&filters, fields));
    };
    let typed = Typed::read(name);
    if typed.words.is_empty() {
        return Ok(QueryPlan {
            current: Vec::new(),
            rest: None,
        });
    }
    let mut whole = Vec::new();
    let keys: &[Field] = if wanted.exact {
        &[fields.key]
    } else {
        &[fields.key, fields.bare]
    };
    for field in keys {
        let term = Term::from_field_text(*field, &typed.key);
        if searcher.doc_freq(&term)? > 0 {
            whole.push(has(*field, &typed.key));
        }
    }
    let mut current = Vec::new();
    if !whole.is_empty() {
        let any: Box<dyn Query> = Box::new(BooleanQuery::union(cloned(&whole)));
        let active = || has(fields.status, CompanyStatus::Active.word());
        let both = [
            all_of(and(vec![any.box_clone(), active()], &filters)),
            all_but(and(vec![any], &filters), vec![active()]),
        ];
        current.extend(both.map(ranked));
    }
    let states = [&fields.active, &fields.ended];
    if !wanted.exact {
        for names in states {
            for reading in typed.readings(1, names) {
                let queries = and(vec![typed.first(names)], &reading.all);
                let mut none = cloned(&whole);
                none.extend(reading.none);
                current.push(ranked(all_but(and(queries, &filters), none)));
            }
        }
        for names in states {
            for reading in typed.readings(0, names) {
                let mut none = cloned(&whole);
                none.extend(reading.none);
                none.push(typed.first(names));
                current.push(ranked(all_but(and(reading.all, &filters), none)));
            }
        }
    }
    Ok(QueryPlan {
        current,
        rest: Some(Rest {
            typed,
            exact: wanted.exact,
            filters,
            whole,
        }),
    })
}

/// Former names and names with typos. Their queries are built only if they are needed, because finding out which terms
/// of former names exist takes longer than most searches.
pub struct Rest {
    typed: Typed,
    exact: bool,
    filters: Vec<Box<dyn Query>>,
    /// Queries for the whole current name.
    whole: Vec<Box<dyn Query>>,
}

impl Rest {
    /// Tiers of former names, without companies that have the name now.
    pub fn former(&self, fields: &Fields, searcher: &Searcher) -> tantivy::Result<Former> {
        let mut current = cloned(&self.whole);
        if !self.exact {
            for names in [&fields.active, &fields.ended] {
                let readings = self.typed.readings(0, names).into_iter();
                current.extend(readings.map(|reading| all_of(reading.all)));
            }
        }
        let (typed, filters) = (&self.typed, &self.filters);
        former::tiers(typed, self.exact, filters, &current, fields, searcher)
    }

    /// Tiers of names with a typo, without the matches of the tiers before. If those found something, words that at
    /// least `enough` names contain count as correct.
    pub fn with_typos(
        &self,
        former: &Former,
        found: u64,
        enough: u64,
        fields: &Fields,
        searcher: &Searcher,
    ) -> tantivy::Result<Vec<Tier>> {
        if self.exact {
            return Ok(Vec::new());
        }
        let states = [&fields.active, &fields.ended];
        let mut right = Vec::new();
        for at in 0..self.typed.words.len() {
            let mut names_with_it = 0;
            for names in states {
                let (field, text) = self.typed.term(at, names);
                names_with_it += searcher.doc_freq(&Term::from_field_text(field, text))?;
            }
            right.push(found > 0 && names_with_it >= enough);
        }
        let mut tiers = Vec::new();
        for names in states {
            let Some(words) = self.typed.with_typos(names, &right) else {
                break;
            };
            let plain = self.typed.readings(0, names).into_iter();
            let plain: Vec<_> = plain.map(|reading| all_of(reading.all)).collect();
            for form in self.typed.readings(words.len(), names) {
                let mut none = cloned(&plain);
                none.extend(cloned(&former.all));
                none.extend(form.none);
                let queries = and(and(cloned(&words), &form.all), &self.filters);
                tiers.push(ranked(all_but(queries, none)));
            }
        }
        Ok(tiers)
    }
}

pub(super) fn ranked(query: Box<dyn Query>) -> Tier {
    Tier {
        query,
        order: SortOrder::Rank,
        is_former: false,
    }
}

pub(super) fn cloned(queries: &[Box<dyn Query>]) -> Vec<Box<dyn Query>> {
    queries.iter().map(|query| query.box_clone()).collect()
}

pub(super) fn and(
    mut queries: Vec<Box<dyn Query>>,
    more: &[Box<dyn Query>],
) -> Vec<Box<dyn Query>> {
    queries.extend(cloned(more));
    queries
}

/// Numbers that begin with the digits, then numbers that contain them later.
fn by_number(digits: &str, filters: Vec<Box<dyn Query>>, fields: &Fields) -> QueryPlan {
    let mut queries: Vec<Box<dyn Query>> = (0..digits.len().saturating_sub(2))
        .filter_map(|at| digits.get(at..at + 3))
        .map(|three| has(fields.digits, three))
        .collect();
    if queries.is_empty() {
        queries.push(Box::new(AllQuery));
    }
    queries.extend(filters);
    let query = all_of(queries);
    let tier = |digits: Digits| Tier {
        query: query.box_clone(),
        order: SortOrder::Number(digits),
        is_former: false,
    };
    QueryPlan {
        current: vec![
            tier(Digits::AtBeginning(digits.to_owned())),
            tier(Digits::Inside(digits.to_owned())),
        ],
        rest: None,
    }
}

/// All companies that match the filters, active ones first.
fn by_facts(filters: &[Box<dyn Query>], fields: &Fields) -> QueryPlan {
    let active = || has(fields.status, CompanyStatus::Active.word());
    let everything: Box<dyn Query> = Box::new(AllQuery);
    let current = vec![
        ranked(all_of(and(vec![active()], filters))),
        ranked(all_but(and(vec![everything], filters), vec![active()])),
    ];
    QueryPlan {
        current,
        rest: None,
    }
}

/// One interpretation of the typed words.
struct Reading {
    /// Queries that must all match.
    all: Vec<Box<dyn Query>>,
    /// Queries that must not match.
    none: Vec<Box<dyn Query>>,
}

/// A name as typed so far.
pub(super) struct Typed {
    words: Vec<String>,
    /// How many of the last words may be the beginning of a legal form, and the possible forms.
    form: (usize, Vec<&'static str>),
    pub(super) key: String,
}

impl Typed {
    pub(super) fn read(text: &str) -> Self {
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
    pub(super) fn former_readings(&self) -> Vec<Vec<(String, bool)>> {
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
    fn first(&self, names: &NameFields) -> Box<dyn Query> {
        let word = &self.words[0];
        if self.words.len() == 1 {
            has(names.first_prefix, cut(word))
        } else {
            has(names.first_word, word)
        }
    }

    /// Interpretations of the words from `start` on: as words of the name, or with the last ones as the beginning of a
    /// legal form. Each one excludes the matches of those before it.
    fn readings(&self, start: usize, names: &NameFields) -> Vec<Reading> {
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
    fn term(&self, at: usize, names: &NameFields) -> (Field, &str) {
        let word = &self.words[at];
        if at + 1 == self.words.len() {
            (names.prefix, cut(word))
        } else {
            (names.word, word)
        }
    }

    /// Queries for the words. Words that are not known to be correct may have one letter added, removed, changed or
    /// swapped with the next. `None` if no word may have a typo.
    fn with_typos(&self, names: &NameFields, right: &[bool]) -> Option<Vec<Box<dyn Query>>> {
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
