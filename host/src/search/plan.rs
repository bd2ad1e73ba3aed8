//! Translates a request into queries, in the order of their results.
//!
//! Each **tier** has a query of its own. All its companies rank before those of the next tier, and no company is in two
//! tiers: first the whole name, then names that begin with the first word, then names that contain the words. Each of
//! these has active companies first. Former names follow in the same way. The documents of the index are sorted by
//! rank, so the best twenty of a hundred thousand matches of a tier are found without reading the others. Two tiers of
//! few companies are found in one pass over both ([`WithWords`]).

mod former;
mod typed;

use tantivy::query::{AllQuery, BooleanQuery, Query};
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use super::collect::{Digits, SortOrder};
use super::filters::Filters;
use super::queries::{all_but, all_of, has};
use super::schema::Fields;
use crate::store::CompanyStatus;
pub use former::{Former, matched_former_name};
pub use typed::Typed;

/// A search request. All given criteria must match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchCriteria {
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
    /// Tiers for facts, numbers and whole names.
    pub current: Vec<Tier>,
    /// Names with the typed words. First all their upper tiers follow, then all their lower ones.
    pub with_words: Vec<WithWords>,
    /// What follows for names if these find too few matches.
    pub rest: Option<Rest>,
}

/// Names of active or of ended companies that contain the typed words in one reading. Those that begin with the first
/// word are the **upper** tier, the others are the **lower** one.
pub struct WithWords {
    /// Queries for all words, and the filters.
    all: Vec<Box<dyn Query>>,
    /// The same without the first word.
    further: Vec<Box<dyn Query>>,
    /// Query for names that begin with the first word.
    pub first: Box<dyn Query>,
    /// Queries for the matches of tiers before these.
    none: Vec<Box<dyn Query>>,
}

impl WithWords {
    /// Query for both tiers.
    pub fn both(&self) -> Box<dyn Query> {
        all_but(cloned(&self.all), cloned(&self.none))
    }

    pub fn upper(&self) -> Tier {
        let queries = and(vec![self.first.box_clone()], &self.further);
        ranked(all_but(queries, cloned(&self.none)))
    }

    pub fn lower(&self) -> Tier {
        let none = and(cloned(&self.none), &[self.first.box_clone()]);
        ranked(all_but(cloned(&self.all), none))
    }
}

/// Builds the plan of a request for the current state of the index.
pub fn plan(
    criteria: &SearchCriteria,
    fields: &Fields,
    searcher: &Searcher,
) -> tantivy::Result<QueryPlan> {
    let filters = criteria.filters.queries(fields);
    if let Some(digits) = &criteria.ico {
        return Ok(by_number(digits, filters, fields));
    }
    let Some(name) = &criteria.name else {
        return Ok(by_facts(&filters, fields));
    };
    let typed = Typed::read(name);
    if typed.words.is_empty() {
        return Ok(QueryPlan {
            current: Vec::new(),
            with_words: Vec::new(),
            rest: None,
        });
    }
    let mut whole = Vec::new();
    let keys: &[Field] = if criteria.exact {
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
    let mut with_words = Vec::new();
    if !criteria.exact {
        for names in [&fields.active, &fields.ended] {
            let readings = typed.readings(0, names).into_iter();
            for (reading, further) in readings.zip(typed.readings(1, names)) {
                let mut none = cloned(&whole);
                none.extend(reading.none);
                with_words.push(WithWords {
                    all: and(reading.all, &filters),
                    further: and(further.all, &filters),
                    first: typed.first(names),
                    none,
                });
            }
        }
    }
    Ok(QueryPlan {
        current,
        with_words,
        rest: Some(Rest {
            typed,
            exact: criteria.exact,
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
        with_words: Vec::new(),
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
        with_words: Vec::new(),
        rest: None,
    }
}
