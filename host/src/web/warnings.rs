//! Warnings of a company, found by the marks in the manifests.
//!
//! A part warns if its manifest has events of the group `risk`. What warns is a first hit that is there, a verdict that
//! holds and is based on a list of entries, or an item in a list whose new items raise such an event. If a verdict is
//! based on a list, the verdict alone decides: a proceeding that has ended is no warning.

use serde_json::{Map, Value};

use super::facts::Layout;
use super::parts::Part;
use crate::changes::{Detail, Guide, is_hit};
use crate::connectors::manifest::When;

/// Most items of a list that a warning names.
const MAX_NAMED: usize = 3;

/// A warning with its source.
#[derive(Debug)]
pub(super) struct Warning {
    /// The anchor of the section that says more.
    pub(super) target: Option<String>,
    pub(super) title: String,
    pub(super) lines: Vec<String>,
    pub(super) register: String,
    pub(super) day: Option<String>,
}

/// The warning of a part that is valid for a day, if there is one.
pub(super) fn warning(
    part: &Part<'_>,
    value: &Value,
    day: Option<String>,
    layout: Layout,
) -> Option<Warning> {
    let members = value.as_object()?;
    let names = hits(part, members);
    if names.is_empty() {
        return None;
    }
    let lines = names
        .iter()
        .map(|name| line(members, name, &part.guide, layout));
    Some(Warning {
        target: Some(part.id.clone()),
        title: part.title.clone(),
        lines: lines.collect(),
        register: part.origin.register.clone(),
        day,
    })
}

/// The members of a part that warn.
fn hits<'a>(part: &Part<'a>, members: &'a Map<String, Value>) -> Vec<&'a str> {
    let guide = &part.guide;
    let mut pointers: Vec<String> = Vec::new();
    let mut is_about_all = false;
    for rule in part.risks() {
        match When::parse(&rule.when) {
            Some(When::FirstHit(pointer) | When::Added(pointer)) => pointers.push(pointer),
            Some(When::Field(pointer)) if guide.has_verdict(&first(&pointer)) => {
                pointers.push(pointer);
            }
            Some(When::Changed) => is_about_all = true,
            Some(When::Field(_)) | None => {}
        }
    }
    let named: Vec<String> = pointers.iter().map(|pointer| first(pointer)).collect();
    // Lists on which a verdict is based.
    let decided: Vec<&str> = members
        .keys()
        .filter(|name| is_verdict(members, name, guide))
        .flat_map(|name| guide.member(name).derived_from())
        .collect();
    let warns = |name: &String, value: &Value| {
        if is_verdict(members, name, guide) {
            let sources = guide.member(name).derived_from();
            let of_list =
                sources.is_empty() || sources.iter().any(|source| guide.member(source).is_list());
            return value == &Value::Bool(true)
                && of_list
                && (is_about_all || named.contains(name));
        }
        named.contains(name) && !decided.contains(&name.as_str()) && is_hit(value, "")
    };
    let found = members.iter().filter(|(name, value)| warns(name, value));
    found.map(|(name, _)| name.as_str()).collect()
}

/// Whether a member is a verdict, whether or not it can be given.
fn is_verdict(members: &Map<String, Value>, name: &str, guide: &Guide<'_>) -> bool {
    let value = members.get(name).unwrap_or(&Value::Null);
    guide.has_verdict(name) && (value.is_boolean() || value.is_null())
}

/// The first name in a JSON pointer.
fn first(pointer: &str) -> String {
    pointer.split('/').nth(1).unwrap_or_default().to_owned()
}

/// A member that warns, with the first items of the lists that it comes from.
fn line(members: &Map<String, Value>, name: &str, guide: &Guide<'_>, layout: Layout) -> String {
    let writer = layout.writer();
    let (title, member) = (writer.title(guide, name), guide.member(name));
    let value = members.get(name).unwrap_or(&Value::Null);
    let sources = member.derived_from();
    let lists: Vec<&str> = if value.is_array() {
        vec![name]
    } else {
        sources
    };
    let items = lists.iter().flat_map(|list| {
        let (identity, of_list) = (guide.member(list).identity(), guide.member(list).items());
        let items = members.get(*list).and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .map(move |item| match item.as_object() {
                Some(of) => writer.item(of, &identity, &of_list, Detail::Brief),
                None => writer.value(item, list, None, &of_list, Detail::Brief),
            })
    });
    let items: Vec<String> = items.filter(|item| !item.is_empty()).collect();
    let mut said = if value.is_boolean() || value.is_array() {
        title
    } else {
        let text = writer.value(value, name, Some(members), &member, Detail::Brief);
        format!("{title}: {text}")
    };
    if !items.is_empty() {
        let more = items.len().saturating_sub(MAX_NAMED);
        let named: Vec<&str> = items.iter().take(MAX_NAMED).map(String::as_str).collect();
        said = format!("{said} – {}", named.join("; "));
        if more > 0 {
            said = format!("{said} … (+{more})");
        }
    }
    said
}
