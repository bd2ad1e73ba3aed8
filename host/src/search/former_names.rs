//! Former names: what a company was called before, from a fact of its base register.

use tantivy::Searcher;
use tantivy::schema::Field;

use crate::names;
use crate::store::CompanyToFind;

/// The fact with the former names of a company: a JSON list of texts, newest first.
pub const FORMER_NAMES: &str = "former_names";

/// Maximum former names of a company that are indexed.
pub const MAX_NAMES: usize = 20;

/// The former names of a company, newest first, without those that are the current one in another spelling.
pub fn former_names(company: &CompanyToFind) -> Vec<String> {
    let facts = company.facts.as_deref();
    let facts = facts.and_then(|facts| serde_json::from_str::<serde_json::Value>(facts).ok());
    let listed = facts
        .as_ref()
        .and_then(|facts| facts.get(FORMER_NAMES)?.as_str());
    let listed = listed.and_then(|listed| serde_json::from_str::<Vec<String>>(listed).ok());
    let current = names::name_key(&company.name);
    let mut former = listed.unwrap_or_default();
    former.retain(|name| {
        let key = names::name_key(name);
        !key.is_empty() && key != current
    });
    former.truncate(MAX_NAMES);
    former
}

/// Separates the word from the number in a term. No word contains it.
const SEPARATOR: char = '#';

/// The term of a word or a prefix in a company's former name with this number.
pub fn mark(number: usize, word: &str) -> String {
    format!("{word}{SEPARATOR}{number}")
}

/// Numbers of former names as bits of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers(u32);

impl Numbers {
    pub const ALL: Self = Self(u32::MAX >> (u32::BITS as usize - MAX_NAMES));

    /// The numbers under which a field of an index has a word or a prefix.
    pub fn of_word(searcher: &Searcher, field: Field, word: &str) -> tantivy::Result<Self> {
        let start = format!("{word}{SEPARATOR}");
        let mut numbers = 0;
        for segment in searcher.segment_readers() {
            let index = segment.inverted_index(field)?;
            let mut terms = index.terms().range().ge(&start).into_stream()?;
            while terms.advance() {
                let Some(number) = terms.key().strip_prefix(start.as_bytes()) else {
                    break;
                };
                let number = std::str::from_utf8(number).ok();
                let bit = number.and_then(|number| 1_u32.checked_shl(number.parse().ok()?));
                numbers |= bit.unwrap_or_default();
            }
        }
        Ok(Self(numbers))
    }

    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MAX_NAMES).filter(move |number| self.0 >> number & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::CompanyStatus;

    #[test]
    fn current_name_in_another_spelling_is_no_former_name() {
        let company = CompanyToFind {
            ico: "99999994".to_owned(),
            name: "Mlyn, s. r. o.".to_owned(),
            city: None,
            legal_form: None,
            legal_form_code: None,
            status: CompanyStatus::Active,
            nace_code: None,
            established_date: None,
            facts: Some(
                serde_json::json!({FORMER_NAMES: "[\"MLYN spol. s r.o.\",\"Pekáreň, s. r. o.\",\"...\"]"})
                    .to_string(),
            ),
            revision: 1,
        };
        assert_eq!(former_names(&company), ["Pekáreň, s. r. o."]);
        for damaged in [None, Some("{"), Some("{\"former_names\":\"x\"}")] {
            let facts = damaged.map(str::to_owned);
            let company = CompanyToFind {
                facts,
                ..company.clone()
            };
            assert_eq!(former_names(&company), Vec::<String>::new());
        }
    }
}
