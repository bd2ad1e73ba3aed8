//! The filter of the companies that a scope or a company source applies to.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A filter of companies. An empty filter includes all.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliesTo {
    /// Prefixes of the NACE code, one of which must match.
    #[serde(default)]
    pub nace_prefixes: Option<Vec<String>>,
    /// Allowed values of facts in the base record.
    #[serde(default)]
    pub facts: BTreeMap<String, Vec<String>>,
}

impl AppliesTo {
    /// Whether a company with this activity and these facts is included. Unknown facts do not exclude it. An unknown
    /// activity does, because registers of licensed trades apply only where the trade is known.
    #[must_use]
    pub fn includes(&self, nace_code: Option<&str>, facts: &BTreeMap<String, String>) -> bool {
        if let Some(prefixes) = &self.nace_prefixes {
            let Some(code) = nace_code else { return false };
            if !prefixes
                .iter()
                .any(|prefix| code.starts_with(prefix.as_str()))
            {
                return false;
            }
        }
        self.facts
            .iter()
            .all(|(name, values)| facts.get(name).is_none_or(|value| values.contains(value)))
    }
}
