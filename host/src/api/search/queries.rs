//! Parameters of the search endpoints.

use crate::api::parameters::parameters;
use crate::api::parameters::types::{
    Date, Digits, NaceCode, OneOf, Searched, SearchedIfAny, Switch, Text, Whole, Words,
};
use crate::api::query::ParameterReader;
use crate::search::{Filters, Page, SearchCriteria};
use crate::store::CompanyStatus;

/// Maximum `limit` of autocomplete.
const MAX_SUGGESTIONS: u64 = 20;
/// Maximum `page` of autocomplete.
const MAX_PAGE: u64 = 0xffff_ffff;
/// Maximum `limit` of a search.
const MAX_COMPANIES: u64 = 100;
/// Maximum `offset` of a search: the maximum of the signed 64-bit integer that the OpenAPI document declares.
const MAX_OFFSET: u64 = i64::MAX.unsigned_abs();

/// The filters of the advanced search. One at least is required.
const FILTERS: [&str; 7] = [
    "name",
    "city",
    "legal_form",
    "status",
    "nace_code",
    "established_from",
    "established_to",
];

/// The requests that Select2 distinguishes, both answered alike.
pub(in crate::api) struct Select2Type;

impl Words for Select2Type {
    type Value = ();
    const WORDS: &'static [(&'static str, ())] = &[("query", ()), ("query:append", ())];
}

impl Words for CompanyStatus {
    type Value = Self;
    const WORDS: &'static [(&'static str, Self)] = &[
        ("active", Self::Active),
        ("terminated", Self::Terminated),
        ("deleted", Self::Deleted),
    ];
}

parameters! {
    pub(in crate::api) struct TypingQuery in Query checked by term_is_q {
        /// The text typed so far, at least 2 characters.
        q: Searched<2>,
        /// Maximum number of results, 1 to 20. Default 10.
        limit: Whole<1, MAX_SUGGESTIONS, 10>,
        /// Page of that size, counted from 1. Default 1.
        page: Whole<1, MAX_PAGE, 1> [implementation_defined],
        /// Sent by Select2: the same text as `q`.
        _term as "term": Text [implementation_defined],
        /// Sent by Select2: `query` or `query:append`. Has no effect.
        _type: OneOf<Select2Type> [implementation_defined],
    }
}

fn term_is_q(given: &mut ParameterReader) {
    if given.trimmed("term").is_some() && given.trimmed("term") != given.trimmed("q") {
        given.refuse("term", "it must be the same as q");
    }
}

impl TypingQuery {
    pub(in crate::api) fn search(self) -> (SearchCriteria, Page) {
        let criteria = SearchCriteria {
            name: Some(self.q),
            ..SearchCriteria::default()
        };
        let offset = (self.page - 1).saturating_mul(self.limit);
        (criteria, page_of(self.limit, offset))
    }
}

parameters! {
    pub(super) struct NameQuery in Query {
        /// The name or its beginning, at least 3 characters. Matched as in autocomplete.
        q: Searched<3>,
        /// 1 matches complete names only; the spelling of the legal form is still ignored. Default 0.
        exact: Switch,
        /// Maximum number of companies, 1 to 100. Default 10.
        limit: Whole<1, MAX_COMPANIES, 10>,
        /// Number of companies to skip. Default 0.
        offset: Whole<0, MAX_OFFSET, 0>,
    }
}

parameters! {
    pub(super) struct IcoQuery in Query {
        /// 1 to 8 consecutive digits from anywhere in the number. Spaces are ignored.
        q: Digits,
        /// Maximum number of companies, 1 to 100. Default 10.
        limit: Whole<1, MAX_COMPANIES, 10>,
        /// Number of companies to skip. Default 0.
        offset: Whole<0, MAX_OFFSET, 0>,
    }
}

parameters! {
    pub(super) struct AdvancedQuery in Query checked by is_filtered {
        /// The name or its beginning, at least 2 characters. Matched as in autocomplete.
        name: SearchedIfAny<2>,
        /// Words of the city's name.
        city: SearchedIfAny<1>,
        /// Legal form: its code (`112`), abbreviation (`s.r.o.`) or words of its name (`družstvo`).
        legal_form: SearchedIfAny<1>,
        /// Status: `active`, `terminated` or `deleted`.
        status: OneOf<CompanyStatus> [implementation_defined],
        /// NACE code of the main activity or its beginning, with or without dots.
        nace_code: NaceCode [implementation_defined],
        /// Earliest date of establishment, `YYYY-MM-DD`.
        established_from: Date [implementation_defined],
        /// Latest date of establishment, `YYYY-MM-DD`.
        established_to: Date [implementation_defined],
        /// Maximum number of companies, 1 to 100. Default 10.
        limit: Whole<1, MAX_COMPANIES, 10>,
        /// Number of companies to skip. Default 0.
        offset: Whole<0, MAX_OFFSET, 0>,
    }
}

fn is_filtered(given: &mut ParameterReader) {
    let [from, to] = ["established_from", "established_to"].map(|name| {
        let text = given.text(name);
        text.filter(|text| Date::is_date(text))
    });
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        given.refuse("established_to", "it lies before established_from");
    }
    // A mistyped parameter name is the more likely mistake; report it alone.
    if given.is_right() && FILTERS.iter().all(|name| !given.is_given(name)) {
        for name in FILTERS {
            given.refuse(name, "one filter at least is required");
        }
    }
}

impl AdvancedQuery {
    pub(super) fn criteria(self) -> SearchCriteria {
        SearchCriteria {
            name: self.name,
            filters: Filters {
                city: self.city,
                legal_form: self.legal_form,
                status: self.status,
                nace_code: self.nace_code,
                established_from: self.established_from,
                established_to: self.established_to,
            },
            ..SearchCriteria::default()
        }
    }
}

/// The part of a result that a request wants, for the index.
pub(super) fn page_of(limit: u64, offset: u64) -> Page {
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Page {
        limit: size(limit),
        offset: size(offset),
    }
}
