//! The cost of notifications: the time from an event's commit to the receiver, deliveries per second, the effect of
//! hanging receivers on others, and the time that change detection adds to an import.

mod comparing;
mod receiver;

use std::net::SocketAddr;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use lustra_tests::lustra::changes::{EventContent, WebhookFinding, Wording};
use lustra_tests::lustra::notifications::new_secret;
use lustra_tests::lustra::store::testing::{connector_id, scope_name};
use lustra_tests::lustra::store::{
    ChangeSet, NewChange, NewEvent, NewSubscription, Section, Store, SubscriptionPut,
};
use lustra_tests::lustra::worker::Workers;
use lustra_tests::{DatabaseKind, World};
use tokio::runtime::Runtime;

use crate::support::{self, Aim, Figures, Options, percentile};
use receiver::{Arrivals, receiver};

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let mut figures = Figures::new("Notifications");
    first_byte(&runtime, options, &mut figures);
    sustained(&runtime, options, &mut figures);
    isolation(&runtime, options, &mut figures);
    comparing::comparing(&runtime, options, &mut figures);
    figures.end();
}

/// A world whose account watches companies, each through a receiver.
fn watching(
    runtime: &Runtime,
    kind: DatabaseKind,
    receivers: &[SocketAddr],
    of_each: u32,
) -> (World, Vec<String>) {
    let companies = u32::try_from(receivers.len()).unwrap_or_default() * of_each;
    let world = World::new()
        .on(kind)
        // Others would only make the first reading of all companies take longer.
        .connectors(&["rpo"])
        .companies(companies.max(60))
        .settings(|config| config.notifications.poll_ms = 200);
    let world = runtime.block_on(world.start());
    let icos: Vec<String> = (0..companies)
        .map(|index| world.simulator.population().ico(index))
        .collect();
    runtime.block_on(async {
        let account = world.account().await.id;
        for (ico, receiver) in icos.iter().zip(receivers.iter().cycle()) {
            let new = NewSubscription {
                id: format!("sub_{ico}"),
                ico: ico.clone(),
                kinds: None,
                webhook_url: Some(format!("http://{receiver}/")),
                webhook_endpoint: Some(format!("http://{receiver}")),
                emails: Vec::new(),
                secret: world.notifier.seal(&new_secret()),
                most: None,
                confirm: false,
            };
            let of_account = world.store.subscriptions_of(account);
            let put = of_account.put(&new, world.now()).await;
            assert!(
                matches!(put, Ok(SubscriptionPut::Created { .. })),
                "{put:?}"
            );
        }
        // The first reading is the baseline and is not measured.
        world.refresh_watched().await;
        world.fan_out().await;
        world.send_due().await;
    });
    (world, icos)
}

/// Starts the workers that publish and deliver.
fn notifying(runtime: &Runtime, world: &World) -> Workers {
    let _entered = runtime.enter();
    let workers = Workers::default();
    world.notifier.start(&workers);
    workers
}

/// Writes a section that differs in one value, as after a connector's answer. Returns the event's id.
async fn raise(store: &Store, ico: &str, number: u32, now: time::OffsetDateTime) -> String {
    let id = format!("evt_{number:032x}");
    let section = Section {
        ico: ico.to_owned(),
        scope: scope_name("measured"),
        content: Some(format!("{{\"value\":{number}}}")),
        content_hash: number.to_string(),
        unread: false,
        unread_sources: None,
        connector: connector_id("measured"),
        connector_version: "1.0.0".to_owned(),
        generation: 1,
        evidence: "[]".to_owned(),
    };
    let content = EventContent {
        finding: WebhookFinding {
            change_type: "updated".to_owned(),
            field: "value".to_owned(),
            old_value: "a".to_owned(),
            new_value: "b".to_owned(),
            ..WebhookFinding::default()
        },
        wording: Wording::default(),
    };
    let found = ChangeSet {
        changes: vec![NewChange {
            ico: ico.to_owned(),
            connector: connector_id("measured"),
            scope: None,
            field: "value".to_owned(),
            path: "/value".to_owned(),
            op: "replace",
            old: Some((number.wrapping_sub(1)).to_string()),
            new: Some(number.to_string()),
            detected_at: now,
        }],
        events: vec![NewEvent {
            id: id.clone(),
            ico: ico.to_owned(),
            kind: "company.updated".to_owned(),
            scope: None,
            reading: id.clone(),
            content: content.to_json(),
            detected_at: now,
        }],
    };
    let (sections, compare) = (store.sections(), move |_: Option<&_>, _: &_| found.clone());
    let written = sections.put_compared(&section, &compare, now).await;
    written.expect("the store is there");
    id
}

