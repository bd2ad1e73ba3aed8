//! What a day of a deployment costs, by a simulation in a smaller scale.
//!
//! `cargo bench -- growth-day`. A host with all shipped connectors lives through simulated days; the simulated
//! registers run on threads of their own, whose processor time does not count. Receivers of webhooks and mail run
//! there, too.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::any;
use lustra_tests::lustra::config::Secret;
use lustra_tests::lustra::notifications::new_secret;
use lustra_tests::lustra::store::{NewSubscription, SubscriptionPut};
use lustra_tests::{Mailbox, World};
use reqwest::Method;
use tokio::runtime::Runtime;

use super::address;
use super::points::{Grown, Points};
use crate::support::client::{self, Request};
use crate::support::process::{Resident, processor_seconds};
use crate::support::sizes::{mib, of_store};
use crate::support::{self, Figures, Options, REGISTERS, upstream};

/// The deployment whose day is estimated.
const COMPANIES: u32 = 1_300_000;
const WATCHED: u32 = 10_000;
const REQUESTS_A_SECOND: u32 = 20;
const SECONDS_OF_A_DAY: u32 = 86_400;

/// What a look-up of the day asks for: what customers check before they deal with a company.
const SCOPES: &str = "?scope=tax,tax_reliability,debtor_status";

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let registers = support::runtime_of_registers();
    let companies = options.number("companies", 13_000, 300);
    let mut figures = Figures::new("What a day costs");
    let mut points = Points::open(options, "day", "simulated companies");
    let mut grown = Grown {
        figures: &mut figures,
        points: &mut points,
        series: "SQLite",
        size: companies,
    };
    let mailbox = registers.block_on(Mailbox::start());
    let received = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&received);
    let receive = async move || {
        counted.fetch_add(1, Ordering::Relaxed);
        StatusCode::OK
    };
    let webhooks = upstream::listen(&registers, Router::new().fallback(any(receive)));
    let receivers = Receivers {
        webhooks,
        received,
        mailbox,
    };
    let url = receivers.mailbox.url();
    let world = World::new()
        .companies(companies)
        .nothing_imported()
        .without_index()
        .registers_on(registers.handle().clone())
        .settings(move |config| {
            config.mail.smtp = Some(Secret::new(url));
            config.mail.from = "Lustra <info@lustra.example>".to_owned();
            // Each answer is assembled from the store, as if no customer asked twice within a minute.
            config.freshness.cache_seconds = 0;
        });
    let world = runtime.block_on(world.start());
    days(&runtime, &world, &receivers, options, &mut grown);
    requests(&runtime, &world, options, &mut grown);
    grown.add(
        "memory, resident with the simulator",
        Resident::read().now,
        "MiB",
    );
    points.save();
    points.show();
    figures.end();
    runtime.block_on(world.end());
}

/// Where webhooks and e-mails arrive.
struct Receivers {
    webhooks: SocketAddr,
    received: Arc<AtomicU32>,
    mailbox: Mailbox,
}

impl Receivers {
    /// The webhooks and the e-mails so far.
    fn counts(&self) -> (f64, f64) {
        let emails = u32::try_from(self.mailbox.emails().len()).unwrap_or(u32::MAX);
        let webhooks = self.received.load(Ordering::Relaxed);
        (f64::from(webhooks), f64::from(emails))
    }
}

/// What the host has spent so far.
struct Spent {
    processor: f64,
    fetched: f64,
    stored: f64,
}

fn spent(runtime: &Runtime, world: &World) -> Spent {
    Spent {
        processor: processor_seconds(REGISTERS),
        fetched: runtime.block_on(fetched(world)),
        stored: mib(runtime.block_on(of_store(&world.config().store_url()))),
    }
}

/// The MiB that registers have sent so far.
async fn fetched(world: &World) -> f64 {
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    let lines = metrics.body.as_str().unwrap_or_default().lines();
    let counts = lines.filter(|line| line.starts_with("lustra_egress_received_bytes_total{"));
    let counts = counts.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    counts.sum::<f64>() / f64::from(1 << 20)
}

