//! Recordings of `trade-licences`.

use super::{Case, about, case};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let company = |file, ico| {
        case(
            "trade-licences",
            file,
            about(ico, "trade_license_activities"),
        )
    };
    vec![
        company("trades-company.toml", "99999994"),
        company("trades-suspended.toml", "99999960"),
        company("trades-ended.toml", "99999951"),
        company("trades-zero-led.toml", "00000124"),
        company("trades-unknown.toml", "99999000"),
    ]
}

/// Recordings of a later day.
pub fn later_day() -> Vec<Case> {
    Vec::new()
}