/// Raises events at a constant rate. Returns the commit time of each.
async fn raise_at(
    world: &World,
    icos: &[String],
    first: u32,
    rate: u32,
    span: Duration,
) -> Vec<(String, Instant)> {
    let mut committed = Vec::new();
    let begun = Instant::now();
    let mut number = first;
    while begun.elapsed() < span {
        let due = begun + Duration::from_secs_f64(f64::from(number - first) / f64::from(rate));
        tokio::time::sleep_until(due.into()).await;
        let ico = &icos[number as usize % icos.len()];
        let id = raise(&world.store, ico, number, world.now()).await;
        committed.push((id, Instant::now()));
        number += 1;
    }
    committed
}

/// Waits until all of these events have arrived, or a timeout. Returns the times from commit to first byte.
async fn arrived(committed: &[(String, Instant)], arrivals: &Arrivals) -> Vec<Duration> {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let times: Vec<Duration> = {
            let arrivals = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
            let arrived = committed.iter().filter_map(|(id, at)| {
                arrivals
                    .get(id)
                    .map(|arrived| arrived.saturating_duration_since(*at))
            });
            arrived.collect()
        };
        if times.len() == committed.len() || Instant::now() > deadline {
            return times;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn first_byte(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let rate = options.number("notices-rate", 200, 100);
    let span = options.seconds(20, 2);
    figures.explain(&format!(
        "From the commit of a change to the first byte of its webhook, at {rate} events a second over 100 watched \
         companies and 10 receivers, {} s; receivers run on the same two cores.",
        span.as_secs()
    ));
    for (kind, name) in [
        (DatabaseKind::Sqlite, "SQLite"),
        (DatabaseKind::Postgres, "PostgreSQL"),
    ] {
        let arrivals = Arrivals::default();
        let receivers: Vec<SocketAddr> = (0..10).map(|_| receiver(&arrivals, false)).collect();
        let (world, icos) = watching(runtime, kind, &receivers, 10);
        let running = notifying(runtime, &world);
        let mut times = runtime.block_on(async {
            raise_at(&world, &icos, 1, rate, Duration::from_secs(1)).await;
            let committed = raise_at(&world, &icos, 1_000_000, rate, span).await;
            let times = arrived(&committed, &arrivals).await;
            assert_eq!(times.len(), committed.len(), "every event arrives");
            times
        });
        running.end();
        for (share, of, aim) in [(0.5, "p50", 50.0), (0.99, "p99", 25.0)] {
            let time = millis(percentile(&mut times, share));
            figures.aimed(format!("{name}, {of}"), time, "ms", Aim::AtMost(aim));
        }
        runtime.block_on(world.end());
    }
}

fn sustained(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let count = options.number("notices", 20_000, 1_000);
    figures.explain(&format!(
        "{count} pending deliveries to 10 receivers on the same two cores, with a recorded attempt each: from the first \
         claim to the last record. PostgreSQL is a test server that does not sync."
    ));
    for (kind, name) in [
        (DatabaseKind::Sqlite, "SQLite"),
        (DatabaseKind::Postgres, "PostgreSQL"),
    ] {
        let arrivals = Arrivals::default();
        let receivers: Vec<SocketAddr> = (0..10).map(|_| receiver(&arrivals, false)).collect();
        let (world, icos) = watching(runtime, kind, &receivers, 10);
        let took = runtime.block_on(async {
            for number in 0..count {
                let ico = &icos[number as usize % icos.len()];
                raise(&world.store, ico, number + 1, world.now()).await;
            }
            let started = Instant::now();
            world.fan_out().await;
            let fan_out = started.elapsed();
            let begun = Instant::now();
            let running = Workers::default();
            world.notifier.start(&running);
            // Reads the few queues. Counting the deliveries that are left would take a part of the time.
            let deliveries = world.store.deliveries();
            let next_due = async || deliveries.next_due().await.expect("the store is there");
            while next_due().await.is_some() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            let took = begun.elapsed();
            running.end();
            (fan_out, took)
        });
        figures.report(
            format!("{name}, fan-out"),
            support::rate(count.into(), took.0),
            "events/s",
        );
        figures.aimed(
            format!("{name}, deliveries"),
            support::rate(count.into(), took.1),
            "/s",
            Aim::AtLeast(10_000.0),
        );
        runtime.block_on(world.end());
    }
}

/// Events of each receiver that may hang, before the measurement.
const BACKLOG: u32 = 20;

/// Waits until the whole backlog is sent, or, to receivers that hang, as much as may be sent at once: until no request
/// has begun for 500 ms. Returns the number of requests.
async fn backlog_sent(arrivals: &Arrivals, all: usize, hanging: bool) -> usize {
    let begun = || {
        arrivals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    };
    let (mut before, mut now) = (0, begun());
    while now < all && !(hanging && now > 0 && now == before) {
        before = now;
        tokio::time::sleep(Duration::from_millis(500)).await;
        now = begun();
    }
    now
}

fn isolation(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let rate = options.number("notices-rate", 100, 50);
    let span = options.seconds(30, 3);
    figures.explain(&format!(
        "100 receivers at {rate} events a second from SQLite for {} s: first all are healthy, then half of them accept \
         requests and never answer. Before, each of these half has {BACKLOG} events, more than may be sent to it at \
         once. Only deliveries to healthy receivers count.",
        span.as_secs()
    ));
    let mut p99 = Vec::new();
    for hanging in [false, true] {
        let (healthy, silent) = (Arrivals::default(), Arrivals::default());
        let receivers: Vec<SocketAddr> = (0..100)
            .map(|number| {
                let is_hanging = hanging && number % 2 == 1;
                receiver(if number % 2 == 1 { &silent } else { &healthy }, is_hanging)
            })
            .collect();
        let (world, icos) = watching(runtime, DatabaseKind::Sqlite, &receivers, 1);
        let running = notifying(runtime, &world);
        let mut times = runtime.block_on(async {
            for round in 0..BACKLOG {
                for (place, ico) in (0..).zip(icos.iter().skip(1).step_by(2)) {
                    let number = 1_000_000 + round * 1_000 + place;
                    raise(&world.store, ico, number, world.now()).await;
                }
            }
            let all = icos.len() / 2 * BACKLOG as usize;
            let sent = backlog_sent(&silent, all, hanging).await;
            assert_eq!(sent < all, hanging, "receivers that hang hold back events");
            let committed = raise_at(&world, &icos, 100, rate, span).await;
            // Every second company belongs to a healthy receiver.
            let healthy_ones: Vec<(String, Instant)> = committed
                .into_iter()
                .enumerate()
                .filter(|(place, _)| place % 2 == 0)
                .map(|(_, one)| one)
                .collect();
            let times = arrived(&healthy_ones, &healthy).await;
            assert_eq!(times.len(), healthy_ones.len(), "every event arrives");
            times
        });
        running.end();
        let name = if hanging {
            "half of them hang"
        } else {
            "all healthy"
        };
        figures.report(
            format!("{name}, p50"),
            millis(percentile(&mut times, 0.5)),
            "ms",
        );
        let time = percentile(&mut times, 0.99);
        figures.report(format!("{name}, p99"), millis(time), "ms");
        p99.push(time.as_secs_f64());
        runtime.block_on(world.end());
    }
    figures.aimed(
        "p99 with half hanging to all healthy",
        p99[1] / p99[0],
        "",
        Aim::AtMost(1.1),
    );
}
