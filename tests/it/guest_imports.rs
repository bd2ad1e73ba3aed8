//! Misbehaving imports: each affects only its own list.

use lustra_tests::lustra::config::LimitsConfig;
use lustra_tests::lustra::store::testing::connector_id;

use crate::faults_support::dataset;
use crate::guest_support::{assert_others_operational, world_where, world_with};

#[tokio::test]
async fn endless_list_is_aborted_and_others_are_imported() {
    let world = world_where("guest-import", |connector| {
        // The time limit is low for the run but not for the code: small quick batches compute almost nothing.
        connector.import_limits = LimitsConfig {
            cpu_ms: Some(600),
            run_ms: Some(300),
            empty_batches: Some(20),
            ..LimitsConfig::default()
        };
    })
    .await;
    for (id, limit) in [
        ("endless", "limit run: 0."),
        ("empty", "limit empty batches: more than 20 in a row"),
        ("stuck", "limit cpu: 0.6 s used"),
    ] {
        let list = dataset(&world, "guest-import", id).await;
        assert_eq!(list["state"], "failed", "{list}");
        assert_eq!(
            (&list["records"], list["last_success_at"].is_null()),
            (&0.into(), true),
            "{list}"
        );
        assert!(
            list["reason"]
                .as_str()
                .is_some_and(|reason| reason.starts_with(limit)),
            "{list}"
        );
    }
    let fine = dataset(&world, "guest-import", "fine").await;
    assert_eq!(
        (&fine["state"], &fine["records"]),
        (&"imported".into(), &1.into()),
        "{fine}"
    );
    assert_others_operational(&world).await;
    world.end().await;
}

#[tokio::test]
async fn records_larger_than_a_piece_are_all_read() {
    let world = world_where("guest-import", |connector| {
        connector.import_limits = LimitsConfig {
            piece_mib: Some(1),
            ..LimitsConfig::default()
        };
        for id in ["endless", "empty", "stuck"] {
            connector.datasets.entry(id.to_owned()).or_default().on = Some(false);
        }
    })
    .await;
    for id in ["large", "large-copied"] {
        let run = world
            .importer
            .run(&connector_id("guest-import"), id, &|_| {})
            .await;
        assert!(run.is_ok(), "{id}: {run:?}");
    }
    let large = dataset(&world, "guest-import", "large").await;
    let copied = dataset(&world, "guest-import", "large-copied").await;
    assert_eq!(large["records"], 8, "{large}");
    assert_eq!(
        copied["records"], 16,
        "eight by company and eight by key: {copied}"
    );
    world.end().await;
}

#[tokio::test]
async fn batch_read_ahead_sees_the_committed_one() {
    let world = world_where("guest-import", |connector| {
        connector
            .datasets
            .entry("chained".to_owned())
            .or_default()
            .on = Some(true);
    })
    .await;
    // The world's start was the first run. Records of this one are visible as soon as they are committed.
    let guest = connector_id("guest-import");
    let run = world.importer.run(&guest, "chained", &|_| {}).await;
    assert_eq!(run.expect("it finds each batch").records, 20);
    world.end().await;
}

#[tokio::test]
async fn looping_import_does_not_block_companies() {
    let world = world_with("guest-import").await;
    let guest = connector_id("guest-import");
    let stuck = world.importer.run(&guest, "stuck", &|_| {});
    let (outcome, answer) = tokio::join!(stuck, world.company(&world.icos[0], "tax_reliability"));
    assert!(outcome.is_err_and(|error| error.to_string().starts_with("limit cpu")));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(
        answer.at("/data/tax_reliability/is_reliable"),
        true,
        "{answer:?}"
    );
    world.end().await;
}