/// Subscribes the world's account to the first companies, each with a webhook and an e-mail.
async fn subscribe(world: &World, webhooks: SocketAddr, watched: u32) {
    let account = world.account().await.id;
    for index in 0..watched {
        let ico = world.simulator.population().ico(index);
        let new = NewSubscription {
            id: format!("sub_{ico}"),
            ico,
            kinds: None,
            webhook_url: Some(format!("http://{webhooks}/")),
            webhook_endpoint: Some(format!("http://{webhooks}")),
            emails: vec![format!("jana{index}@firma.sk")],
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
}

/// Everything that is due on a day, until nothing is.
async fn live_through(world: &World) {
    loop {
        let mut done = world.import_due().await;
        done += world.refresh_watched().await;
        done += world.fan_out().await;
        done += world.send_due().await;
        while world.mail_step().await {
            done += 1;
        }
        if done == 0 {
            world.wait_idle().await;
            world.indexed().await;
            return;
        }
    }
}

fn days(
    runtime: &Runtime,
    world: &World,
    receivers: &Receivers,
    options: &Options,
    grown: &mut Grown,
) {
    let days = options.number("days", 7, 2);
    let companies = grown.size;
    let scale = f64::from(COMPANIES) / f64::from(companies);
    let watched = (WATCHED / (COMPANIES / companies).max(1)).max(1);
    grown.figures.explain(&format!(
        "{companies} simulated companies with all shipped connectors on SQLite, {watched} of them watched with a webhook \
         and an e-mail each: first every list, then {days} days with the lists and changes of each, refreshes of watched \
         companies, webhooks and e-mails. Figures of the deployment of {COMPANIES} companies are these multiplied by \
         {scale:.0}."
    ));
    let before = spent(runtime, world);
    runtime.block_on(live_through(world));
    let first = spent(runtime, world);
    grown.add(
        "first import of every list, processor",
        first.processor - before.processor,
        "s",
    );
    grown.add(
        "first import of every list, fetched",
        first.fetched - before.fetched,
        "MiB",
    );
    grown.add("store with every list", first.stored, "MiB");
    runtime.block_on(subscribe(world, receivers.webhooks, watched));
    runtime.block_on(live_through(world));
    let begun = spent(runtime, world);
    grown.add(
        "first reading of watched companies, processor",
        begun.processor - first.processor,
        "s",
    );
    let (webhooks, emails) = receivers.counts();
    for _ in 0..days {
        world.advance(1);
        runtime.block_on(live_through(world));
    }
    let ended = spent(runtime, world);
    let a_day = |whole: f64| whole / f64::from(days);
    let processor = a_day(ended.processor - begun.processor);
    let fetched = a_day(ended.fetched - begun.fetched);
    let stored = a_day(ended.stored - begun.stored);
    let (all_webhooks, all_emails) = receivers.counts();
    for (name, value, unit) in [
        ("processor of lists and watched companies", processor, "s"),
        ("fetched from registers", fetched, "MiB"),
        ("growth of the store", stored, "MiB"),
        ("e-mails", a_day(all_emails - emails), ""),
        ("webhooks", a_day(all_webhooks - webhooks), ""),
    ] {
        grown.add(&format!("a day, {name}"), value, unit);
        let of_deployment = format!("a day of {COMPANIES} companies, {name}, multiplied");
        grown.figures.report(of_deployment, value * scale, unit);
    }
}

/// Measures the processor time of look-ups: those of an hour, as fast as they are answered.
fn requests(runtime: &Runtime, world: &World, options: &Options, grown: &mut Grown) {
    let hour = options.number("iterations", 3_600 * REQUESTS_A_SECOND, 500);
    let connections = options.number("connections", 8, 4);
    let asked = 500.min(grown.size);
    let host = address(&world.url());
    let population = world.simulator.population();
    let path = |index| format!("/v1/company/ico/{}{SCOPES}", population.ico(index));
    let requests: Vec<Request> = (0..asked)
        .map(|index| client::get(&path(index), &world.key))
        .collect();
    client::each_once(host, &requests, 2);
    runtime.block_on(world.wait_idle());
    grown.figures.explain(&format!(
        "{hour} look-ups of {asked} companies with three scopes, as fast as they are answered, each assembled from the \
         store; the processor time includes the client's."
    ));
    let all: Vec<Request> = requests
        .iter()
        .cycle()
        .take(hour as usize)
        .cloned()
        .collect();
    let before = processor_seconds(REGISTERS);
    client::each_once(host, &all, connections);
    let each = (processor_seconds(REGISTERS) - before) / f64::from(hour);
    grown.add("processor of a look-up", each * 1e3, "ms");
    let a_day = f64::from(REQUESTS_A_SECOND * SECONDS_OF_A_DAY);
    let name = format!("a day of {REQUESTS_A_SECOND} requests a second, processor, multiplied");
    grown.figures.report(name, each * a_day, "s");
}
