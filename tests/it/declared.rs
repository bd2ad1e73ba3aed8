//! Compares the types that public clients of the older service declare with the responses about many companies.
//!
//! `LUSTRA_DECLARED_COMPANIES=1000 cargo test --workspace --test it -- declared` checks that many companies.

mod shapes;

use std::collections::BTreeSet;

use futures_util::{StreamExt, stream};
use lustra_tests::{Answer, World};
use serde_json::Value;

pub use shapes::SHAPES;
use shapes::{BASE, DETAILS};

use crate::support::reading;

/// Default number of checked companies; `LUSTRA_DECLARED_COMPANIES` overrides it.
const COMPANIES: u32 = 30;

/// Number of concurrent requests.
const AT_ONCE: usize = 4;

/// Sections that are null if their register does not know the company.
const NULLABLE: [&str; 3] = ["gleif", "employer_headcount", "replik_administrator"];

/// The objects at a place; `[]` after a name means every item of a list. A missing or null place has none.
pub fn objects<'a>(data: &'a Value, place: &str) -> Vec<&'a Value> {
    let mut found = vec![data];
    for name in place.split('/') {
        let (name, is_list) = match name.strip_suffix("[]") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let members = found.into_iter().filter_map(|value| value.get(name));
        found = if is_list {
            members.filter_map(Value::as_array).flatten().collect()
        } else {
            members.filter(|value| !value.is_null()).collect()
        };
    }
    found
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Members of an object that do not match its shape. `has_unread`: a source could not be read, so a dependent member
/// is null (decision 41).
pub fn misshapen(object: &Value, shape: &str, has_unread: bool) -> Vec<String> {
    let members = shape
        .split_whitespace()
        .filter_map(|member| member.split_once(':'));
    let wrong = members.filter(|(name, wanted)| match object.get(*name) {
        None => !wanted.ends_with("??"),
        Some(Value::Null) => !has_unread && !wanted.ends_with('?') && *wanted != "any",
        Some(value) => *wanted != "any" && type_of(value) != wanted.trim_end_matches('?'),
    });
    wrong
        .map(|(name, wanted)| format!("{name} is {:?}, not {wanted}", object.get(name)))
        .collect()
}

/// The state of the scope whose section has this key.
fn state<'a>(answer: &'a Answer, key: &str) -> &'a str {
    let scope = match key {
        "public_contracts_summary" => "public_contracts",
        "procurement_summary" => "procurement",
        "fs" => "fs_imports",
        scope => scope,
    };
    let state = answer.at("/meta/scopes")[scope]["state"].as_str();
    state.unwrap_or_default()
}

/// The parts of a response with all scopes that do not match the clients' declarations.
fn undeclared(answer: &Answer) -> Vec<String> {
    let data = answer.at("/data");
    let mut wrong = Vec::new();
    let mut check = |root: &Value, path: &str, shape: &str, has_unread: bool| {
        for object in objects(root, path) {
            let of_object = misshapen(object, shape, has_unread).into_iter();
            wrong.extend(of_object.map(|wrong| format!("{path}: {wrong}")));
        }
    };
    for (path, shape) in BASE {
        check(&answer.body, path, shape, false);
    }
    if data["source_register"] == "orsr" {
        for (path, shape) in DETAILS {
            check(&answer.body, path, shape, false);
        }
    }
    for (path, shape) in SHAPES {
        let key = path.split(['/', '[']).next().unwrap_or(path);
        let unread = data[key]["unread"].as_array();
        let has_unread = unread.is_some_and(|unread| !unread.is_empty());
        check(data, path, shape, has_unread);
    }
    let keys = SHAPES.map(|(path, _)| path.split(['/', '[']).next().unwrap_or(path));
    for key in BTreeSet::from(keys) {
        let state = state(answer, key);
        let is_right = match data.get(key) {
            // The total number of unread scopes is checked separately.
            None => ["not_applicable", "unread"].contains(&state),
            Some(Value::Null) => NULLABLE.contains(&key),
            Some(_) => true,
        };
        if !is_right {
            wrong.push(format!("{key} is {:?}, {state}", data.get(key)));
        }
    }
    let is_text = |value: &Value| value.is_string();
    let activities = data["business_activities"].as_array();
    if !activities.is_none_or(|activities| activities.iter().all(is_text)) {
        wrong.push(format!("business_activities: {activities:?}"));
    }
    wrong
}

/// Requests the first companies of the population, a few at a time.
async fn ask_about(world: &World, companies: u32) {
    let answers = stream::iter(0..companies).map(async |index| {
        let ico = world.simulator.population().ico(index);
        let answer = world.company(&ico, "all").await;
        assert_eq!(answer.status, 200, "{ico}: {answer:?}");
        let wrong = undeclared(&answer).into_iter();
        let wrong: Vec<String> = wrong.map(|wrong| format!("{ico} {wrong}")).collect();
        let scopes = answer.at("/meta/scopes").as_object();
        let states = scopes
            .into_iter()
            .flatten()
            .map(|(_, scope)| &scope["state"]);
        let (unread, read): (Vec<_>, Vec<_>) = states.partition(|state| *state == "unread");
        (wrong, unread.len(), read.len())
    });
    let answers: Vec<(Vec<String>, usize, usize)> =
        answers.buffer_unordered(AT_ONCE).collect().await;
    let unread: usize = answers.iter().map(|(_, unread, _)| unread).sum();
    let read: usize = answers.iter().map(|(.., read)| read).sum();
    assert!(
        unread * 20 < read,
        "{unread} unread sections, {read} others"
    );
    let wrong = answers.into_iter().flat_map(|(wrong, ..)| wrong);
    let mut wrong: Vec<String> = wrong.collect();
    let number = wrong.len();
    wrong.truncate(40);
    assert_eq!(wrong, Vec::<String>::new(), "{number} in all");
}

fn companies() -> u32 {
    let set = std::env::var("LUSTRA_DECLARED_COMPANIES").ok();
    set.map_or(COMPANIES, |set| {
        set.parse().expect("LUSTRA_DECLARED_COMPANIES is a number")
    })
}

#[test]
fn answers_have_the_types_that_clients_declare() {
    if companies() <= COMPANIES {
        reading(async |world| ask_about(world, companies()).await);
        return;
    }
    let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
    runtime.block_on(async {
        let world = World::new().companies(companies()).settings(|config| {
            // A generous budget keeps responses complete on a busy machine.
            config.freshness.live_budget_ms = 120_000;
            config.requests.timeout_seconds = 180;
        });
        let world = world.start().await;
        ask_about(&world, companies()).await;
        world.end().await;
    });
}
