//! The connector's settings: the words by which the lines of a form are recognised, and where people read on.

use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

/// Where the register's pages for people lie.
const SITE: &str = "https://www.registeruz.sk/cruz-public";

/// Labels of lines, by what the line holds: the first that a table has counts, so totals stand before their parts. The
/// words are compared without case, diacritics, formula and `súčet`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Labels {
    pub total_assets: Vec<String>,
    /// Equity, or own sources of a non-profit unit.
    pub total_equity: Vec<String>,
    /// Liabilities without accruals.
    pub total_liabilities: Vec<String>,
    /// Accruals beside equity and liabilities.
    pub accruals: Vec<String>,
    pub operating_revenue: Vec<String>,
    /// All revenue, in forms that have no line for operating revenue.
    pub total_revenue: Vec<String>,
    pub net_turnover: Vec<String>,
    /// Receipts of single-entry accounting.
    pub receipts: Vec<String>,
    /// The result of the year after tax.
    pub net_profit: Vec<String>,
}

impl Default for Labels {
    fn default() -> Self {
        let labels = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
        Self {
            total_assets: labels(&["Spolu majetok", "Majetok spolu", "Majetok celkom"]),
            total_equity: labels(&[
                "Vlastné zdroje krytia majetku spolu",
                "Vlastné zdroje krytia majetku",
                "Vlastné imanie",
            ]),
            total_liabilities: labels(&[
                "Záväzky celkom",
                "Záväzky spolu",
                "Cudzie zdroje spolu",
                "Cudzie zdroje",
                "Záväzky",
            ]),
            accruals: labels(&["Časové rozlíšenie spolu", "Časové rozlíšenie"]),
            operating_revenue: labels(&["Výnosy z hospodárskej činnosti spolu"]),
            total_revenue: labels(&["Výnosy spolu", "Výnosy celkom", "Účtovná trieda 6 spolu"]),
            net_turnover: labels(&["Čistý obrat"]),
            receipts: labels(&["Príjmy celkom", "Príjmy spolu"]),
            net_profit: labels(&[
                "Výsledok hospodárenia za účtovné obdobie po zdanení",
                "Výsledok hospodárenia po zdanení",
            ]),
        }
    }
}

/// What a look-up goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How lines are recognised in forms whose lines are not known by their numbers.
    pub labels: Labels,
    /// Where the register's pages for people lie, without a slash at the end.
    pub site: String,
}

impl Settings {
    /// The operator's settings.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] where one is of another shape.
    pub fn read() -> Result<Self, Failure> {
        Ok(Self {
            labels: runtime::setting("labels")?.unwrap_or_default(),
            site: runtime::setting("site")?.unwrap_or_else(|| SITE.to_owned()),
        })
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            labels: Labels::default(),
            site: SITE.to_owned(),
        }
    }
}
