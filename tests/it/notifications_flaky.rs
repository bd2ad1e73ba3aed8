//! A receiver that fails half of the time in every way: all events arrive, and duplicates are recognisable.

use std::collections::{BTreeMap, BTreeSet};

use lustra_tests::lustra::store::{AttemptOutcome, DeliveryFilter, ShownDelivery, State};
use lustra_tests::{Behaviour, DatabaseKind, Received, Receiver, World};

use crate::notified::{found_in_the_store, subscribed_in_the_store};

const ICO: &str = "10000001";
const EVENTS: usize = 80;

/// A pseudo-random number below 100 derived from the request's number.
fn dice(request: usize) -> usize {
    let mixed = (request as u64 ^ 0x9e37_79b9).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    usize::try_from((mixed >> 33) % 100).expect("it is small")
}

/// Fails 30 %, hangs 10 %, resets 5 % and dribbles 5 %.
fn flaky(request: usize) -> Behaviour {
    match dice(request) {
        0..15 => Behaviour::Status(500),
        15..25 => Behaviour::Status(404),
        25..30 => Behaviour::Bytes(
            b"HTTP/1.1 503 Later\r\nretry-after: 30\r\ncontent-length: 9\r\n\r\nhalf".to_vec(),
        ),
        30..40 => Behaviour::Hang,
        40..45 => Behaviour::Reset,
        45..50 => Behaviour::Dribble,
        _ => Behaviour::Status(200 + u16::try_from(request % 5).expect("it is small")),
    }
}

/// Whether the request of an attempt with this outcome may have arrived.
fn reached(outcome: AttemptOutcome) -> bool {
    match outcome {
        AttemptOutcome::Success
        | AttemptOutcome::HttpError
        | AttemptOutcome::Timeout
        | AttemptOutcome::Reset => true,
        AttemptOutcome::Dns
        | AttemptOutcome::Connect
        | AttemptOutcome::Tls
        | AttemptOutcome::Blocked
        | AttemptOutcome::Refused
        | AttemptOutcome::Unknown => false,
    }
}

fn by_delivery(received: &[Received]) -> BTreeMap<&str, Vec<&Received>> {
    let mut by: BTreeMap<&str, Vec<&Received>> = BTreeMap::new();
    for one in received {
        by.entry(one.delivery()).or_default().push(one);
    }
    by
}

async fn deliveries(world: &World, subscription: i64) -> Vec<ShownDelivery> {
    let of = world.store.deliveries_of(world.account().await.id);
    let found = of.list(&DeliveryFilter::of(subscription), 1_000, 0).await;
    found.expect("the store is there").0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flaky_receiver_gets_all_events_with_recorded_attempts() {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let world = World::new()
            .on(kind)
            .nothing_imported()
            .without_index()
            .settings(|config| {
                let settings = &mut config.notifications;
                (settings.connect_seconds, settings.attempt_seconds) = (1, 1);
                // Enough attempts that chance never exhausts them.
                settings.retry_seconds = vec![60; 100];
            });
        let Some(world) = world.start_if_possible().await else {
            continue;
        };
        let receiver = Receiver::behaving(flaky).await;
        let subscription = subscribed_in_the_store(&world, ICO, &receiver.url()).await;
        let ids: Vec<String> = (0..EVENTS).map(|number| format!("evt_{number}")).collect();
        found_in_the_store(&world, ICO, &ids).await;
        assert_eq!(world.fan_out().await, EVENTS);
        let (mut attempts, mut days) = (0, 0);
        loop {
            attempts += world.send_due().await;
            let backlog = world.store.deliveries().backlog(world.now()).await;
            if backlog.expect("the store is there").0 == 0 {
                break;
            }
            world.advance(1);
            days += 1;
            assert!(days < 100, "it never ends");
        }
        let deliveries = deliveries(&world, subscription).await;
        assert_eq!(deliveries.len(), EVENTS);
        let received = receiver.received();
        let arrived = by_delivery(&received);
        let known: BTreeSet<&str> = deliveries.iter().map(|one| one.id.as_str()).collect();
        assert!(arrived.keys().all(|id| known.contains(id)));
        let mut written = 0;
        for delivery in &deliveries {
            assert_eq!(delivery.state, State::Delivered, "{delivery:?}");
            written += delivery.tries.len();
            let (last, before) = delivery.tries.split_last().expect("it was tried");
            assert_eq!(last.outcome, AttemptOutcome::Success);
            assert!(
                before
                    .iter()
                    .all(|one| one.outcome != AttemptOutcome::Success)
            );
            // Each request is a recorded attempt; only a broken connection may have an attempt without a request.
            let requests = arrived[delivery.id.as_str()].len();
            let certain = delivery.tries.iter();
            let certain = certain.filter(|one| one.status.is_some()).count();
            let at_most = delivery
                .tries
                .iter()
                .filter(|one| reached(one.outcome))
                .count();
            assert!(
                (certain..=at_most).contains(&requests),
                "{requests} {delivery:?}"
            );
            // Duplicates have the same id and the same bytes.
            for one in &arrived[delivery.id.as_str()] {
                assert_eq!(one.body, arrived[delivery.id.as_str()][0].body);
                assert_eq!(one.json()["id"], delivery.event_id.as_str());
            }
        }
        assert_eq!(written, attempts);
        assert!(
            attempts > EVENTS + EVENTS / 4,
            "{attempts} attempts: none failed"
        );
        world.end().await;
    }
}
