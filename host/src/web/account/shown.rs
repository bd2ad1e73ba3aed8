//! Words, dates and mistakes of forms for people.

use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::Refusal;
use super::session::Session;
use super::texts::Texts;
use crate::changes::Writer;
use crate::language::Language;

/// A mistake in a form.
#[derive(Debug)]
pub(in crate::web) struct Mistake {
    /// The field's label, or empty.
    pub(in crate::web) label: &'static str,
    /// What is wanted, in the reader's language.
    pub(in crate::web) wanted: &'static str,
    /// What the API says, in English.
    pub(in crate::web) detail: String,
}

/// The mistakes of a refused form, for the list above it.
pub(in crate::web) fn mistakes(refusal: &Refusal, t: &Texts) -> Vec<Mistake> {
    if refusal.fields.is_empty() {
        return vec![Mistake {
            label: "",
            wanted: t.wrong_input,
            detail: refusal.message.clone(),
        }];
    }
    let mistake = |(field, details): (&String, &Vec<String>)| {
        let (label, wanted) = t.field(field);
        Mistake {
            label,
            wanted,
            detail: details.join("; "),
        }
    };
    refusal.fields.iter().map(mistake).collect()
}

/// A time or a day of the API for people; empty without one.
pub(in crate::web) fn date(session: &Session, at: Option<&str>) -> String {
    let language = session.reader.language;
    let Some(text) = at.and_then(|at| Writer { language }.date(at)) else {
        return String::new();
    };
    let has_time = at.is_some_and(|at| at.len() > 10);
    if has_time {
        format!("{text} UTC")
    } else {
        text
    }
}

/// A whole number with the thousands apart, as people of the language write it.
pub(crate) fn number(number: i64, language: Language) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "−" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(language.pick('\u{a0}', ','));
        }
        text.push(digit);
    }
    text
}

/// The whole number at a place of an answer, for people. `None` if it is null.
pub(in crate::web) fn number_at(
    value: &Value,
    pointer: &str,
    language: Language,
) -> Option<String> {
    let given = value.pointer(pointer)?.as_i64()?;
    Some(number(given, language))
}

/// The text at a place of an answer; empty if it is null.
pub(in crate::web) fn text_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let given = value.pointer(pointer).and_then(Value::as_str);
    given.unwrap_or_default()
}

/// The names of an answer's list, in its order.
pub(in crate::web) fn texts_at<'a>(value: &'a Value, pointer: &str) -> Vec<&'a str> {
    let items = value.pointer(pointer).and_then(Value::as_array);
    let items = items.into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}

/// The items of an answer's `data`.
pub(in crate::web) fn items(answer: &Value) -> &[Value] {
    answer["data"].as_array().map_or(&[], Vec::as_slice)
}

/// JSON with line breaks and indentation.
pub(in crate::web) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// The path of a call with these parameters. Empty values are left out.
pub(in crate::web) fn with_query(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in parameters {
        if !value.is_empty() {
            query.append_pair(name, value);
        }
    }
    match query.finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// The scopes that the server serves: name and title in the reader's language, by title.
pub(in crate::web) fn scopes(session: &Session) -> Vec<(String, String)> {
    let language = session.reader.language;
    let catalogue = session.web.parts().companies.connectors().catalogue();
    let mut titles = BTreeSet::new();
    for name in catalogue.scopes() {
        let Some((_, scope)) = catalogue.scope(name.as_str()) else {
            continue;
        };
        let guide = crate::changes::Guide::of(&scope.schema);
        let title = guide.title(language).unwrap_or(&scope.title).to_owned();
        titles.insert((title, name.to_string()));
    }
    if !titles.iter().any(|(_, name)| name == "orsr") {
        // Without a connector for it the scope means the commercial register's details.
        let orsr = session.texts().scope_orsr.to_owned();
        titles.insert((orsr, "orsr".to_owned()));
    }
    let scopes = titles.into_iter().map(|(title, name)| (name, title));
    scopes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let of = |given| number(given, Language::English);
        let written = [0, 999, 1_000, -1_234_567].map(of);
        assert_eq!(written, ["0", "999", "1,000", "−1,234,567"]);
        assert_eq!(number(1_000, Language::Slovak), "1\u{a0}000");
    }
}
