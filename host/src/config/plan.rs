//! What accounts on a plan may do.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What accounts on a plan may do.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// The scopes of the plan; `["all"]`, the default, for every one there is or will be.
    pub scopes: Vec<String>,
    /// Whether it includes batches. Default true.
    pub batch: bool,
    /// The most items of a batch, each counted once. Default 100.
    pub batch_items: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            scopes: vec!["all".to_owned()],
            batch: true,
            batch_items: 100,
        }
    }
}

impl Plan {
    /// Whether the plan includes a scope.
    #[must_use]
    pub fn includes(&self, scope: &str) -> bool {
        self.scopes
            .iter()
            .any(|included| included == "all" || included == scope)
    }
}

/// The plans of settings that name none.
pub(super) fn defaults() -> BTreeMap<String, Plan> {
    let plan = |scopes: &[&str], batch_items| Plan {
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        batch_items,
        ..Plan::default()
    };
    let free = Plan {
        batch: false,
        ..plan(&["tax", "erased_vat", "tax_reliability"], 100)
    };
    let starter = [
        "tax",
        "erased_vat",
        "tax_reliability",
        "bank_accounts",
        "debtor_status",
        "contacts",
        "financials",
    ];
    BTreeMap::from([
        ("free".to_owned(), free),
        ("starter".to_owned(), plan(&starter, 100)),
        ("business".to_owned(), plan(&["all"], 1_000)),
        ("enterprise".to_owned(), plan(&["all"], 10_000)),
    ])
}
