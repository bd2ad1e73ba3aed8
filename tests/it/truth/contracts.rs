//! What is told of contracts with the state.

use lustra_tests::register_simulator::{Company, Population};
use serde_json::Value;

/// What must be told on a day.
pub fn truth(_population: &Population, _company: &Company, _day: u32) -> Value {
    Value::Null
}

/// The same, picked out of an answer's `data`.
pub fn told(_data: &Value) -> Value {
    Value::Null
}
