//! Recordings of `tax-lists`.

use super::{Case, about, case, list};

const ID: &str = "tax-lists";

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    vec![
        case(ID, "fs-several.toml", about("99999994", "fs_imports")),
        case(ID, "fs-by-dic.toml", about("99999986", "fs_imports")),
        case(ID, "fs-ended.toml", about("99999951", "fs_imports")),
        case(ID, "fs-unknown.toml", about("99999000", "fs_imports")),
        case(ID, "list-vat-deductions.toml", list("vat-deductions")),
        case(ID, "list-vat-regimes.toml", list("vat-regimes")),
        case(
            ID,
            "list-vat-cancellation-reasons.toml",
            list("vat-cancellation-reasons"),
        ),
        case(
            ID,
            "list-corporate-income-tax.toml",
            list("corporate-income-tax"),
        ),
        case(
            ID,
            "list-income-tax-subjects.toml",
            list("income-tax-subjects"),
        ),
        case(ID, "list-tax-accounts.toml", list("tax-accounts")),
        case(
            ID,
            "list-research-deductions.toml",
            list("research-deductions"),
        ),
        case(
            ID,
            "list-investment-deductions.toml",
            list("investment-deductions"),
        ),
        case(ID, "list-patent-box.toml", list("patent-box")),
        case(
            ID,
            "list-regulated-entities.toml",
            list("regulated-entities"),
        ),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![case(
        ID,
        "list-tax-accounts-later.toml",
        list("tax-accounts"),
    )]
}
