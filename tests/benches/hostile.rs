//! The effect of each hostile connector on its neighbours: look-ups at a steady rate, alone and during the attack.
//!
//! Neighbours are a cached profile and a section that another connector computes for each request. Each must be
//! answered completely. Between two hostile calls the same connector answers two harmless ones if it can; otherwise its
//! circuit breaker would end the attack.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lustra_tests::lustra::config::{Config, ConnectorConfig, LimitsConfig};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::{Rogue, World};
use tokio::runtime::{Handle, Runtime};

use crate::support::client::{self, Connection, Request};
use crate::support::figures::say;
use crate::support::{self, Aim, Figures, Options};

/// Number of concurrent hostile calls: the number of cores of the reference machine.
const ATTACKERS: usize = 2;

/// Connector, hostile scope, harmless scope of the same connector.
const CALLS: [(&str, &str, Option<&str>); 22] = [
    ("guest-crash", "crash_loop", Some("crash_not")),
    ("guest-crash", "crash_memory", Some("crash_not")),
    ("guest-crash", "crash_stack", Some("crash_not")),
    ("guest-crash", "crash_panic", Some("crash_not")),
    ("guest-answers", "answers_giant", Some("answers_log")),
    ("guest-answers", "answers_log", None),
    ("guest-network", "network_flood", Some("network_not")),
    ("guest-network", "network_wait", Some("network_not")),
    ("guest-network", "network_hold", Some("network_not")),
    ("guest-network", "network_around", Some("network_not")),
    ("guest-network", "network_outside", Some("network_not")),
    ("guest-network", "network_unnamed", Some("network_not")),
    ("guest-network", "network_body", Some("network_not")),
    ("guest-network", "network_bytes", Some("network_not")),
    ("guest-network", "network_piece", Some("network_not")),
    ("guest-network", "network_bomb", Some("network_not")),
    ("guest-network", "network_archive", Some("network_not")),
    ("guest-network", "network_crowd", Some("network_not")),
    ("guest-names", "names_flood", Some("names_not")),
    ("guest-names", "names_long", Some("names_not")),
    ("guest-answers", "answers_endless", Some("answers_log")),
    ("guest-answers", "answers_twice", Some("answers_log")),
];

/// Lists of the connector with hostile imports.
const IMPORTS: [&str; 4] = ["endless", "empty", "stuck", "waiting"];

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let mut figures = Figures::new("Neighbours of hostile connectors");
    let registers = support::runtime_of_registers();
    let rogue = registers.block_on(Rogue::start());
    let world = runtime.block_on(start(&rogue, registers.handle()));
    Attack::new(&runtime, &world, options).all(&mut figures);
    runtime.block_on(world.end());
    figures.end();
}

async fn start(rogue: &Rogue, registers: &Handle) -> World {
    let url = rogue.url();
    let world = World::new().with_guests().registers_on(registers.clone());
    let world = world.settings(move |config| {
        for id in ["guest-crash", "guest-answers", "guest-names"] {
            config.connector.insert(connector_id(id), limited());
        }
        for id in ["guest-network", "guest-import"] {
            let mut connector = limited();
            connector.grants = vec![url.clone()];
            let upstream = connector.upstreams.entry("register".to_owned());
            upstream.or_default().address = Some(format!("{url}/base"));
            if id == "guest-import" {
                let waiting = connector.datasets.entry("waiting".to_owned());
                waiting.or_default().on = Some(true);
            }
            config.connector.insert(connector_id(id), connector);
        }
        made_anew(config);
    });
    world.start().await
}

/// Default limits, except where reaching a default would take too long.
fn limited() -> ConnectorConfig {
    ConnectorConfig {
        limits: LimitsConfig {
            wall_ms: Some(1_000),
            handles: Some(8),
            body_mib: Some(3),
            bytes_mib: Some(5),
            piece_mib: Some(1),
            archive_entries: Some(299),
            ..LimitsConfig::default()
        },
        import_limits: LimitsConfig {
            cpu_ms: Some(1_000),
            wall_ms: Some(500),
            run_ms: Some(500),
            empty_batches: Some(100),
            ..LimitsConfig::default()
        },
        ..ConnectorConfig::default()
    }
}

fn made_anew(config: &mut Config) {
    // Retry failed parts at once, and refuse no neighbour because its connector is busy.
    config.freshness.failed_retry_seconds = 0;
    let neighbour = config
        .connector
        .entry(connector_id("tax-authority"))
        .or_default();
    neighbour.concurrent_calls = Some(64);
    let scope = neighbour.scopes.entry("tax_reliability".to_owned());
    scope.or_default().max_age_days = Some(0.0);
}

