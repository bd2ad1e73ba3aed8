//! Settings of the daily check of known companies.

use schemars::JsonSchema;
use serde::Deserialize;

/// Sample companies that are read from every live source daily, to detect changed pages of registers early.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sentinel {
    /// Registration numbers of companies that every register knows, at most 50, such as `36421928`. Empty: no check.
    pub companies: Vec<String>,
    /// Time between two checks of a source. At least 1.
    pub hours: u32,
}

impl Default for Sentinel {
    fn default() -> Self {
        Self {
            companies: Vec::new(),
            hours: 24,
        }
    }
}

impl Sentinel {
    /// Mistakes in these settings, each with the setting's path.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let is_ico =
            |ico: &&String| ico.len() == 8 && ico.bytes().all(|byte| byte.is_ascii_digit());
        let mut mistakes: Vec<String> = self
            .companies
            .iter()
            .filter(|ico| !is_ico(ico))
            .map(|ico| {
                format!("sentinel.companies: {ico:?} is not a registration number of 8 digits")
            })
            .collect();
        if self.hours == 0 {
            mistakes.push("sentinel.hours: at least 1".to_owned());
        }
        if self.companies.len() > 50 {
            mistakes.push("sentinel.companies: at most 50".to_owned());
        }
        mistakes
    }
}
