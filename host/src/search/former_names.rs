//! Former names: what a company was called before, from a fact of its base register.

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

/// The term of a word or a prefix in a company's former name with this number.
pub fn mark(number: usize, word: &str) -> String {
    format!("{number}#{word}")
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
