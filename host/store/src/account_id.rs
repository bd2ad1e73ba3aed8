//! The id of an account.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The id of an account: the key of its row. The database assigns it, so it is never confused with the number of a
/// subscription, a grant or an API key.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type,
)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct AccountId(i64);

impl AccountId {
    #[must_use]
    pub const fn new(id: i64) -> Self {
        Self(id)
    }

    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for AccountId {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_id_is_a_number_in_text_and_json() {
        let id = AccountId::new(42);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(serde_json::json!(id), serde_json::json!(42));
        assert!(serde_json::from_str::<AccountId>("42").is_ok_and(|read| read == id));
        for wrong in ["", "four", "4 2", "9223372036854775808"] {
            assert!(AccountId::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
