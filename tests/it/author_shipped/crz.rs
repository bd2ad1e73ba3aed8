//! What is recorded of `crz`.

use super::Case;

/// On the first day.
pub fn first_day() -> Vec<Case> {
    Vec::new()
}

/// Of lists, on a later day.
pub fn later_day() -> Vec<Case> {
    Vec::new()
}
