//! Amounts of notices.

use lustra_sdk::{Failure, amount, malformed, text};
use serde_json::Value;

use crate::page::{Members, kind, texts};
use crate::settings::AmountMembers;

/// An amount with its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Money {
    /// The amount as a decimal text.
    pub value: String,
    /// ISO 4217. `None` if the notice names no currency, or several.
    pub currency: Option<String>,
}

/// The first amount that a notice has in one of these pairs of members.
///
/// # Errors
/// As [`at`].
pub fn first(notice: &Members, pairs: &[AmountMembers]) -> Result<Option<Money>, Failure> {
    for members in pairs {
        if let Some(money) = at(notice, members)? {
            return Ok(Some(money));
        }
    }
    Ok(None)
}

/// The amount in a pair of members: a number, a decimal text, or a list that repeats one. Several different amounts give
/// `None`, since it is unknown whether they add up.
///
/// # Errors
/// [`Failure::Malformed`] for an invalid amount or currency.
pub fn at(notice: &Members, members: &AmountMembers) -> Result<Option<Money>, Failure> {
    let Some(found) = notice.get(&members.amount) else {
        return Ok(None);
    };
    let mut values = match found {
        Value::Array(items) => items
            .iter()
            .map(|item| decimal(item, &members.amount))
            .collect::<Result<Vec<_>, _>>()?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            vec![decimal(found, &members.amount)?]
        }
    };
    values.dedup();
    let [value] = values.as_slice() else {
        return Ok(None);
    };
    Ok(Some(Money {
        value: value.clone(),
        currency: currency(notice, &members.currency)?,
    }))
}

fn decimal(found: &Value, name: &str) -> Result<String, Failure> {
    let read = match found {
        Value::String(raw) => amount::parse(raw),
        // Large numbers may have an exponent.
        Value::Number(number) => amount::parse(&number.to_string())
            .or_else(|| amount::parse(&number.as_f64()?.to_string())),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    read.ok_or_else(|| malformed(format!("notices/{name}"), "an amount", kind(Some(found))))
}

fn currency(notice: &Members, name: &str) -> Result<Option<String>, Failure> {
    let mut codes: Vec<String> = texts(notice, name)?
        .into_iter()
        .filter_map(text::present)
        .map(|code| code.to_ascii_uppercase())
        .collect();
    codes.sort();
    codes.dedup();
    let is_code = |code: &String| code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase());
    if let Some(other) = codes.iter().find(|code| !is_code(code)) {
        return Err(malformed(
            format!("notices/{name}"),
            "a code such as EUR",
            other,
        ));
    }
    Ok(codes.pop().filter(|_| codes.is_empty()))
}