/// Results of the neighbours' requests.
#[derive(Default)]
struct Seen {
    times: Vec<Duration>,
    health: Vec<Duration>,
    failed: u64,
}

/// What one hostile connector did to its neighbours.
struct Effect {
    failed: u64,
    /// Beside the hostile connector to alone, in the order of [`MEASURES`].
    ratios: [f64; 3],
}

const MEASURES: [&str; 3] = ["p99 of /v1/health", "p50", "p99"];

struct Attack<'a> {
    runtime: &'a Runtime,
    world: &'a World,
    host: SocketAddr,
    neighbours: Vec<Request>,
    health: Request,
    rate: u32,
    span: Duration,
    turn: AtomicUsize,
}

impl<'a> Attack<'a> {
    fn new(runtime: &'a Runtime, world: &'a World, options: &Options) -> Self {
        let url = world.url();
        let address = url.strip_prefix("http://").unwrap_or(&url);
        let host = address.parse().expect("a world listens on an address");
        let company = |ico: &str, scope: &str| {
            client::get(&format!("/v1/company/ico/{ico}?scope={scope}"), &world.key)
        };
        // Half are cached, half are computed for each request.
        let neighbours: Vec<Request> = world.icos[..4]
            .iter()
            .flat_map(|ico| [company(ico, "tax_reliability"), company(ico, "erased_vat")])
            .collect();
        client::each_once(host, &neighbours, 1);
        runtime.block_on(world.wait_idle());
        client::each_once(host, &neighbours, 1);
        Self {
            runtime,
            world,
            host,
            neighbours,
            health: client::get("/v1/health", &world.key),
            rate: options.number("profiles-rate", 100, 50),
            span: options.seconds(4, 1),
            turn: AtomicUsize::new(0),
        }
    }

    fn all(&self, figures: &mut Figures) {
        figures.explain(&format!(
            "{} look-ups a second for {} s, half cached and half computed by another connector: first alone, then \
             beside {ATTACKERS} callers that call a hostile connector continuously. Times start when a look-up is due. A \
             look-up that fails or lacks its section counts as failed. Each look-up is followed by /v1/health. \
             Registers have threads of their own, on the same cores.",
            self.rate,
            self.span.as_secs()
        ));
        self.look_ups(self.span / 4, || ());
        let mut effects = Vec::new();
        for (connector, scope, harmless) in CALLS {
            let asked = AtomicU64::new(0);
            let attacker = |over: &AtomicBool| {
                while !over.load(Ordering::Relaxed) {
                    self.ask(scope);
                    asked.fetch_add(1, Ordering::Relaxed);
                    for _ in 0..2 {
                        harmless.map(|harmless| self.ask(harmless));
                    }
                }
            };
            effects.push(self.beside(figures, scope, attacker));
            let asked = asked.load(Ordering::Relaxed);
            say(&format!(
                "    {asked} hostile calls, of which one: {}",
                self.reason(connector, scope)
            ));
        }
        for list in IMPORTS {
            let (runs, reason) = (AtomicU64::new(0), std::sync::Mutex::new(String::new()));
            let attacker = |over: &AtomicBool| {
                while !over.load(Ordering::Relaxed) {
                    let guest = connector_id("guest-import");
                    let run = self.world.importer.run(&guest, list, &|_| {});
                    let outcome = self.runtime.block_on(run);
                    let Err(error) = outcome else { continue };
                    // A second concurrent run is refused, which says nothing about the running one.
                    if !error.to_string().contains("already") {
                        runs.fetch_add(1, Ordering::Relaxed);
                        *reason.lock().expect("no holder panics") = error.to_string();
                    }
                }
            };
            effects.push(self.beside(figures, &format!("import {list}"), attacker));
            let reason = reason.into_inner().expect("no holder panics");
            say(&format!(
                "    {} runs, the last: {reason}",
                runs.into_inner()
            ));
        }
        for (number, measure) in MEASURES.iter().enumerate() {
            let ratios: Vec<f64> = effects.iter().map(|effect| effect.ratios[number]).collect();
            let worst = ratios.iter().copied().fold(0.0, f64::max);
            let kinds = ratios.len();
            figures.report(
                format!("median of {kinds} kinds: {measure}, beside to alone"),
                support::median(&ratios),
                "",
            );
            figures.report(format!("worst of them: {measure}"), worst, "");
        }
        let failed: u64 = effects.iter().map(|effect| effect.failed).sum();
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        let failed = failed as f64;
        figures.aimed(
            "failed look-ups of neighbours",
            failed,
            "",
            Aim::AtMost(0.0),
        );
    }

