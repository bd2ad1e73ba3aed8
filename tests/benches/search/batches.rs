//! Batches of companies at the size of the real register.

use std::time::{Duration, Instant};

use lustra_tests::World;
use tokio::runtime::Runtime;

use super::{IN_A_BATCH, companies};
use crate::support::{Figures, Options, percentile};

/// Measures batches of a hundred companies.
pub(super) fn batches(runtime: &Runtime, world: &World, options: &Options, figures: &mut Figures) {
    let rounds = options.number("rounds", 15, 3);
    figures.explain(&format!(
        "Batches of {IN_A_BATCH} numbers over HTTP, answered at once. First: stored from the list, with details fetched \
         from the simulated commercial register. Cached: the same again. Stored: the same without the cache. Unknown: \
         unassigned numbers, each fetched from the simulator. New numbers each time for the first and the last; the \
         median of {rounds} rounds."
    ));
    // If there are enough companies, skip those that were just searched for.
    let since = if companies(options) >= 50_000 {
        10_000
    } else {
        0
    };
    let stored = runtime.block_on(world.store.companies().to_find_since(
        since,
        "former_names",
        2_000,
    ));
    let icos: Vec<String> = stored
        .expect("the store is there")
        .into_iter()
        .map(|company| company.ico)
        .collect();
    let (mut first, mut cached, mut from_store, mut unknown) = (vec![], vec![], vec![], vec![]);
    for (round, icos) in icos
        .chunks_exact(IN_A_BATCH)
        .take(rounds as usize)
        .enumerate()
    {
        let ask = |icos: &[String], found: usize| {
            let (time, answer) = runtime.block_on(batch(world, icos));
            assert_eq!(answer["meta"]["found"], found, "{}", answer["meta"]);
            time
        };
        first.push(ask(icos, IN_A_BATCH));
        runtime.block_on(world.wait_idle());
        ask(icos, IN_A_BATCH);
        cached.push(ask(icos, IN_A_BATCH));
        world.importer.companies().forget_all();
        from_store.push(ask(icos, IN_A_BATCH));
        let unassigned: Vec<String> = (0..IN_A_BATCH)
            .map(|number| format!("{:08}", 10_000_000 + round * IN_A_BATCH + number))
            .collect();
        unknown.push(ask(&unassigned, 0));
    }
    for (name, mut times) in [
        ("first", first),
        ("cached", cached),
        ("stored", from_store),
        ("unknown", unknown),
    ] {
        let millis = percentile(&mut times, 0.5).as_secs_f64() * 1e3;
        figures.report(format!("batch of {IN_A_BATCH}, {name}"), millis, "ms");
    }
}

/// Sends a batch. Returns its duration and the answer.
async fn batch(world: &World, icos: &[String]) -> (Duration, serde_json::Value) {
    let started = Instant::now();
    let request = world.posting("/v1/batch/ico");
    let request = request.json(&serde_json::json!({ "icos": icos }));
    let answer = request.send().await.expect("the host answers");
    assert_eq!(answer.status(), 200);
    let body = answer.bytes().await.expect("the body arrives");
    let time = started.elapsed();
    (time, serde_json::from_slice(&body).expect("JSON"))
}
