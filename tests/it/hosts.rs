//! Several hosts on one store keep the registers' pace together; how a host ends.

use lustra_tests::World;
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::server::Host;
use lustra_tests::register_simulator::{Fault, Register};
use serde_json::json;

use crate::faults_support::{Asked, on_each_kind};

#[tokio::test]
async fn a_register_that_sent_one_host_away_is_left_alone_by_the_other() {
    on_each_kind(
        |kind| World::new().on(kind),
        async |world| {
            let neighbour = world.neighbour().await;
            neighbour.meet().await;
            assert_eq!(world.meet().await, 2);
            world.fault(Register::Vies, Fault::Throttled);
            let answer = world.company(&world.icos[0], "tax").await;
            let unread = answer.at("/data/tax/unread/0/source");
            assert_eq!(unread, "vies", "{answer:?}");
            world.fault(Register::Vies, Fault::Off);
            world.meet().await;
            neighbour.meet().await;
            let asked = Asked::from_now(world);
            let answer = neighbour.company(&world.icos[1], "tax").await;
            assert_eq!(answer.at("/data/tax/unread/0/source"), "vies", "{answer:?}");
            assert_eq!(asked.of(Register::Vies), 0, "half a minute is not over");
        },
    )
    .await;
}

#[tokio::test]
async fn a_host_that_ends_waits_for_answers_as_long_as_it_was_told() {
    let world = World::new().nothing_imported().start().await;
    let mut config = world.config().clone();
    config.requests.drain_seconds = 0;
    let host = Host::prepare(config, Clock::system()).await;
    let host = host.expect("the host starts");
    let listener = host.listen().await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(host.serve(listener, None, async {
        ended.await.expect("the test ends it");
    }));
    // Nobody carries the batch out, so its lines would be waited for without an end.
    let numbers: Vec<String> = (5_000..5_200)
        .map(|number| format!("{number:08}"))
        .collect();
    let lines = lustra_tests::client()
        .post(format!("http://{address}/v1/batch/ico"))
        .header("x-api-key", &world.key)
        .header("accept", "application/x-ndjson")
        .json(&json!({ "icos": numbers }))
        .send()
        .await
        .expect("the host answers");
    assert_eq!(lines.status(), 200);
    end.send(()).expect("the host waits for it");
    let served = serving.await.expect("the host ends");
    assert!(served.is_ok(), "{served:?}");
    drop(lines);
    world.end().await;
}