    /// Measures neighbours alone and beside attackers.
    fn beside(
        &self,
        figures: &mut Figures,
        name: &str,
        attacker: impl Fn(&AtomicBool) + Sync,
    ) -> Effect {
        let alone = self.look_ups(self.span, || ());
        let over = AtomicBool::new(false);
        let beside = std::thread::scope(|scope| {
            for _ in 0..ATTACKERS {
                scope.spawn(|| attacker(&over));
            }
            self.look_ups(self.span, || over.store(true, Ordering::Relaxed))
        });
        let failed = alone.failed + beside.failed;
        let millis = |mut times: [Vec<Duration>; 2], share| {
            times
                .each_mut()
                .map(|times| support::percentile(times, share).as_secs_f64() * 1e3)
        };
        let [health, health_beside] = millis([alone.health, beside.health], 0.99);
        let times = [alone.times, beside.times];
        let [middle, middle_beside] = millis(times.clone(), 0.5);
        let [p99, p99_beside] = millis(times, 0.99);
        say(&format!(
            "\n  {name}: p50 {middle:.2} ms alone, {middle_beside:.2} beside; p99 {p99:.2} alone, {p99_beside:.2} beside; \
             p99 of /v1/health {health:.2} alone, {health_beside:.2} beside; {failed} failed"
        ));
        let ratios = [
            health_beside / health,
            middle_beside / middle,
            p99_beside / p99,
        ];
        let aims = [Some(Aim::AtMost(2.0)), None, Some(Aim::AtMost(1.5))];
        for ((measure, ratio), aim) in MEASURES.iter().zip(ratios).zip(aims) {
            let name = format!("{name}: {measure}, beside to alone");
            figures.add(name, ratio, "", aim);
        }
        Effect { failed, ratios }
    }

    /// Sends the neighbours' look-ups at their rate.
    fn look_ups(&self, span: Duration, at_the_end: impl FnOnce()) -> Seen {
        let interval = Duration::from_secs(1) / self.rate;
        let next = AtomicUsize::new(0);
        let started = Instant::now();
        let worker = || {
            let mut connection = Connection::open(self.host);
            let mut seen = Seen::default();
            loop {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                let due = interval * u32::try_from(turn).expect("a benchmark ends before");
                if due >= span {
                    return seen;
                }
                let due = started + due;
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                let request = &self.neighbours[turn % self.neighbours.len()];
                let (status, body) = connection.exchange(request);
                let complete = status == 200 && !contains(body, b"\"unread\"");
                seen.failed += u64::from(!complete);
                seen.times.push(due.elapsed());
                let asked = Instant::now();
                let (status, _) = connection.exchange(&self.health);
                seen.failed += u64::from(status != 200);
                seen.health.push(asked.elapsed());
            }
        };
        let seen: Vec<Seen> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..8).map(|_| scope.spawn(worker)).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().expect("the host answers"))
                .collect()
        });
        at_the_end();
        let mut all = Seen::default();
        for seen in seen {
            all.failed += seen.failed;
            all.times.extend(seen.times);
            all.health.extend(seen.health);
        }
        all
    }

    /// Requests a scope of the next company. Returns the code of the reason if the section is missing.
    fn ask(&self, scope: &str) -> Option<String> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        // The first four companies are the neighbours'.
        let ico = &self.world.icos[4 + turn % (self.world.icos.len() - 4)];
        let path = format!("/v1/company/ico/{ico}?scope={scope}");
        let mut connection = Connection::open(self.host);
        let (_, body) = connection.exchange(&client::get(&path, &self.world.key));
        let body: serde_json::Value = serde_json::from_slice(body).ok()?;
        let reason = body.pointer(&format!("/meta/scopes/{scope}/reason"))?;
        reason.as_str().map(str::to_owned)
    }

    /// Requests the scope again after the attack. Returns what the answer and the status page report.
    fn reason(&self, connector: &str, scope: &str) -> String {
        self.runtime.block_on(self.world.wait_idle());
        let code = self.ask(scope).unwrap_or_else(|| "answered".to_owned());
        self.runtime.block_on(self.world.wait_idle());
        let mut connection = Connection::open(self.host);
        let body = connection.ask(&client::get("/v1/status", &self.world.key));
        let status: serde_json::Value = serde_json::from_slice(body).expect("a status is JSON");
        let sources = status["sources"].as_array().into_iter().flatten();
        let mut own = sources.filter(|source| source["id"] == connector);
        let reason = own.next().map(|source| source["reason"].clone());
        let reason = reason.unwrap_or_default();
        let reason: String = reason.as_str().unwrap_or("-").chars().take(100).collect();
        format!("{code} ({reason})")
    }
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
