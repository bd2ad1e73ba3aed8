//! Joins the stored JSON texts of a company's parts.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Parts, Placement, base_json};

/// Approximate length of what [`append`] writes.
pub(super) fn length(parts: &Parts<'_>) -> usize {
    const BASE_FIELDS: usize = 1_024;
    const KEY: usize = 32;
    let details = parts.details.iter().filter_map(|part| part.content);
    let sections = parts.sections.iter().filter_map(|part| part.content);
    let contents = details.chain(sections).map(|content| content.len() + KEY);
    BASE_FIELDS + parts.base.base.details.len() + contents.sum::<usize>()
}

/// Appends the value of the member `data`: base fields, details and sections as stored, joined into one JSON object.
pub(super) fn append(parts: &Parts<'_>, data: &mut String) {
    data.push_str(&base_json(parts.base));
    // The closing brace is appended after the other members.
    data.pop();
    let splice = |data: &mut String, object: &str| {
        let inner = object
            .trim()
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .map_or("", str::trim);
        if !inner.is_empty() {
            data.push(',');
            data.push_str(inner);
        }
    };
    let replaced = replaced(parts);
    splice(data, &without(&parts.base.base.details, &replaced));
    for details in &parts.details {
        if let Some(content) = details.content {
            splice(data, &without(content, &replaced));
        }
    }
    for section in &parts.sections {
        let Some(content) = section.content else {
            continue;
        };
        match &section.placement {
            Placement::Member(key) => {
                data.push_str(",\"");
                data.push_str(key);
                data.push_str("\":");
                data.push_str(content);
            }
            Placement::Replacing => splice(data, content),
            Placement::Beside(names) => splice(data, &without(content, names)),
        }
    }
    data.push('}');
}

/// The members that sections replace.
fn replaced(parts: &Parts<'_>) -> BTreeSet<String> {
    let replacing = parts
        .sections
        .iter()
        .filter(|section| matches!(section.placement, Placement::Replacing));
    replacing
        .filter_map(|section| members(section.content?))
        .flat_map(|members| members.into_iter().map(|(name, _)| name))
        .collect()
}

fn members(object: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    serde_json::from_str(object).ok()
}

/// A JSON object without some members. Most answers leave out none and are not parsed.
fn without<'a>(object: &'a str, names: &BTreeSet<String>) -> Cow<'a, str> {
    if names.is_empty() {
        return Cow::Borrowed(object);
    }
    let Some(mut members) = members(object) else {
        return Cow::Borrowed(object);
    };
    members.retain(|name, _| !names.contains(name));
    Cow::Owned(serde_json::Value::Object(members).to_string())
}
