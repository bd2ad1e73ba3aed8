//! Common tests for all connectors that read an operator's list.
#![expect(
    clippy::expect_used,
    reason = "a connector that does otherwise is a test that fails, and says why"
)]

use serde_json::{Value, json};

use super::{Answer, Manifest, TestHost, batches, run_import, subject};
use crate::listed::UPSTREAM;
use crate::records::item;
use crate::testing::fixtures::told;
use crate::{Enrichment, Failure, Importer, Item, Notes, Section};

/// The time on the test host's clock.
const NOW: &str = "2026-01-15T06:00:00Z";

/// A connector that reads an operator's list.
#[derive(Debug)]
pub struct OperatorList {
    pub manifest: Manifest,
    /// The connector's only scope.
    pub scope: &'static str,
    /// The connector's only dataset.
    pub dataset: &'static str,
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
    pub fn imported<C: Importer>(&self) -> TestHost {
        self.host().install();
        let (items, _, _) = run_import::<C>(self.dataset, None).expect("a good list");
        self.host().dataset(self.dataset, NOW, None, items)
    }

    /// The section of a company, checked against its schema.
    ///
    /// # Panics
    /// The connector fails, or the section does not match its schema.
    #[must_use]
    #[track_caller]
    pub fn section<C: Enrichment>(&self, host: TestHost, ico: &str) -> (Section, Value) {
        host.install();
        let section = C::enrich(self.scope, subject(ico)).expect("a section");
        let content = self.manifest.content(self.scope, &section);
        assert!(TestHost::requests().is_empty(), "nobody is asked");
        (section, content)
    }

    /// Checks the common behaviour: the manifest leaves the list to the operator, a file that is
    /// not a list is refused, a run resumes behind its cursor, and no statement is made without
    /// the list.
    ///
    /// # Panics
    /// The connector behaves differently.
    #[track_caller]
    pub fn assert_usual<C: Enrichment + Importer>(&self) {
        self.assert_manifest();
        self.assert_imports::<C>();
        self.assert_refusals::<C>();
        self.assert_silence::<C>();
    }

    #[track_caller]
    fn assert_manifest(&self) {
        self.manifest.assert_valid();
        let manifest = self.manifest.json();
        assert_eq!(manifest["upstreams"][UPSTREAM]["address"], Value::Null);
        let dataset = &manifest["datasets"][0];
        assert_eq!(
            (&dataset["id"], &dataset["on"]),
            (&json!(self.dataset), &json!(false))
        );
        assert!(dataset["needs"].is_string(), "it says what it needs");
        let scope = &manifest["scopes"][0];
        assert_eq!(
            (&scope["scope"], &scope["live"], &scope["datasets"]),
            (&json!(self.scope), &json!(false), &json!([self.dataset]))
        );
    }

    #[track_caller]
    fn assert_imports<C: Importer>(&self) {
        self.host().install();
        let whole = batches::<C>(self.dataset, None).expect("a good list");
        let items = whole.iter().flat_map(|batch| &batch.items);
        let mut own = items.filter(|item| item.ico.as_deref() == Some(self.ico));
        assert!(own.next().is_some(), "{} is on the list", self.ico);
        assert_eq!(TestHost::requests(), [format!("{UPSTREAM} ")]);
        let cursor = &whole.last().expect("a batch").cursor;
        let rest = batches::<C>(self.dataset, Some(cursor)).expect("the same list");
        assert!(rest.is_empty(), "nothing is left");
        let (rows, _) = self.list.trim_end().rsplit_once('\n').expect("two rows");
        self.host_with(Answer::ok(rows)).install();
        let other = batches::<C>(self.dataset, Some(cursor));
        assert!(matches!(other, Err(Failure::Other((code, _))) if code == "list-changed"));
    }

    #[track_caller]
    fn assert_refusals<C: Importer + Enrichment>(&self) {
        // Cut the list within its last row.
        let cut = self.list.trim_end().rfind('\n').expect("two rows") + 5;
        let cut = &self.list.as_bytes()[..cut];
        for (name, answer, expected) in [
            (
                "a page",
                Answer::html("<!DOCTYPE html><html></html>"),
                "unavailable",
            ),
            (
                "a page by another name",
                Answer::ok("\u{feff}\r\n<html>"),
                "unavailable",
            ),
            ("status 404", Answer::status(404, "x"), "unavailable"),
            ("status 500", Answer::status(500, "x"), "unavailable"),
            ("status 429", Answer::status(429, "x"), "throttled"),
            ("nothing", Answer::ok(""), "malformed"),
            ("garbage", Answer::ok(vec![0xff; 64]), "malformed"),
            (
                "a broken workbook",
                Answer::ok(b"PK\x03\x04xxxx".to_vec()),
                "malformed",
            ),
            ("another table", Answer::ok("a;b\r\n1;2\r\n"), "malformed"),
            ("a list cut short", Answer::ok(cut.to_vec()), "malformed"),
        ] {
            self.host_with(answer).install();
            let failure = run_import::<C>(self.dataset, None).expect_err(name);
            let failure = told(&failure)["failure"].to_string();
            let kind = failure.trim_matches('"').split(':').next();
            assert_eq!(kind, Some(expected), "{name}: {failure}");
        }
        for other in ["", "x", "licences\0"] {
            let refused = [
                C::open(other, None).err(),
                C::enrich(other, subject(self.ico)).err(),
            ];
            for refused in refused {
                assert!(
                    matches!(&refused, Some(Failure::Other((code, _))) if code == "not-offered"),
                    "{other:?}: {refused:?}"
                );
            }
        }
    }

    #[track_caller]
    fn assert_silence<C: Enrichment + Importer>(&self) {
        for (host, expected) in [
            (self.imported::<C>().off(self.dataset), "off: "),
            (self.host(), "never imported"),
            (
                self.host()
                    .failed(self.dataset, "malformed: row of Ján Skúšobný"),
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
        let strange = item("x", Some(self.ico), &json!(["another form"])).expect("JSON");
        let host = self.host().dataset(self.dataset, NOW, None, vec![strange]);
        host.install();
        let failure = C::enrich(self.scope, subject(self.ico)).err();
        assert!(
            matches!(failure, Some(Failure::Malformed(_))),
            "{failure:?}"
        );
        self.imported::<C>().install();
        for key in ["", "\0", "9999990", "' or 1=1 --", "\u{202e}10999999"] {
            assert!(C::enrich(self.scope, subject(key)).is_err(), "{key}");
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
