//! The daily check of known companies.

use lustra_tests::World;
use lustra_tests::lustra::companies::Sentinel;
use lustra_tests::lustra::config;
use lustra_tests::register_simulator::{Fault, Register};
use reqwest::Method;

use crate::faults_support::{on_each_kind, source};

fn sentinel(world: &World) -> Sentinel {
    let settings = config::Sentinel {
        companies: vec![world.icos[0].clone()],
        ..config::Sentinel::default()
    };
    let context = world.importer.context().clone();
    let companies = world.importer.companies().clone();
    Sentinel::new(context, companies, settings, "tests".to_owned())
}

/// The number of problems of the commercial register in `/metrics`.
async fn problems(world: &World) -> Option<f64> {
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    let text = metrics.body.as_str().expect("text").to_owned();
    let mut lines = text.lines();
    let name = "lustra_sentinel_problems{connector=\"orsr\"} ";
    let value = lines.find_map(|line| line.strip_prefix(name))?;
    value.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_page_raises_an_alert_until_it_is_read_again() {
    on_each_kind(
        |kind| World::new().on(kind),
        async |world| {
            let sentinel = sentinel(world);
            let first = sentinel.step().await.expect("the store works");
            assert!(first.asked > 10, "{first:?}");
            assert_eq!(first.problems, 0);
            let again = sentinel.step().await.expect("the store works");
            assert_eq!(again.asked, 0, "every source is asked once a day");

            world.advance(1);
            world.fault(Register::Orsr, Fault::Renamed);
            let round = sentinel.step().await.expect("the store works");
            assert_eq!(round.problems, 1, "{round:?}");
            let status = source(world, "orsr").await;
            assert_eq!(status["state"], "degraded", "{status}");
            assert!(problems(world).await == Some(1.0));

            // An outage says nothing about the page's form: the alert stays.
            world.advance(1);
            world.fault(Register::Orsr, Fault::Error500);
            sentinel.step().await.expect("the store works");
            assert!(problems(world).await == Some(1.0));

            world.advance(1);
            world.fault(Register::Orsr, Fault::Off);
            let mended = sentinel.step().await.expect("the store works");
            assert_eq!(mended.problems, 0, "{mended:?}");
            assert!(problems(world).await == Some(0.0));
        },
    )
    .await;
}
