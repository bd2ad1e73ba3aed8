//! A notice's tree: components with a key, a value and components below them, at any depth.
//!
//! The tabs above the panels vary. So panels are found by key anywhere in the tree, in document order, which also gives
//! them their numbers.

use lustra_sdk::text;
use serde::Deserialize;
use serde_json::value::RawValue;

/// One node of the tree.
#[derive(Debug, Deserialize)]
pub struct Component<'a> {
    #[serde(default)]
    key: Option<String>,
    /// The value as it was written, so that numbers keep their digits.
    #[serde(default, borrow)]
    value: Option<&'a RawValue>,
    #[serde(default)]
    lang: Option<String>,
    #[serde(default, borrow)]
    components: Option<Vec<Component<'a>>>,
}

impl<'a> Component<'a> {
    /// The components directly below.
    fn below(&self) -> &[Component<'a>] {
        self.components.as_deref().unwrap_or_default()
    }

    fn has_key(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.key.as_deref().is_some_and(wanted)
    }

    /// All components with a key below this one, in document order.
    #[must_use]
    pub fn all(&self, key: &str) -> Vec<&Component<'a>> {
        all(self.below(), key)
    }

    /// The texts of all components below with this prefix of the key, in document order. A value that is a list, or
    /// looks like one of Python (`"['TEN-0001']"`), yields each of its items.
    #[must_use]
    pub fn texts(&self, key: &str) -> Vec<String> {
        let mut found = Vec::new();
        walk(self.below(), &mut |component| {
            if component.has_key(|own| own.starts_with(key)) {
                found.extend(component.items());
            }
        });
        found
    }

    /// The first text below with this prefix of the key. Slovak is preferred if there are several languages.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        text_in(self.below(), key)
    }

    /// This component's own value as one text; `None` for no value or a list.
    fn own_text(&self) -> Option<String> {
        let raw = self.value?.get();
        if raw.starts_with('"') {
            let value: String = serde_json::from_str(raw).ok()?;
            return text::present(&value);
        }
        // A number or a boolean, with the digits of the notice.
        (!raw.starts_with(['[', '{', 'n'])).then(|| raw.to_owned())
    }

    fn items(&self) -> Vec<String> {
        let Some(raw) = self.value.map(RawValue::get) else {
            return Vec::new();
        };
        if raw.starts_with('[') {
            let values: Vec<serde_json::Value> = serde_json::from_str(raw).unwrap_or_default();
            return values
                .iter()
                .filter_map(serde_json::Value::as_str)
                .filter_map(text::present)
                .collect();
        }
        let Some(value) = self.own_text() else {
            return Vec::new();
        };
        match value
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'))
        {
            Some(inner) => inner
                .split(',')
                .filter_map(|item| text::present(item.trim().trim_matches(['\'', '"'])))
                .collect(),
            None => vec![value],
        }
    }
}

/// All components with a key in the trees, in document order.
#[must_use]
pub fn all<'t, 'a>(trees: &'t [Component<'a>], key: &str) -> Vec<&'t Component<'a>> {
    let mut found = Vec::new();
    walk(trees, &mut |component| {
        if component.has_key(|own| own == key) {
            found.push(component);
        }
    });
    found
}

/// The first text in the trees with this prefix of the key. Slovak is preferred if there are several languages.
#[must_use]
pub fn text_in(trees: &[Component<'_>], key: &str) -> Option<String> {
    let (mut first, mut slovak) = (None, None);
    walk(trees, &mut |component| {
        if slovak.is_none() && component.has_key(|own| own.starts_with(key)) {
            let value = component.own_text();
            if component.lang.as_deref().is_some_and(is_slovak) {
                slovak = value;
            } else if first.is_none() {
                first = value;
            }
        }
    });
    slovak.or(first)
}

fn is_slovak(lang: &str) -> bool {
    ["slk", "sk"]
        .iter()
        .any(|code| lang.eq_ignore_ascii_case(code))
}

fn walk<'t, 'a>(trees: &'t [Component<'a>], visit: &mut impl FnMut(&'t Component<'a>)) {
    for component in trees {
        visit(component);
        walk(component.below(), visit);
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_every_spelling_give_their_items() {
        for (value, expected) in [
            (r#""TEN-0001""#, vec!["TEN-0001"]),
            (r#"["TEN-0001", "TEN-0002"]"#, vec!["TEN-0001", "TEN-0002"]),
            (
                r#""['TEN-0001', 'TEN-0002']""#,
                vec!["TEN-0001", "TEN-0002"],
            ),
            (r#""[]""#, vec![]),
            ("null", vec![]),
            (r#""""#, vec![]),
            ("[]", vec![]),
        ] {
            let json = format!(r#"{{"components":[{{"key":"X","value":{value}}}]}}"#);
            let tree: Component<'_> = serde_json::from_str(&json).unwrap();
            assert_eq!(tree.texts("X"), expected, "{value}");
        }
    }

    #[test]
    fn texts_are_found_at_any_depth_and_slovak_ones_first() {
        let json = r#"[{"key":"tab","value":null,"components":[{"key":"T-x","value":"English","lang":"eng"},
            {"components":[{"key":"T-x","value":" Po  slovensky ","lang":"SLK"}]}]},{"key":"N","value":84709.60}]"#;
        let trees: Vec<Component<'_>> = serde_json::from_str(json).unwrap();
        assert_eq!(text_in(&trees, "T-").as_deref(), Some("Po slovensky"));
        assert_eq!(text_in(&trees, "N").as_deref(), Some("84709.60"));
        assert_eq!(text_in(&trees, "tab"), None);
        assert_eq!(all(&trees, "T-x").len(), 2);
    }
}
