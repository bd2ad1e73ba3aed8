//! An establishment of a list.

use serde::{Deserialize, Serialize};

use crate::place::Place;

/// An approved establishment as the list has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Establishment {
    /// The approval number, with single spaces.
    pub approval_number: String,
    /// The number of its section.
    pub section: Option<String>,
    /// Codes of the activities, or one text.
    pub activities: Vec<String>,
    /// What it is called.
    pub name: String,
    /// The operator. If the list has no operators, the establishment's name.
    pub operator: String,
    pub place: Place,
    /// The operator's place, if the list has it.
    pub operator_place: Place,
    pub district: Option<String>,
    pub region: Option<String>,
}
