//! Amounts in a section are JSON numbers. Sections of earlier versions have decimal texts. Both are read, so that no
//! statement must be requested again.

use lustra_sdk::amount;
use lustra_sdk::serde_json::{Number, Value};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<S: Serializer>(amount: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    let number: Option<Number> = match amount {
        None => None,
        Some(decimal) => Some(
            amount::to_number(decimal)
                .ok_or_else(|| S::Error::custom("an amount is not a number"))?,
        ),
    };
    number.serialize(to)
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::String(decimal) if amount::parse(&decimal).as_ref() == Some(&decimal) => {
            Ok(Some(decimal))
        }
        Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            Err(D::Error::custom("an amount is a number or a decimal text"))
        }
    }
}
