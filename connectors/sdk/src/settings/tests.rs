#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

use serde_json::json;

use super::Secret;
use crate::Failure;
use crate::testing::TestHost;

crate::settings! {
    /// Settings for these tests.
    pub struct Settings {
        /// Path of the service.
        path as "service_path": String = "/decisions",
        /// Number of rows on a page.
        page_size: u64 [1..=100] = 20,
        /// Age of a row in days.
        days: i64 [0..] = 7,
        /// Share of odd rows, from 0 to 1.
        share: f64 [0.0..=1.0] = 0.5,
        /// Key of the service.
        key: Option<Secret> = None,
        /// Where the list comes from.
        source: Source = Source::Page,
        /// Words of the list's statuses.
        words: Words = Words::default(),
    }
    check Self::checked;
}

crate::settings! {
    /// Where a list comes from.
    pub choice Source {
        /// The pages of the register.
        Page = "page",
        /// A file that the operator supplies.
        File = "file",
    }
}

crate::settings! {
    /// Words of a list.
    pub group Words {
        /// Words that mean that a row is *valid*.
        valid: Vec<String> = ["platná"],
        /// Codes that mean that a row is *ended*.
        ended: Vec<u32> = [3, 4],
    }
}

impl Settings {
    fn checked(self) -> Result<Self, Failure> {
        if self.path.starts_with('/') {
            return Ok(self);
        }
        Err(Failure::Misconfigured("service_path".to_owned()))
    }
}

fn read(settings: &[(&str, serde_json::Value)]) -> Result<Settings, String> {
    let mut host = TestHost::new();
    for (name, value) in settings {
        host = host.setting(name, value);
    }
    host.install();
    Settings::read().map_err(|failure| {
        let Failure::Misconfigured(why) = failure else {
            panic!("{failure:?}");
        };
        why
    })
}

#[test]
fn missing_settings_have_their_defaults() {
    let settings = read(&[]).unwrap();
    assert_eq!(settings, Settings::default());
    for member in Settings::declared().0 {
        assert!(member.description.is_some(), "{member:?}");
    }
    assert_eq!(
        (settings.path.as_str(), settings.page_size),
        ("/decisions", 20)
    );
    assert_eq!(settings.words.ended, [3, 4]);
}

#[test]
fn operator_values_replace_defaults() {
    let settings = read(&[
        ("service_path", json!("/x")),
        ("page_size", json!(100)),
        ("share", json!(1)),
        ("key", json!("secret key")),
        ("source", json!("file")),
        ("words", json!({"valid": []})),
    ])
    .unwrap();
    assert_eq!((settings.path.as_str(), settings.page_size), ("/x", 100));
    assert!(!format!("{settings:?}").contains("secret key"));
    let key = settings.key.as_ref().and_then(Secret::text);
    assert_eq!(key, Some("secret key"));
    assert_eq!(settings.source, Source::File);
    assert_eq!(
        (settings.words.valid.len(), settings.words.ended.len()),
        (0, 2)
    );
}

#[test]
fn wrong_values_name_their_setting() {
    for (name, value, part) in [
        ("page_size", json!(0), "at least 1 and at most 100, not 0"),
        ("page_size", json!(101), "not 101"),
        ("page_size", json!("x"), "invalid type"),
        ("days", json!(-1), "at least 0, not -1"),
        ("share", json!(1.5), "at most 1, not 1.5"),
        ("source", json!("both"), "unknown variant"),
        ("words", json!({"expired": []}), "unknown field"),
        ("service_path", json!("x"), ""),
    ] {
        let why = read(&[(name, value)]).unwrap_err();
        assert!(why.contains(name) && why.contains(part), "{name}: {why}");
    }
}
