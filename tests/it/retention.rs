//! Deletion of old rows by one of several hosts, and what guide and metrics say about sizes.

use std::collections::BTreeMap;

use lustra_tests::World;
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::reference::settings;
use lustra_tests::lustra::context::Context;
use lustra_tests::lustra::retention::Retention;
use lustra_tests::lustra::store::{RetentionBound, TABLES};
use reqwest::Method;

use crate::architecture::repository;
use crate::faults_support::on_each_kind;

#[tokio::test]
async fn one_host_deletes_old_rows_and_all_show_sizes() {
    on_each_kind(
        |kind| {
            World::new()
                .on(kind)
                .companies(12)
                .nothing_imported()
                .without_index()
        },
        async |world| {
            let neighbour = world.neighbour().await;
            let (store, now) = (&world.store, world.now());
            let minute = std::time::Duration::from_secs(60);
            let taken = store
                .leases()
                .acquire("of a killed host", "gone", minute, now)
                .await;
            assert!(taken.expect("the store is there"));
            let days = world.simulator.clock().clone();
            let clock = Clock::from_fn(move || days.now());
            let context = Context::new(store.clone(), clock, world.config());
            let worker = |name: &str| Retention::new(context.clone(), name.to_owned());
            let (one, other) = (worker("one"), worker("other"));
            let first = one.step().await.expect("the store is there");
            let first = first.expect("no other host does it");
            assert_eq!((first.deleted, first.measured), (0, true));
            let second = other.step().await.expect("the store is there");
            assert_eq!(second, None, "the first host has the lease");
            world.advance(2);
            let third = other.step().await.expect("the store is there");
            let third = third.expect("the lease has ended");
            assert!(third.deleted >= 1 && third.measured, "{third:?}");
            let holder = store.leases().holder("of a killed host", now).await;
            assert_eq!(holder.expect("the store is there"), None);
            for metrics in [
                world.operator(Method::GET, "/metrics", &[]).await,
                neighbour.operator(Method::GET, "/metrics", &[]).await,
            ] {
                let text = metrics.body.as_str().expect("a text");
                assert!(
                    text.contains("lustra_store_rows{table=\"account\"} 1.0"),
                    "{text}"
                );
                for rule in TABLES {
                    let line = format!("lustra_store_rows{{table=\"{}\"}} ", rule.table);
                    assert!(text.contains(&line), "{line}");
                }
                assert!(text.contains("lustra_store_bytes{database=\""), "{text}");
            }
        },
    )
    .await;
}

/// The rows of the table in the guide: the tables that the first cell names, and the cell with the setting.
fn rows_of_the_guide() -> BTreeMap<String, (String, String)> {
    let guide = repository().join("host/docs/operating.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let (_, section) = guide.split_once("## Retention").expect("a section");
    let (section, _) = section.split_once("\n## ").unwrap_or((section, ""));
    let mut rows = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        for table in cells[0].split('`').skip(1).step_by(2) {
            let row = (cells[2].trim_matches('`').to_owned(), cells[3].to_owned());
            assert!(
                rows.insert(table.to_owned(), row).is_none(),
                "{table} twice"
            );
        }
    }
    rows
}

#[test]
fn guide_says_what_bounds_each_table() {
    let rows = rows_of_the_guide();
    let settings = settings();
    for rule in TABLES {
        let (setting, default) = rows
            .get(rule.table)
            .unwrap_or_else(|| panic!("{} is not in the guide", rule.table));
        let expected = match rule.bound {
            RetentionBound::Setting(setting) => setting,
            RetentionBound::Expires(_)
            | RetentionBound::PerObject(_)
            | RetentionBound::Fixed
            | RetentionBound::Never(_) => "",
        };
        assert_eq!(setting, expected, "{}", rule.table);
        let known = settings.iter().find(|known| known.setting == expected);
        let known = known.map_or_else(String::new, |known| known.default.to_string());
        assert_eq!(*default, known, "{}", rule.table);
    }
    assert_eq!(rows.len(), TABLES.len(), "{:?}", rows.keys());
}
