//! Properties of the comparison for any two documents and any schema.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use unicode_normalization::UnicodeNormalization;

use super::*;
use crate::changes::diff::canonical;
use crate::changes::{Op, diff};

/// Few member names, so that documents share members; some need escaping in pointers.
const NAMES: [&str; 6] = ["a", "b", "c/d", "m~n", "0", ""];

fn document() -> impl Strategy<Value = Value> {
    let texts = select(vec!["", " ", "x", " x ", "é", "e\u{301}", "č y"]);
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        3 => (-2i64..3).prop_map(Value::from),
        2 => (-4i32..5).prop_map(|halves| Value::from(f64::from(halves) / 2.0)),
        3 => texts.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let members = proptest::collection::btree_map(select(NAMES.to_vec()), inner.clone(), 0..5);
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(Value::from),
            members.prop_map(object),
        ]
    })
}

fn object(members: BTreeMap<&'static str, Value>) -> Value {
    let members = members.into_iter();
    members
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Schemas with random marks.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => Just(json!({})),
        1 => Just(json!({ "x-lustra-volatile": true })),
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        let properties =
            proptest::collection::btree_map(select(NAMES.to_vec()), inner.clone(), 0..5);
        let identity = proptest::collection::vec(select(NAMES.to_vec()), 0..3);
        (properties, inner, identity).prop_map(|(properties, items, identity)| {
            json!({ "properties": object(properties), "items": items, "x-lustra-identity": identity })
        })
    })
}

/// Two documents, sometimes almost equal.
fn pair() -> impl Strategy<Value = (Value, Value)> {
    (document(), document(), any::<u64>(), 0..3).prop_map(|(one, other, seed, how)| {
        let other = match how {
            0 => other,
            1 => rephrased(&one, &mut Dice(seed)),
            _ => with_inserted(&one, &other, &mut Dice(seed)),
        };
        (one, other)
    })
}

/// Pseudo-random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

/// Shuffles the lists at every depth.
fn shuffled(value: &Value, dice: &mut Dice) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(|item| shuffled(item, dice)).collect();
            for place in (1..items.len()).rev() {
                items.swap(place, dice.below(place + 1));
            }
            items.into()
        }
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), shuffled(member, dice)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// An equivalent document: extra spaces, decomposed letters, zero fractions, empty members and items.
fn rephrased(value: &Value, dice: &mut Dice) -> Value {
    let nothing = [json!(null), json!(""), json!([]), json!({"b": [" "]})];
    match shuffled(value, dice) {
        Value::String(text) => {
            let text: String = text.nfd().collect();
            format!("\t{text} ").into()
        }
        Value::Number(number) => match number.as_i64() {
            #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
            Some(whole) => Value::from(whole as f64),
            None => number.into(),
        },
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(|item| rephrased(item, dice)).collect();
            let place = dice.below(items.len() + 1);
            items.insert(place, nothing[dice.below(4)].clone());
            items.into()
        }
        Value::Object(mut members) => {
            for member in members.values_mut() {
                *member = rephrased(member, dice);
            }
            members
                .entry("nothing")
                .or_insert_with(|| nothing[dice.below(4)].clone());
            members.into()
        }
        other @ (Value::Null | Value::Bool(_)) => other,
    }
}

/// The document with another one inserted somewhere.
fn with_inserted(value: &Value, with: &Value, dice: &mut Dice) -> Value {
    let mut value = shuffled(value, dice);
    let length = match &value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    if length == 0 || dice.below(4) == 0 {
        return with.clone();
    }
    let place = dice.below(length);
    if let Some(items) = value.as_array_mut() {
        items[place] = with_inserted(&items[place], with, dice);
    } else if let Some(member) = value.as_object_mut().unwrap().values_mut().nth(place) {
        *member = with_inserted(member, with, dice);
    }
    value
}

/// The canonical value at a pointer.
fn canonical_at(document: &Value, shape: &Shape, path: &str) -> Option<Value> {
    let (mut value, mut shape) = (document, shape);
    for step in path.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        if let Value::Array(items) = value {
            shape = shape.items();
            value = items.get(name.parse::<usize>().ok()?)?;
        } else {
            shape = shape.member(&name);
            value = value.get(&name)?;
        }
    }
    assert_eq!(document.pointer(path), Some(value), "{path}");
    canonical(value, shape)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn equivalent_documents_have_no_changes(document in document(), schema in schema(), seed: u64) {
        let shape = Shape::of_schema(&schema);
        prop_assert_eq!(listed(&diff(&document, &document, &shape)), json!([]));
        let shuffled = shuffled(&document, &mut Dice(seed));
        prop_assert_eq!(listed(&diff(&document, &shuffled, &shape)), json!([]));
        let rephrased = rephrased(&document, &mut Dice(seed));
        prop_assert_eq!(listed(&diff(&document, &rephrased, &shape)), json!([]));
        prop_assert_eq!(listed(&diff(&rephrased, &document, &shape)), json!([]));
    }

    #[test]
    fn changes_match_differences_of_canonical_forms((old, new) in pair(), schema in schema()) {
        let shape = Shape::of_schema(&schema);
        let same = canonical(&old, &shape) == canonical(&new, &shape);
        prop_assert_eq!(diff(&old, &new, &shape).is_empty(), same);
        prop_assert_eq!(diff(&new, &old, &shape).is_empty(), same);
    }

    #[test]
    fn changes_point_at_their_values((old, new) in pair(), schema in schema()) {
        let shape = Shape::of_schema(&schema);
        let mut paths = Vec::new();
        for change in diff(&old, &new, &shape) {
            let (document, value, has_old, has_new) = match change.op {
                Op::Add => (&new, &change.new, false, true),
                Op::Replace => (&new, &change.new, true, true),
                Op::Remove => (&old, &change.old, true, false),
            };
            prop_assert_eq!((change.old.is_some(), change.new.is_some()), (has_old, has_new));
            prop_assert_eq!(&canonical_at(document, &shape, &change.path), value, "{}", change.path);
            paths.push((change.op == Op::Remove, change.path));
        }
        // No path is reported twice.
        let reported = paths.len();
        paths.sort();
        paths.dedup();
        prop_assert_eq!(paths.len(), reported);
    }

    #[test]
    fn volatile_members_never_differ(document in document(), one in document(), other in document()) {
        let shape = Shape::of_schema(&json!({
            "properties": { "day": { "x-lustra-volatile": true } },
            "items": { "properties": { "day": { "x-lustra-volatile": true } } },
        }));
        let mark = |value: &mut Value, day: &Value| {
            if let Value::Object(members) = value {
                members.insert("day".to_owned(), day.clone());
            }
        };
        let with = |day: &Value| {
            let mut document = document.clone();
            mark(&mut document, day);
            for item in document.as_array_mut().into_iter().flatten() {
                mark(item, day);
            }
            document
        };
        prop_assert_eq!(listed(&diff(&with(&one), &with(&other), &shape)), json!([]));
    }
}
