//! Recordings of `replik`.

use super::{Case, about, case, list};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let company = |file, ico| case("replik", file, about(ico, "insolvency"));
    let administrator = |file, ico| case("replik", file, about(ico, "replik_administrator"));
    vec![
        company("insolvency-none.toml", "99999994"),
        company("insolvency-ended.toml", "99999986"),
        company("insolvency-under-way.toml", "99999960"),
        company("insolvency-liquidation.toml", "99999943"),
        // The list does not say whose proceedings these are.
        company("insolvency-asked-for-the-debtor.toml", "00000124"),
        company("insolvency-of-a-debtor.toml", "99999919"),
        company("insolvency-unheard-state.toml", "99999889"),
        company("insolvency-unknown.toml", "99999000"),
        administrator("administrator-partnership.toml", "99999889"),
        administrator("administrator-trader.toml", "99999960"),
        administrator("administrator-none.toml", "99999994"),
        case("replik", "administrators.toml", list("administrators")),
        case(
            "replik",
            "administrator-list.toml",
            list("administrator-list"),
        ),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![
        case(
            "replik",
            "administrators-later.toml",
            list("administrators"),
        ),
        case(
            "replik",
            "administrator-list-later.toml",
            list("administrator-list"),
        ),
    ]
}
