//! Recordings of `sanctions`.

use super::{Case, about, case, list};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let look_up = |file, ico| case("sanctions", file, about(ico, "sanctions"));
    vec![
        look_up("sanctions-none.toml", "99999994"),
        look_up("sanctions-other-script.toml", "99999986"),
        look_up("sanctions-sole-trader.toml", "99999960"),
        look_up("sanctions-register-number.toml", "00000124"),
        look_up("sanctions-unknown.toml", "99999000"),
        case("sanctions", "list-eu-fsf.toml", list("eu-fsf")),
        case("sanctions", "list-ofac-sdn.toml", list("ofac-sdn")),
        case(
            "sanctions",
            "list-ofac-consolidated.toml",
            list("ofac-consolidated"),
        ),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![
        case("sanctions", "list-eu-fsf-later.toml", list("eu-fsf")),
        case("sanctions", "list-ofac-sdn-later.toml", list("ofac-sdn")),
        case(
            "sanctions",
            "list-ofac-consolidated-later.toml",
            list("ofac-consolidated"),
        ),
    ]
}
