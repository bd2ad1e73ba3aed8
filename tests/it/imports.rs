//! Imports of lists: complete, repeated, too small, interrupted, concurrent, scheduled, and daily.

mod schedule;

use std::collections::BTreeMap;

use lustra_tests::lustra::datasets::{ImportError, Progress};
use lustra_tests::lustra::store::StoredRecord;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::register_simulator::population::DebtorList;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Builder, World};
use serde_json::json;
use tokio::sync::Notify;

use crate::faults_support::{DATASETS, RequestCounter, dataset, on_each_kind, time_of};

/// The base registers' data of every company, without times and evidence.
async fn companies(world: &World) -> BTreeMap<String, String> {
    let stored = world
        .store
        .companies()
        .changed_since(0, 10_000)
        .await
        .expect("the store is there");
    stored
        .into_iter()
        .map(|company| (company.base.ico, company.base.content_hash))
        .collect()
}

/// Every record of a list.
async fn records(world: &World, connector: &str, dataset: &str) -> Vec<StoredRecord> {
    let found = world
        .store
        .records()
        .by_key_prefix(&connector_id(connector), dataset, "", "", 10_000)
        .await;
    found.expect("the store is there")
}

async fn import(world: &World, connector: &str, dataset: &str) -> u64 {
    let imported = world
        .importer
        .run(&connector_id(connector), dataset, &|_| {})
        .await;
    imported
        .unwrap_or_else(|error| panic!("{connector}/{dataset}: {error}"))
        .records
}

/// A world with companies and the lists of debtors.
fn with_debtors() -> Builder {
    World::new().connectors(&["debtors", "rpo"])
}

/// A world with enough companies for several batches, before its first import.
fn many() -> Builder {
    let world = World::new().connectors(&["rpo", "tax-authority"]);
    world.companies(3_000).nothing_imported()
}

#[tokio::test]
async fn first_import_stores_every_list_and_company() {
    on_each_kind(
        |kind| World::new().on(kind),
        async |world| {
            for (connector, id) in DATASETS {
                let list = dataset(world, connector, id).await;
                assert_eq!(list["state"], "imported", "{list}");
                assert!(
                    list["records"].as_i64().is_some_and(|records| records > 0),
                    "{list}"
                );
                assert!(
                    time_of(&list["next_run_at"]) > time_of(&list["last_success_at"]),
                    "{list}"
                );
            }
            let population = world.simulator.population();
            assert_eq!(companies(world).await.len(), population.len() as usize);
            for index in 0..population.len() {
                let stored = world
                    .store
                    .companies()
                    .find_by_ico(&population.ico(index))
                    .await
                    .expect("the store is there");
                let stored = stored.expect("it was imported");
                assert_eq!(stored.base.name, population.company(index, 0).name());
            }
        },
    )
    .await;
}

#[tokio::test]
async fn reimport_of_unchanged_lists_changes_nothing() {
    on_each_kind(
        |kind| World::new().on(kind),
        async |world| {
            let ico = world.icos[5].clone();
            world.company(&ico, "all").await;
            let revision = world
                .store
                .companies()
                .changed_since(0, 10_000)
                .await
                .expect("the store is there");
            let revision = revision
                .iter()
                .map(|company| company.revision)
                .max()
                .expect("there are companies");
            for (connector, id) in DATASETS {
                let before = records(world, connector, id).await;
                let imported = world
                    .importer
                    .run(&connector_id(connector), id, &|_| {})
                    .await
                    .expect("it is there");
                assert_eq!(imported.companies_affected, 0, "{imported:?}");
                assert_eq!(
                    records(world, connector, id).await,
                    before,
                    "{connector}/{id}"
                );
            }
            let changed = world
                .store
                .companies()
                .changed_since(revision, 10)
                .await
                .expect("the store is there");
            assert!(changed.is_empty(), "{changed:?}");
            let asked = RequestCounter::from_now(world);
            let answer = world.company(&ico, "all").await;
            assert_eq!(
                (answer.at("/meta/stale"), asked.of_all()),
                (&json!(false), 0),
                "{}",
                answer.at("/meta")
            );
        },
    )
    .await;
}

