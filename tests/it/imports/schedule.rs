//! Due times of lists, retries, and disabled lists.

use lustra_tests::World;
use lustra_tests::lustra::datasets::ImportError;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::register_simulator::{Fault, Register};
use serde_json::Value;

use super::{import, with_debtors};
use crate::faults_support::{DATASETS, dataset, on_each_kind};

#[tokio::test]
async fn list_imported_by_another_host_is_not_due() {
    const LIST: (&str, &str) = ("tax-authority", "reliability");
    on_each_kind(
        |kind| {
            World::new()
                .connectors(&["rpo", "tax-authority"])
                .nothing_imported()
                .on(kind)
        },
        async |world| {
            let neighbour = world.neighbour().await;
            let seen = neighbour.importer.look_for_due().await;
            let seen = seen.expect("the store is there");
            assert!(
                seen.iter()
                    .any(|state| state.connector == *LIST.0 && state.dataset == LIST.1)
            );
            import(world, LIST.0, LIST.1).await;
            let again = neighbour
                .importer
                .run_if_due(&connector_id(LIST.0), LIST.1)
                .await;
            assert!(matches!(again, Err(ImportError::NotDue)), "{again:?}");
            let list = connector_id(LIST.0);
            let runs = world.store.datasets().history(&list, LIST.1, 10).await;
            assert_eq!(runs.expect("the store is there").len(), 1);
        },
    )
    .await;
}

async fn next_run(world: &World, connector: &str, id: &str) -> Value {
    dataset(world, connector, id).await["next_run_at"].clone()
}

#[tokio::test]
async fn lists_are_imported_only_when_due() {
    let world = World::new().start().await;
    assert_eq!(world.import_due().await, 0, "all was imported a moment ago");
    assert_eq!(
        next_run(&world, "rpo", "companies").await,
        "2026-01-16T07:00:00Z"
    );
    assert_eq!(
        next_run(&world, "debtors", "social-insurer").await,
        "2026-01-19T05:10:00Z"
    );
    assert_eq!(
        next_run(&world, "debtors", "dovera").await,
        "2026-02-03T05:30:00Z"
    );
    let [daily, weekly, monthly] = ["daily", "weekly", "monthly"].map(|often| {
        let lists = world.importer.switched_on();
        let of = lists
            .iter()
            .filter(|(_, list)| list.schedule.starts_with(often));
        of.count()
    });
    assert!(daily > 0 && weekly > 0 && monthly > 0);
    assert_eq!(daily + weekly + monthly, DATASETS.len());
    world.advance(1);
    assert_eq!(world.import_due().await, daily, "the daily lists");
    assert_eq!(world.import_due().await, 0);
    world.advance(3);
    assert_eq!(
        world.import_due().await,
        daily + weekly,
        "Monday: the weekly lists too"
    );
    world.advance(17);
    assert_eq!(
        world.import_due().await,
        daily + weekly + monthly,
        "5 February: the monthly lists too"
    );
    assert_eq!(
        next_run(&world, "debtors", "dovera").await,
        "2026-03-03T05:30:00Z"
    );
    world.end().await;
}

#[tokio::test]
async fn failed_import_is_retried_after_half_an_hour() {
    let world = with_debtors().start().await;
    world.advance(1);
    world.fault(Register::RpoDumps, Fault::Error500);
    let failed_at = world.now();
    world.import_due().await;
    let next = next_run(&world, "rpo", "companies").await;
    let next = next.as_str().expect("it is due again").to_owned();
    let next = time::OffsetDateTime::parse(&next, &time::format_description::well_known::Rfc3339)
        .expect("a time");
    let minutes = (next - failed_at).whole_minutes();
    assert!((30..=31).contains(&minutes), "{minutes} minutes");
    assert_eq!(world.import_due().await, 0, "not at once");
    world.end().await;
}

#[tokio::test]
async fn disabled_list_is_not_imported() {
    let start = with_debtors().settings(|config| {
        let debtors = config.connector.entry(connector_id("debtors")).or_default();
        debtors.datasets.entry("dovera".to_owned()).or_default().on = Some(false);
    });
    let world = start.start().await;
    assert_eq!(dataset(&world, "debtors", "dovera").await["state"], "off");
    let refused = world
        .importer
        .run(&connector_id("debtors"), "dovera", &|_| {})
        .await
        .expect_err("it is off");
    assert!(
        refused
            .to_string()
            .contains("on = true under [connector.debtors.datasets.dovera]"),
        "{refused}"
    );
    world.end().await;
}
