//! Details and sections.

use std::sync::Mutex;

use super::*;
use crate::testing::scope_name;
use crate::{ChangeSet, Details, FormerSection, PutOutcome, Section};

pub(super) fn details(ico: &str, register_id: &str, content: &str) -> Details {
    Details {
        ico: ico.to_owned(),
        connector: connector_id("orsr"),
        register_id: Some(register_id.to_owned()),
        found: true,
        content: Some(content.to_owned()),
        content_hash: format!("hash of {content}"),
        connector_version: "1.0.0".to_owned(),
        generation: 7,
        evidence: "[]".to_owned(),
    }
}

pub(super) fn section(ico: &str, scope: &str, content: &str) -> Section {
    Section {
        ico: ico.to_owned(),
        scope: scope_name(scope),
        content: Some(content.to_owned()),
        content_hash: format!("hash of {content}"),
        unread: false,
        unread_sources: None,
        connector: connector_id("debtors"),
        connector_version: "1.0.0".to_owned(),
        generation: 7,
        evidence: "[]".to_owned(),
    }
}

pub(super) fn throttled() -> SourceFailure {
    SourceFailure::new(FailureKind::Throttled, "throttled: wait 60 s")
}

#[tokio::test]
async fn details_distinguish_first_answer_from_change() {
    on_each_database(|store| async move {
        let table = store.details();
        let one = details("10000001", "1/1", "{\"a\":1}");
        assert_eq!(table.put(&one, START).await.unwrap(), PutOutcome::First);
        assert_eq!(
            table.put(&one, after(1)).await.unwrap(),
            PutOutcome::Unchanged
        );
        let other = details("10000001", "1/1", "{\"a\":2}");
        assert_eq!(
            table.put(&other, after(2)).await.unwrap(),
            PutOutcome::Changed
        );
        let found = table.find("10000001").await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (&found[0].content, found[0].fetched_at),
            (&other.content, Some(after(2)))
        );
    })
    .await;
}

#[tokio::test]
async fn failure_keeps_earlier_content() {
    on_each_database(|store| async move {
        let table = store.details();
        table
            .put_failure(
                "10000001",
                &connector_id("orsr"),
                &failure("out of order"),
                START,
            )
            .await
            .unwrap();
        let failed = table.find("10000001").await.unwrap().remove(0);
        assert_eq!(
            (failed.content, failed.fetched_at, failed.failed_at),
            (None, None, Some(START))
        );

        assert_eq!(
            table
                .put(&details("10000001", "1/1", "{}"), after(1))
                .await
                .unwrap(),
            PutOutcome::First
        );
        let good = table.find("10000001").await.unwrap().remove(0);
        assert_eq!((good.failed_at, &good.failure), (None, &None));

        table
            .put_failure(
                "10000001",
                &connector_id("orsr"),
                &failure("out of order"),
                after(2),
            )
            .await
            .unwrap();
        let both = table.find("10000001").await.unwrap().remove(0);
        assert_eq!(
            (both.content.as_deref(), both.fetched_at),
            (Some("{}"), Some(after(1)))
        );
        assert_eq!(
            (both.failure, both.failed_at),
            (Some(failure("out of order")), Some(after(2)))
        );
    })
    .await;
}

