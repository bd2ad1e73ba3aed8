//! Amounts of a notice with their currency. Nothing is converted.

use lustra_sdk::Notes;
use lustra_sdk::amount;
use serde::{Deserialize, Serialize};

use crate::component::Component;

/// An amount in a currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Money {
    /// Decimal text with the digits of the notice, in whole units of the currency.
    pub value: String,
    /// ISO 4217, upper case.
    pub currency: String,
}

impl Money {
    /// Reads `<key>_value` and `<key>_currency` below a panel. An amount without a readable number or without a
    /// currency is left out and counted.
    #[must_use]
    pub fn read(panel: &Component<'_>, key: &str, notes: &mut Notes) -> Option<Self> {
        let raw = panel.text(&format!("{key}_value"))?;
        // An amount that cannot be added would make the sum of all others impossible.
        let value = amount::parse(&raw).filter(|value| amount::sum([value.as_str()]).is_some());
        let Some(value) = value else {
            notes.count("unreadable_amounts");
            return None;
        };
        let currency = panel.text(&format!("{key}_currency")).map(upper);
        let Some(currency) = currency.filter(|code| is_code(code)) else {
            notes.count("amounts_without_currency");
            return None;
        };
        Some(Self { value, currency })
    }

    /// The sum of both, if they have the same currency.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let values = [self.value.as_str(), other.value.as_str()];
        (self.currency == other.currency)
            .then(|| amount::sum(values))
            .flatten()
            .map(|value| Self {
                value,
                currency: self.currency.clone(),
            })
    }
}

fn upper(mut code: String) -> String {
    code.make_ascii_uppercase();
    code
}

fn is_code(code: &str) -> bool {
    code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}
