//! Common tests for all connectors that read an operator's list.
#![expect(
    clippy::expect_used,
    reason = "a connector that does otherwise is a test that fails, and says why"
)]

use serde_json::{Value, json};

use super::{Answer, Manifest, TestHost, batches, run_import, subject};
use crate::listed::{Listed, UPSTREAM};
use crate::testing::fixtures::told;
use crate::{Enrichment, Failure, Item, Notes, Section};

/// The time on the test host's clock.
const NOW: &str = "2026-01-15T06:00:00Z";

/// A list for a connector that is [`Listed`].
#[derive(Debug)]
pub struct OperatorList {
    pub manifest: Manifest,
    /// A list as the operator would supply it, in CSV.
    pub list: &'static str,
    /// The IČO of a company on the list.
    pub ico: &'static str,
}

impl OperatorList {
    /// A host with the list as an upstream, on 15 January 2026.
    #[must_use]
    pub fn host(&self) -> TestHost {
        self.host_with(Answer::ok(self.list))
    }

    fn host_with(&self, answer: Answer) -> TestHost {
        TestHost::new().now(NOW).answer(UPSTREAM, "", answer)
    }

    /// A host that has imported the list.
    ///
    /// # Panics
    /// The import fails.
    #[must_use]
    #[track_caller]
    pub fn imported<C: Listed>(&self) -> TestHost {
        self.host().install();
        let (items, _, _) = run_import::<C>(C::DATASET, None).expect("a good list");
        self.host().dataset(C::DATASET, NOW, None, items)
    }

    /// The section of a company, checked against its schema.
    ///
    /// # Panics
    /// The connector fails, or the section does not match its schema.
    #[must_use]
    #[track_caller]
    pub fn section<C: Listed>(&self, host: TestHost, ico: &str) -> (Section, Value) {
        host.install();
        let section = C::enrich(C::SCOPE, subject(ico)).expect("a section");
        let content = self.manifest.content(C::SCOPE, &section);
        assert!(TestHost::requests().is_empty(), "no request is made");
        (section, content)
    }

    /// The content of a company's section from the imported list, on a day given as `YYYY-MM-DD`.
    ///
    /// # Panics
    /// As [`OperatorList::imported`] and [`OperatorList::section`].
    #[must_use]
    #[track_caller]
    pub fn content_on<C: Listed>(&self, day: &str, ico: &str) -> Value {
        let host = self.imported::<C>().now(&format!("{day}T12:00:00Z"));
        self.section::<C>(host, ico).1
    }

    /// Checks what is the connector's own in the common behaviour: the manifest leaves the list to
    /// the operator, the list is read and resumed behind its cursor, and the section makes no
    /// statement without the list. The SDK tests the rest once for all.
    ///
    /// # Panics
    /// The connector behaves differently.
    #[track_caller]
    pub fn assert_usual<C: Listed>(&self) {
        self.assert_manifest::<C>();
        self.assert_imports::<C>();
        self.assert_silence::<C>();
    }

    #[track_caller]
    fn assert_manifest<C: Listed>(&self) {
        self.manifest.assert_valid();
        let manifest = self.manifest.json();
        assert_eq!(manifest["upstreams"][UPSTREAM]["address"], Value::Null);
        let dataset = &manifest["datasets"][0];
        assert_eq!(
            (&dataset["id"], &dataset["on"]),
            (&json!(C::DATASET), &json!(false))
        );
        assert!(dataset["needs"].is_string(), "it says what it needs");
        let scope = &manifest["scopes"][0];
        assert_eq!(
            (&scope["scope"], &scope["live"], &scope["datasets"]),
            (&json!(C::SCOPE), &json!(false), &json!([C::DATASET]))
        );
    }

    #[track_caller]
    fn assert_imports<C: Listed>(&self) {
        self.host().install();
        let whole = batches::<C>(C::DATASET, None).expect("a good list");
        let items = whole.iter().flat_map(|batch| &batch.items);
        let mut own = items.filter(|item| item.ico.as_deref() == Some(self.ico));
        assert!(own.next().is_some(), "{} is on the list", self.ico);
        assert_eq!(TestHost::requests(), [format!("{UPSTREAM} ")]);
        let cursor = &whole.last().expect("a batch").cursor;
        let rest = batches::<C>(C::DATASET, Some(cursor)).expect("the same list");
        assert!(rest.is_empty(), "nothing is left");
        let (rows, _) = self.list.trim_end().rsplit_once('\n').expect("two rows");
        self.host_with(Answer::ok(rows)).install();
        let other = batches::<C>(C::DATASET, Some(cursor));
        assert!(matches!(other, Err(Failure::Other((code, _))) if code == "list-changed"));
    }

    #[track_caller]
    fn assert_silence<C: Listed>(&self) {
        for (host, expected) in [
            (self.imported::<C>().off(C::DATASET), "off: "),
            (self.host(), "never imported"),
            (
                self.host()
                    .failed(C::DATASET, "malformed: row of Ján Skúšobný"),
                "never imported: ",
            ),
        ] {
            let (section, content) = self.section::<C>(host, self.ico);
            let why = content["unread"][0]["why"].as_str().unwrap_or_default();
            assert!(why.starts_with(expected), "{content}");
            assert!(!why.contains("Skúšobný"), "{content}");
            assert_eq!(section.unread.len(), 1);
            let members = content.as_object().expect("an object");
            for (name, value) in members.iter().filter(|(name, _)| *name != "unread") {
                let says_nothing = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
                assert!(says_nothing, "{name} of {content}");
            }
        }
    }
}

/// The result of reading a list for `expected.json`: its records and notes, or the failure.
///
/// # Panics
/// A record is not JSON.
#[must_use]
pub fn shown(read: Result<(Vec<Item>, Notes), Failure>) -> Value {
    let (items, notes) = match read {
        Ok(read) => read,
        Err(failure) => return told(&failure),
    };
    let record = |item: Item| {
        let content: Value = serde_json::from_str(&item.content).expect("a record is JSON");
        (item.key, content)
    };
    let fields = notes.fields().into_iter();
    json!({
        "records": items.into_iter().map(record).collect::<serde_json::Map<_, _>>(),
        "notes": fields.map(|note| (note.name, json!(note.value))).collect::<serde_json::Map<_, _>>(),
    })
}
