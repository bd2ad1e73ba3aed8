//! Compares the reference with the parser: the same settings, with the same defaults.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::config::ConnectorConfig;

/// Replaces the placeholders of a path by names.
fn named(path: &str) -> String {
    path.replace("<id>", "some").replace("<name>", "some")
}

/// The names that the parser accepts in a table, from its error for an unknown name.
fn accepted(table: &str) -> BTreeSet<String> {
    let header = if table.is_empty() {
        String::new()
    } else {
        format!("[{}]\n", named(table))
    };
    // Not by `Config::read`, which finds unknown names by the schema that is checked here.
    let error = toml::from_str::<Config>(&format!("{header}unknown__ = 1\n"));
    let error = error.expect_err("an unknown setting").to_string();
    let (_, expected) = error
        .split_once("expected")
        .unwrap_or_else(|| panic!("{error}"));
    expected
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_setting_that_parses_is_listed() {
    let settings = settings();
    let mut listed: BTreeMap<&str, BTreeSet<String>> = BTreeMap::from([("", BTreeSet::new())]);
    for setting in &settings {
        if setting.is_table() {
            listed.entry(&setting.setting).or_default();
        }
        // A table of tables is accepted by the name before its placeholder.
        let path = setting
            .setting
            .trim_end_matches(".<id>")
            .trim_end_matches(".<name>");
        let (table, name) = path.rsplit_once('.').unwrap_or(("", path));
        listed.entry(table).or_default().insert(name.to_owned());
    }
    assert!(listed.len() > 20, "{:?}", listed.keys());
    for (table, names) in listed {
        assert_eq!(accepted(table), names, "[{table}]");
    }
}

/// Inserts a value at a path of a TOML table.
fn put(into: &mut toml::Table, path: &str, value: toml::Value) {
    match path.split_once('.') {
        None => {
            into.insert(path.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = into
                .entry(first)
                .or_insert_with(|| toml::Table::new().into());
            put(
                inner.as_table_mut().expect("tables hold settings"),
                rest,
                value,
            );
        }
    }
}

#[test]
fn listed_defaults_are_those_of_the_program() {
    let mut general = toml::Table::new();
    let mut connector = toml::Table::new();
    for setting in settings() {
        let Ok(value) = toml::Value::try_from(&setting.default) else {
            assert!(setting.default.is_null() || setting.setting == "plans.<name>");
            continue;
        };
        if let Some(path) = setting.setting.strip_prefix("connector.<id>.") {
            // Limits of imports are rejected in the table of look-ups.
            let is_misplaced = ["limits.open_ms", "limits.run_ms", "limits.empty_batches"];
            if !is_misplaced.contains(&path) {
                put(&mut connector, path, value);
            }
        } else if !setting.setting.contains('<') {
            put(&mut general, &setting.setting, value);
        }
    }
    let read = Config::read(&general.to_string(), |_| None);
    assert_eq!(read.expect("defaults are valid"), Config::default());
    let text = toml::Value::Table(connector).to_string();
    let read = Config::read(&format!("connector.some = {text}"), |_| None);
    let mut read = read.expect("defaults are valid").connector["some"].clone();
    assert_eq!(read.limits.apply(Limits::lookup()), Limits::lookup());
    assert_eq!(read.import_limits.apply(Limits::import()), Limits::import());
    read.limits = LimitsConfig::default();
    read.import_limits = LimitsConfig::default();
    assert_eq!(read, ConnectorConfig::default());
}

#[test]
fn default_plans_are_listed() {
    let text = as_toml(&settings());
    let (_, plans) = text
        .split_once("\n# Default of `plans`.")
        .expect("they are there");
    let plans = plans
        .replace("\n#", "\n")
        .replace("\n Default of `plans`.", "");
    let read = Config::read(&plans, |_| None).unwrap_or_else(|error| panic!("{error}\n{plans}"));
    assert_eq!(read.plans, Config::default().plans);
}

#[test]
fn every_setting_is_documented() {
    for setting in settings() {
        assert!(
            setting.about.ends_with('.'),
            "{}: {}",
            setting.setting,
            setting.about
        );
        assert!(!setting.kind.is_empty(), "{}", setting.setting);
    }
    let unit = |path: &str| {
        let settings = settings();
        settings
            .iter()
            .find(|setting| setting.setting == path)
            .and_then(|setting| setting.unit)
    };
    assert_eq!(unit("freshness.live_budget_ms"), Some("milliseconds"));
    assert_eq!(unit("notifications.retry_seconds"), Some("seconds"));
    assert_eq!(unit("plans.<name>.requests_per_day"), Some("per day"));
    assert_eq!(unit("mail.attempts"), None);
}
