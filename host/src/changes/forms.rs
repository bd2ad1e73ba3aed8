//! Formats single values: names as words, addresses and currencies. Distinguishes amounts from ids.

use serde_json::{Map, Value};

/// Maximum length of a value, in characters.
const LONGEST: usize = 600;

/// Words in the names of members that hold an amount of money.
const AMOUNTS: [&str; 19] = [
    "amount",
    "value",
    "total",
    "revenue",
    "profit",
    "assets",
    "equity",
    "liabilities",
    "capital",
    "tax",
    "excess",
    "loss",
    "deduction",
    "exemption",
    "investment",
    "debt",
    "price",
    "sum",
    "eur",
];

/// A member's name as words: `postal_code` becomes `postal code`.
pub(super) fn readable(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// A title in lower case for use within a sentence. Abbreviations keep their capitals.
pub(super) fn lowered(title: &str) -> String {
    let mut letters = title.chars();
    let (first, second) = (letters.next(), letters.next());
    match (first, second) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            let first = first.to_lowercase();
            first.chain(title.chars().skip(1)).collect()
        }
        _ => title.to_owned(),
    }
}

/// An address on one line: street, then postal code and city. `None` if the members are not those of an
/// address.
pub(super) fn address(members: &Map<String, Value>) -> Option<String> {
    let of = |name: &str| {
        let text = members.get(name).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty())
    };
    let is_address = ["street", "city", "postal_code"]
        .iter()
        .any(|name| members.contains_key(*name))
        && !members.contains_key("name");
    if !is_address {
        return None;
    }
    let code = of("postal_code").map(|code| match code.as_bytes() {
        [_, _, _, _, _] if code.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{} {}", &code[..3], &code[3..])
        }
        _ => code.to_owned(),
    });
    let town = [code, of("city").map(str::to_owned)].into_iter().flatten();
    let town = town.collect::<Vec<_>>().join(" ");
    let town = Some(town.as_str()).filter(|town| !town.is_empty());
    // As on an envelope: the country is written only for foreign addresses.
    let is_home = |country: &&str| ["SK", "Slovensko", "Slovenská republika"].contains(country);
    let country = of("country").filter(|country| !is_home(country));
    let parts = [of("street"), town, country].into_iter().flatten();
    let parts: Vec<&str> = parts.collect();
    Some(parts.join(", "))
}

/// The currency of an amount, from the member's name or the object.
pub(super) fn currency(name: &str, parent: Option<&Map<String, Value>>) -> Option<String> {
    let words: Vec<&str> = name.split('_').collect();
    let is_amount = words.iter().any(|word| AMOUNTS.contains(word))
        && !words
            .iter()
            .any(|word| ["count", "entries", "hits", "without"].contains(word));
    if !is_amount {
        return None;
    }
    if words.last() == Some(&"eur") {
        return Some("EUR".to_owned());
    }
    let first = words.first().copied().unwrap_or_default();
    let named = [format!("{first}_currency"), "currency".to_owned()];
    let mut named = named.iter().filter_map(|name| parent?.get(name)?.as_str());
    named.next().map(str::to_owned)
}

pub(super) fn is_scalar(value: &Value) -> bool {
    !(value.is_object() || value.is_array())
}

pub(super) fn is_id(name: &str) -> bool {
    name == "id" || name.ends_with("_id")
}

pub(super) fn is_count(name: &str) -> bool {
    let mut words = name.split('_');
    words.any(|word| ["count", "total", "entries", "vehicles"].contains(&word))
}

pub(super) fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && are_digits(decimals)
}

/// Whether a text is a program's code: lower-case words joined by underscores.
pub(super) fn is_code(text: &str) -> bool {
    text.contains('_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

pub(super) fn shortened(text: String) -> String {
    if text.chars().count() <= LONGEST {
        return text;
    }
    let kept: String = text.chars().take(LONGEST).collect();
    format!("{kept} …")
}