/// Marks all but a few debts of a list as paid on the first day.
fn pay(world: &World, list: DebtorList, keeping: usize) {
    let population = world.simulator.population();
    let is_debtor = |index: &u32| population.company(*index, 0).debt(list).is_some();
    for index in (0..population.len()).filter(is_debtor).skip(keeping) {
        assert!(population.force(index, 1, ChangeKind::DebtorCleared(list)));
    }
    world.advance(1);
}

async fn assert_refused(keeping: usize, why: &str) {
    on_each_kind(
        |kind| with_debtors().companies(200).on(kind),
        async |world| {
            let before = dataset(world, "debtors", "dovera").await;
            let kept = records(world, "debtors", "dovera").await;
            pay(world, DebtorList::Dovera, keeping);
            let refused = world
                .importer
                .run(&connector_id("debtors"), "dovera", &|_| {})
                .await
                .expect_err("it is not to be believed");
            assert!(refused.to_string().contains(why), "{refused}");
            let now = dataset(world, "debtors", "dovera").await;
            assert_eq!(
                (&now["state"], &now["records"]),
                (&json!("failed"), &before["records"]),
                "{now}"
            );
            assert_eq!(now["last_success_at"], before["last_success_at"], "{now}");
            assert!(
                now["reason"]
                    .as_str()
                    .is_some_and(|reason| !reason.is_empty()),
                "{now}"
            );
            assert_eq!(records(world, "debtors", "dovera").await, kept);
            let answer = world.company(&world.icos[5], "debtor_status").await;
            assert!(
                answer
                    .at("/data/debtor_status/sources")
                    .to_string()
                    .contains("dovera"),
                "{answer:?}"
            );
        },
    )
    .await;
}

#[tokio::test]
async fn shrunken_list_is_refused() {
    let setting = "raise max_shrink_percent under [connector.debtors.datasets.dovera]";
    assert_refused(1, setting).await;
}

#[tokio::test]
async fn empty_list_is_refused() {
    assert_refused(0, "a list without any").await;
}

#[tokio::test]
async fn operator_can_allow_a_shrunken_list() {
    let start = with_debtors().companies(200).settings(|config| {
        let debtors = config.connector.entry(connector_id("debtors")).or_default();
        debtors
            .datasets
            .entry("dovera".to_owned())
            .or_default()
            .max_shrink_percent = Some(100.0);
    });
    let world = start.start().await;
    let before = records(&world, "debtors", "dovera").await.len();
    pay(&world, DebtorList::Dovera, 1);
    import(&world, "debtors", "dovera").await;
    assert!(records(&world, "debtors", "dovera").await.len() < before);
    world.end().await;
}

#[tokio::test]
async fn interrupted_import_resumes_at_its_cursor() {
    let whole = many().start().await;
    import(&whole, "rpo", "companies").await;
    let of_a_whole_run = whole.simulator.requests(Register::RpoDumps);
    on_each_kind(
        |kind| many().on(kind),
        async |world| {
            let lose_it = |progress: Progress| {
                // One batch is read ahead: this one is still of the first part.
                if progress.records >= 1_000 {
                    world.fault(Register::RpoDumps, Fault::Down);
                }
            };
            let broken_off = world
                .importer
                .run(&connector_id("rpo"), "companies", &lose_it)
                .await;
            let error = broken_off.expect_err("the second part could not be had");
            assert!(error.to_string().starts_with("unavailable"), "{error}");
            let stored = companies(world).await.len();
            assert!(
                (1_400..2_000).contains(&stored),
                "the batches read so far are stored: {stored}"
            );
            world.fault(Register::RpoDumps, Fault::Off);
            let asked = RequestCounter::from_now(world);
            import(world, "rpo", "companies").await;
            assert!(
                asked.of(Register::RpoDumps) < of_a_whole_run,
                "the first part is not fetched again"
            );
            assert_eq!(companies(world).await, companies(&whole).await);
        },
    )
    .await;
    whole.end().await;
}

