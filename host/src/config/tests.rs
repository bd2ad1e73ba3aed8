//! Tests of reading settings: defaults, mistakes and `env:NAME` values.

use super::*;

#[test]
fn empty_file_gives_the_defaults() {
    let config = Config::read("", |_| None).expect("it is a configuration");
    assert_eq!(config.listen.port(), 8080);
    assert!(config.plans.contains_key("free"));
    assert!(config.store_url().starts_with("sqlite:"));
}

#[test]
fn mistakes_are_reported_together_with_their_place() {
    let error = Config::read("store_connections = 0\n[pool]\ninstances = 0\n", |_| None)
        .expect_err("two mistakes");
    assert_eq!(error.0.len(), 2);
    let unknown =
        Config::read("[freshness]\ndetail_days = 3\n", |_| None).expect_err("an unknown setting");
    assert!(
        unknown.to_string().contains("detail_days") && unknown.to_string().contains("line 2"),
        "{unknown}"
    );
}

#[test]
fn secrets_from_the_environment_are_not_shown() {
    let text = "store = \"env:URL\"\n[connector.x.settings]\nkey = \"env:KEY\"\n";
    let value = |name: &str| Some(format!("sqlite:value of {name}"));
    let config = Config::read(text, value).expect("both are there");
    assert_eq!(config.store_url(), "sqlite:value of URL");
    assert!(!format!("{config:?}").contains("value of"), "{config:?}");
    let missing = Config::read(text, |_| None).expect_err("neither is there");
    assert_eq!(missing.0.len(), 2);
}

#[test]
fn mistake_after_a_value_of_the_environment_has_its_line() {
    let text = "store = \"env:URL\"\n\n[pool]\ninstances = 0\n";
    let error = Config::read(text, |_| Some("sqlite:a.db".to_owned())).expect_err("one is wrong");
    assert_eq!(error.0[0].line, Some(4), "{error}");
}

#[test]
fn settings_of_connectors_may_have_any_form() {
    let text = "[connector.a.settings.lists]\nregister = { path = \"x\" }\nmore = [1, \"b\"]\n";
    let config = Config::read(text, |_| None).expect("the manifest decides");
    let settings = config.connector["a"].settings.reveal();
    assert_eq!(settings["lists"]["register"]["path"], "x");
}

#[test]
fn times_beyond_a_hundred_years_are_mistakes() {
    let text = "clock_ahead_hours = 876001\n[web]\nsession_days = 36501\nlink_minutes = 52560001\n[batch]\n\
        results_hours = 99999999\n[search]\npoll_ms = 3153600000001\n[freshness]\ndetails_days = 36500.5\n";
    let error = Config::read(text, |_| None).expect_err("six are too long");
    assert_eq!(error.0.len(), 6, "{error}");
    assert!(
        error
            .to_string()
            .contains("line 3: web.session_days: at most 36500"),
        "{error}"
    );
    let longest =
        "[web]\nsession_days = 36500\nidle_hours = 876000\n[freshness]\ndetails_days = 36500.0\n";
    assert!(Config::read(longest, |_| None).is_ok());
}
