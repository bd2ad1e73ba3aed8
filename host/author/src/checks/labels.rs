//! The requirement that every member that notifications mention has a name in both languages.

use serde_json::Value;

use super::{Found, Mistake, Suite};
use lustra_sandbox::manifest::VOLATILE;

/// Schema keywords of a member's display name, in English and in Slovak.
const TITLES: [&str; 2] = ["title", "x-lustra-title-sk"];

/// Longest chain of references; stops at schemas that refer to themselves.
const MAX_REFERENCE_DEPTH: usize = 24;

impl Suite<'_> {
    pub(super) fn labels(&self) -> Found {
        let manifest = self.on_bench.manifest();
        let scopes = manifest.scopes.iter();
        let of_scopes = scopes.map(|scope| (scope.scope.as_str(), &scope.schema));
        let source = manifest.company_source.as_ref();
        let details = source.and_then(|source| source.schema.as_ref());
        let (mut members, mut mistakes) = (0, Vec::new());
        for (place, schema) in of_scopes.chain(details.map(|schema| ("details", schema))) {
            let mut walk = Walk {
                root: schema,
                members: 0,
                mistakes: Vec::new(),
            };
            walk.below(schema, place, 0);
            members += walk.members;
            mistakes.append(&mut walk.mistakes);
        }
        mistakes.sort_by(|a, b| a.place.cmp(&b.place));
        mistakes.dedup();
        Found::of(mistakes, members, "members", "no schema has a member")
    }
}

/// Walks the members of a schema that notifications may mention.
struct Walk<'a> {
    root: &'a Value,
    members: usize,
    mistakes: Vec<Mistake>,
}

impl<'a> Walk<'a> {
    /// Checks the members of a schema, including those in references, alternatives and lists.
    fn below(&mut self, schema: &'a Value, place: &str, depth: usize) {
        if depth > MAX_REFERENCE_DEPTH {
            return;
        }
        if let Some(target) = self.referred(schema) {
            self.below(target, place, depth + 1);
        }
        for choices in ["allOf", "anyOf", "oneOf"] {
            let choices = schema.get(choices).and_then(Value::as_array);
            for choice in choices.into_iter().flatten() {
                self.below(choice, place, depth + 1);
            }
        }
        if let Some(items) = schema.get("items") {
            self.below(items, place, depth + 1);
        }
        let members = schema.get("properties").and_then(Value::as_object);
        for (name, member) in members.into_iter().flatten() {
            let place = format!("{place}/{name}");
            let target = self.referred(member);
            let says = |word: &str| member.get(word).or_else(|| target?.get(word));
            // Volatile members are not compared, so they raise no events.
            if says(VOLATILE) == Some(&Value::Bool(true)) {
                continue;
            }
            self.members += 1;
            let lacks = |title: &&str| {
                let text = says(title).and_then(Value::as_str);
                text.is_none_or(|text| text.trim().is_empty())
            };
            let lacking: Vec<&str> = TITLES.into_iter().filter(lacks).collect();
            if !lacking.is_empty() {
                let why = format!("it has no {}", lacking.join(" and no "));
                self.mistakes.push(Mistake::new(&place, why));
            }
            self.below(member, &place, depth + 1);
        }
    }

    fn referred(&self, schema: &Value) -> Option<&'a Value> {
        let reference = schema.get("$ref")?.as_str()?;
        self.root.pointer(reference.strip_prefix('#')?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn member_without_slovak_title_is_named() {
        let labelled = |more: Value| {
            let mut member = json!({ "title": "Name", "x-lustra-title-sk": "Meno" });
            if let (Some(member), Some(more)) = (member.as_object_mut(), more.as_object()) {
                member.extend(more.clone());
            }
            member
        };
        let item = json!({ "properties": {
            "name": labelled(json!({})),
            "role": { "title": "Role", "x-lustra-title-sk": " " },
        } });
        let schema = json!({
            "properties": {
                "list": labelled(json!({ "items": { "$ref": "#/$defs/item" } })),
                "read_on": { "x-lustra-volatile": true },
                "count": { "x-lustra-title-sk": "Počet" },
            },
            "$defs": { "item": item },
        });
        let mut walk = Walk {
            root: &schema,
            members: 0,
            mistakes: Vec::new(),
        };
        walk.below(&schema, "x", 0);
        assert_eq!(walk.members, 4);
        let found: Vec<(&str, &str)> = walk
            .mistakes
            .iter()
            .map(|mistake| (mistake.place.as_str(), mistake.why.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("x/list/role", "it has no x-lustra-title-sk"),
                ("x/count", "it has no title"),
            ]
        );
    }
}