/// Runs an import until its first batch is stored, then drops it, like a crashed host.
async fn die_after_the_first_batch(world: &World, connector: &str, dataset: &str) {
    let stored = Notify::new();
    let says = |_| stored.notify_one();
    let connector = connector_id(connector);
    let run = world.importer.run(&connector, dataset, &says);
    tokio::select! {
        biased;
        () = stored.notified() => {}
        outcome = run => panic!("it was to be broken off: {outcome:?}"),
    }
}

#[tokio::test]
async fn expired_lease_lets_another_host_take_over() {
    const LISTS: [(&str, &str); 2] = [
        ("rpo", "companies"),
        ("tax-authority", "income-tax-subjects"),
    ];
    let whole = many().start().await;
    whole.advance(1);
    for (connector, id) in LISTS {
        import(&whole, connector, id).await;
    }
    on_each_kind(
        |kind| many().on(kind),
        async |world| {
            for (connector, id) in LISTS {
                die_after_the_first_batch(world, connector, id).await;
                let held = world
                    .importer
                    .run(&connector_id(connector), id, &|_| {})
                    .await;
                assert!(matches!(held, Err(ImportError::Busy)), "{held:?}");
                assert!(dataset(world, connector, id).await["last_success_at"].is_null());
            }
            world.advance(1);
            let neighbour = world.neighbour().await;
            for (connector, id) in LISTS {
                let taken_over = neighbour
                    .importer
                    .run(&connector_id(connector), id, &|_| {})
                    .await;
                assert!(taken_over.is_ok(), "{connector}/{id}: {taken_over:?}");
                let runs = world
                    .store
                    .datasets()
                    .history(&connector_id(connector), id, 10)
                    .await;
                let runs = runs.expect("the store is there").len();
                // The tax authority's list has changed meanwhile, so its run starts over.
                assert_eq!(runs, if connector == "rpo" { 1 } else { 2 });
                assert_eq!(
                    records(world, connector, id).await,
                    records(&whole, connector, id).await
                );
            }
            assert_eq!(companies(world).await, companies(&whole).await);
        },
    )
    .await;
    whole.end().await;
}

#[tokio::test]
async fn second_concurrent_importer_is_refused() {
    on_each_kind(
        |kind| with_debtors().nothing_imported().on(kind),
        async |world| {
            let neighbour = world.neighbour().await;
            let rpo = connector_id("rpo");
            let ours = world.importer.run(&rpo, "companies", &|_| {});
            let theirs = neighbour.importer.run(&rpo, "companies", &|_| {});
            let outcomes = <[_; 2]>::from(tokio::join!(ours, theirs));
            let busy = outcomes
                .iter()
                .filter(|outcome| matches!(outcome, Err(ImportError::Busy)))
                .count();
            let brought = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
            assert_eq!((busy, brought), (1, 1), "{outcomes:?}");
            assert_eq!(
                companies(world).await.len(),
                world.simulator.population().len() as usize
            );
        },
    )
    .await;
}

#[tokio::test]
async fn daily_changes_equal_a_fresh_import() {
    let fresh = many().start().await;
    fresh.advance(7);
    assert!(import(&fresh, "rpo", "companies").await >= 3_000);
    on_each_kind(
        |kind| many().on(kind),
        async |world| {
            import(world, "rpo", "companies").await;
            let at_first = companies(world).await;
            for days in [1, 2, 4] {
                world.advance(days);
                let read = import(world, "rpo", "companies").await;
                assert!(read < 1_500, "only the changes are read: {read}");
            }
            let day_by_day = companies(world).await;
            assert_eq!(day_by_day, companies(&fresh).await);
            let changed = day_by_day
                .iter()
                .filter(|(ico, hash)| at_first.get(*ico) != Some(hash))
                .count();
            assert!(
                changed > 5,
                "{changed} changed, so there was something to be missed"
            );
        },
    )
    .await;
    fresh.end().await;
}
