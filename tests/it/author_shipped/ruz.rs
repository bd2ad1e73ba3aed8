//! Recordings of `ruz`.

use super::{Case, about, case};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let statements = |file, ico| case("ruz", file, about(ico, "financial_statements"));
    let figures = |file, ico| case("ruz", file, about(ico, "financials"));
    vec![
        statements("statements-micro.toml", "99999978"),
        statements("statements-single-entry.toml", "99999960"),
        statements("statements-ended.toml", "99999951"),
        statements("statements-files-alone.toml", "99999919"),
        statements("statements-odd.toml", "99999901"),
        statements("statements-none.toml", "99999927"),
        statements("statements-no-unit.toml", "99999889"),
        figures("figures-company.toml", "99999994"),
        figures("figures-blank.toml", "99999943"),
        figures("figures-no-unit.toml", "99999000"),
    ]
}

/// Empty, because nothing is imported.
pub fn later_day() -> Vec<Case> {
    Vec::new()
}
