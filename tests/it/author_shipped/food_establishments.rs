//! Recordings of `food-establishments`.

use super::{Case, about, case, list};

const CONNECTOR: &str = "food-establishments";
const SCOPE: &str = "svps_establishments";

/// First day: several results, one matched by the operator's seat, one that is uncertain, none, and an unknown
/// company.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case(CONNECTOR, file, about(ico, SCOPE));
    vec![
        of("several.toml", "99999994"),
        of("by-the-operators-seat.toml", "99999986"),
        of("not-sure-enough.toml", "99999943"),
        of("none.toml", "99999951"),
        of("unknown.toml", "99999000"),
        case(CONNECTOR, "list-food.toml", list("food")),
        case(CONNECTOR, "list-vet.toml", list("vet")),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![
        case(CONNECTOR, "list-food-later.toml", list("food")),
        case(CONNECTOR, "list-vet-later.toml", list("vet")),
    ]
}