#[tokio::test]
async fn bare_register_id_matches_every_section() {
    on_each_database(|store| async move {
        let table = store.details();
        for (ico, id) in [
            ("10000001", "12"),
            ("10000002", "12/3"),
            ("10000003", "123/1"),
            ("10000004", "x/1"),
        ] {
            table.put(&details(ico, id, "{}"), START).await.unwrap();
        }
        let icos = async |connector: &str, id: &str| -> Vec<String> {
            let found = table
                .find_by_register_id(&connector_id(connector), id)
                .await
                .unwrap();
            found
                .into_iter()
                .map(|details| details.ico[7..].to_owned())
                .collect()
        };
        assert_eq!(icos("orsr", "12").await, ["1", "2"]);
        assert_eq!(icos("orsr", "12/3").await, ["2"]);
        assert_eq!(icos("orsr", "x").await, [""; 0]);
        assert_eq!(icos("orsr", "").await, [""; 0]);
        assert_eq!(icos("rpo", "12").await, [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn sections_are_found_by_scope() {
    on_each_database(|store| async move {
        let table = store.sections();
        for scope in ["vat", "debtors", "insolvency"] {
            table
                .put(&section("10000001", scope, "{}"), START)
                .await
                .unwrap();
        }
        let found = table
            .find(
                "10000001",
                &["vat", "insolvency", "unknown"].map(scope_name),
            )
            .await
            .unwrap();
        let scopes: Vec<&str> = found.iter().map(|section| section.scope.as_str()).collect();
        assert_eq!(scopes, ["insolvency", "vat"]);
        assert!(table.find("10000001", &[]).await.unwrap().is_empty());
        assert!(
            table
                .find("10000002", &[scope_name("vat")])
                .await
                .unwrap()
                .is_empty()
        );
    })
    .await;
}

#[tokio::test]
async fn dirty_section_is_clean_after_reading() {
    on_each_database(|store| async move {
        let table = store.sections();
        let read = section("10000001", "vat", "{}");
        assert_eq!(table.put(&read, START).await.unwrap(), PutOutcome::First);
        let icos: Vec<String> = (0..1500)
            .map(|number| format!("{:08}", 10_000_000 + number))
            .collect();
        let icos: Vec<&str> = icos.iter().map(String::as_str).collect();
        let cases: [(&[&str], &[&str]); 3] = [
            (&["debtors"], &[]),
            (&["vat", "debtors"], &["10000001"]),
            (&["vat"], &[]),
        ];
        for (scopes, marked) in cases {
            let names: Vec<_> = scopes.iter().copied().map(scope_name).collect();
            let found = table.mark_dirty(&names, &icos).await.unwrap();
            assert!(found.iter().eq(marked), "{scopes:?}: {found:?}");
        }

        table
            .put_failure(
                "10000001",
                &scope_name("vat"),
                &connector_id("debtors"),
                &throttled(),
                after(1),
            )
            .await
            .unwrap();
        let failed = table
            .find("10000001", &[scope_name("vat")])
            .await
            .unwrap()
            .remove(0);
        assert_eq!((failed.dirty, failed.failure), (true, Some(throttled())));

        assert_eq!(
            table.put(&read, after(2)).await.unwrap(),
            PutOutcome::Unchanged
        );
        let clean = table
            .find("10000001", &[scope_name("vat")])
            .await
            .unwrap()
            .remove(0);
        assert_eq!(
            (clean.dirty, clean.failure, clean.fetched_at),
            (false, None, Some(after(2)))
        );
    })
    .await;
}

#[tokio::test]
async fn section_that_was_never_read_is_unread() {
    on_each_database(|store| async move {
        store
            .sections()
            .put_failure(
                "10000001",
                &scope_name("vat"),
                &connector_id("debtors"),
                &throttled(),
                START,
            )
            .await
            .unwrap();
        let failed = store
            .sections()
            .find("10000001", &[scope_name("vat")])
            .await
            .unwrap()
            .remove(0);
        assert_eq!(
            (failed.unread, failed.content, failed.fetched_at),
            (true, None, None)
        );
    })
    .await;
}

#[tokio::test]
async fn changed_details_mark_sections_that_extend_them() {
    on_each_database(|store| async move {
        let sections = store.sections();
        for (ico, scope) in [
            ("10000001", "orsr"),
            ("10000001", "tax"),
            ("10000002", "orsr"),
        ] {
            sections
                .put(&section(ico, scope, "{}"), START)
                .await
                .unwrap();
        }
        let dirty = async || {
            let mut found = Vec::new();
            for ico in ["10000001", "10000002"] {
                for stored in sections
                    .find(ico, &["orsr", "tax"].map(scope_name))
                    .await
                    .unwrap()
                {
                    found.push(stored.dirty);
                }
            }
            found
        };
        let silent = |_: Option<&crate::StoredDetails>, _: &Details| ChangeSet::default();
        let put = async |content: &str| {
            let details = details("10000001", "1/1", content);
            let table = store.details();
            let written = table
                .put_compared(&details, &silent, &[scope_name("orsr")], START)
                .await;
            written.unwrap()
        };
        put("{}").await;
        assert_eq!(dirty().await, [true, false, false]);
        sections
            .put(&section("10000001", "orsr", "{}"), START)
            .await
            .unwrap();
        assert_eq!(put("{}").await, PutOutcome::Unchanged);
        assert_eq!(dirty().await, [false; 3]);
        assert_eq!(put("{\"a\":1}").await, PutOutcome::Changed);
        assert_eq!(dirty().await, [true, false, false]);
    })
    .await;
}

#[tokio::test]
async fn baseline_names_its_version_and_unread_sources() {
    on_each_database(|store| async move {
        let sections = store.sections();
        let first = Section {
            unread_sources: Some("[1]".to_owned()),
            ..section("10000001", "tax", "{}")
        };
        sections.put(&first, START).await.unwrap();
        let partial = Section {
            unread: true,
            connector_version: "1.0.1".to_owned(),
            ..section("10000001", "tax", "{\"unread\":[]}")
        };
        // The last complete content before this section was stored, what read it, and its unread sources.
        let put = async |section: &Section, at| {
            let before = Mutex::new(None);
            let compare = |former: Option<&FormerSection>, _: &Section| {
                let complete = former.and_then(FormerSection::complete);
                *before.lock().unwrap() = complete.map(|baseline| {
                    let sources = baseline.unread_sources.map(str::to_owned);
                    (baseline.content.to_owned(), baseline.reader, sources)
                });
                ChangeSet::default()
            };
            sections.put_compared(section, &compare, at).await.unwrap();
            before.into_inner().unwrap()
        };
        let expected = (
            "{}".to_owned(),
            first.reader(),
            first.unread_sources.clone(),
        );
        for at in [1, 2] {
            let before = put(&partial, after(at)).await;
            assert_eq!(before, Some(expected.clone()));
        }
        let whole = Section {
            unread: false,
            ..partial.clone()
        };
        let before = put(&whole, after(3)).await;
        assert_eq!(before, Some(expected));
        let before = put(&partial, after(4)).await;
        assert_eq!(
            before.map(|(_, reader, sources)| (reader, sources)),
            Some((whole.reader(), None))
        );
    })
    .await;
}
