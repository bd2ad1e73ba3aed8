//! The cost of the sandbox: the same Rust code as a component and natively.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lustra_sdk::testing::TestHost;
use lustra_sdk::{Enrichment, Item};
use lustra_tests::World;
use lustra_tests::lustra::config::ConnectorConfig;
use lustra_tests::lustra::connectors::Loaded;
use lustra_tests::lustra::connectors::bindings::company_source::exports::lustra::connector::company_source::CompanyKey;
use lustra_tests::lustra::connectors::bindings::enrichment::exports::lustra::connector::enrichment::Subject;
use lustra_tests::lustra::connectors::egress::{Allowance, Limits, Outgoing};
use lustra_tests::lustra::connectors::state::Services;
use lustra_tests::lustra::connectors::recording::RecordingMode;
use lustra_tests::lustra::store::StoredRecord;
use lustra_tests::lustra::store::testing::{connector_id, scope_name};
use tokio::runtime::Runtime;

use crate::support::upstream::{self, Files};
use crate::support::{self, Aim, Figures, Options, median_micros};

const TAX: &str = "tax-authority";
const RATINGS: &str = "reliability";

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let mut figures = Figures::new("The sandbox");
    fixed_cost(&runtime, options, &mut figures);
    least_call(&runtime, options, &mut figures);
    enrichment(&runtime, options, &mut figures);
    pages(&runtime, options, &mut figures);
    figures.end();
}

fn serving(world: &World, connector: &str) -> Arc<Loaded> {
    let catalogue = world.importer.companies().connectors().catalogue();
    let loaded = catalogue.serving(&connector_id(connector));
    Arc::clone(loaded.expect("the shipped connectors serve"))
}

fn services(world: &World) -> &Services {
    &world.importer.companies().connectors().services
}

/// Measures a fresh store, an instance, the cheapest export, and their disposal.
fn fixed_cost(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let iterations = options.number("iterations", 20_000, 1_000);
    let world = runtime.block_on(World::new().companies(12).nothing_imported().start());
    figures.explain(&format!(
        "The fixed cost of a call: `describe`, which copies a text out, through the host (permit, fresh store, \
         instance from the pool, call, everything dropped) minus copying the same text natively. One thread, the \
         median of {iterations} calls."
    ));
    let manifests = [
        ("rpo", lustra_rpo::MANIFEST),
        ("orsr", lustra_orsr::MANIFEST),
        (TAX, lustra_tax_authority::MANIFEST),
    ];
    for (connector, manifest) in manifests {
        let loaded = serving(&world, connector);
        let mut sandboxed = Vec::new();
        let mut native = Vec::new();
        runtime.block_on(async {
            for _ in 0..iterations {
                let started = Instant::now();
                black_box(
                    loaded
                        .describe(services(&world))
                        .await
                        .expect("it describes itself"),
                );
                sandboxed.push(started.elapsed());
                let started = Instant::now();
                black_box(black_box(manifest).to_owned());
                native.push(started.elapsed());
            }
        });
        let added = median_micros(&mut sandboxed) - median_micros(&mut native);
        figures.aimed(
            format!("fixed cost of a call, {connector}"),
            added,
            "µs",
            Aim::AtMost(12.0),
        );
        let p99 = support::percentile(&mut sandboxed, 0.99).as_secs_f64() * 1e6;
        figures.report(format!("describe, {connector}, p99"), p99, "µs");
    }
    runtime.block_on(world.end());
}

/// Measures a call without requests, with an empty answer and with a record of twelve fields.
fn least_call(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let iterations = options.number("iterations", 20_000, 1_000);
    let world = World::new()
        .companies(12)
        .nothing_imported()
        .with_guests()
        .settings(|config| {
            let guest = ConnectorConfig::default();
            config.connector.insert(connector_id("guest-record"), guest);
        });
    let world = runtime.block_on(world.start());
    let loaded = serving(&world, "guest-record");
    figures.explain(&format!(
        "The minimum cost of a call: a company source without requests that finds no company, and one that returns a \
         record of twelve fields. As an unmetered call: fresh store, instance, call, answer checked against the schema, \
         everything dropped; and as a serving call: with circuit breaker, permit, counters and sample. One thread, \
         {iterations} calls."
    ));
    let keys = [
        (
            "an empty answer",
            CompanyKey::Ico("99999994".to_owned()),
            Some(Aim::AtMost(9.0)),
        ),
        (
            "a record of 12 fields",
            CompanyKey::RegisterId("1".to_owned()),
            None,
        ),
    ];
    for (what, key, aim) in keys {
        let (mut trials, mut served) = (Vec::new(), Vec::new());
        runtime.block_on(async {
            for _ in 0..iterations {
                let started = Instant::now();
                let trial = loaded
                    .try_fetch_company(services(&world), &key, RecordingMode::Off)
                    .await;
                black_box(trial.result.expect("it answers"));
                trials.push(started.elapsed());
                let started = Instant::now();
                black_box(
                    loaded
                        .fetch_company(services(&world), &key)
                        .await
                        .expect("it answers"),
                );
                served.push(started.elapsed());
            }
        });
        let total: Duration = served.iter().sum();
        let name = format!("call with {what}");
        figures.add(name, median_micros(&mut trials), "µs", aim);
        figures.report(
            format!("call that serves, {what}"),
            median_micros(&mut served),
            "µs",
        );
        figures.report(
            format!("calls that serve, {what}, one core"),
            support::rate(iterations.into(), total),
            "calls/s",
        );
    }
    runtime.block_on(world.end());
}

/// Measures a whole enrichment, minus its two store queries.
fn enrichment(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let iterations = options.number("iterations", 5_000, 500);
    let world = runtime.block_on(World::new().start());
    let ico = world.icos[0].clone();
    let loaded = serving(&world, TAX);
    let services = services(&world);
    let records = services.store.records();
    let tax = connector_id(TAX);
    let found = runtime.block_on(records.by_company(&tax, RATINGS, &ico, "", 1_000));
    let items: Vec<Item> = found
        .expect("the store is there")
        .into_iter()
        .map(item)
        .collect();
    assert!(
        !items.is_empty(),
        "the first company of the showcase has a rating"
    );
    let host = TestHost::new().dataset(RATINGS, "2026-01-15T08:00:00Z", None, items);
    host.install();
    let subject = subject(&ico);
    let native_subject = native(&subject);
    let scope = scope_name("tax_reliability");
    let (mut sandboxed, mut asked, mut natively) = (Vec::new(), Vec::new(), Vec::new());
    runtime.block_on(async {
        for _ in 0..iterations {
            let started = Instant::now();
            let section = loaded.enrich(services, &scope, &subject).await;
            sandboxed.push(started.elapsed());
            black_box(section.expect("the list was imported"));
            let started = Instant::now();
            let found = records
                .by_company_with_state(&tax, RATINGS, &ico, 1_000)
                .await;
            asked.push(started.elapsed());
            black_box(found.expect("the store is there"));
            let started = Instant::now();
            let section = lustra_tax_authority::TaxAuthority::enrich(
                "tax_reliability",
                native_subject.clone(),
            );
            natively.push(started.elapsed());
            black_box(section.expect("the list was imported"));
        }
    });
    figures.explain(
        "A whole enrichment (`tax_reliability`, from one imported record): through the host with its schema check, minus \
         the same SQLite query sent directly, minus the same code run natively.",
    );
    let whole = median_micros(&mut sandboxed);
    let added = whole - median_micros(&mut asked) - median_micros(&mut natively);
    figures.report("enrichment tax_reliability, whole", whole, "µs");
    figures.report(
        "enrichment tax_reliability, natively",
        median_micros(&mut natively),
        "µs",
    );
    figures.aimed(
        "enrichment tax_reliability, added",
        added,
        "µs",
        Aim::AtMost(40.0),
    );
    runtime.block_on(world.end());
}

fn item(record: StoredRecord) -> Item {
    Item {
        key: record.key,
        ico: record.ico,
        name: record.name,
        city: record.city,
        postal_code: record.postal_code,
        content: record.content,
        removed: false,
    }
}

fn subject(ico: &str) -> Subject {
    Subject {
        ico: ico.to_owned(),
        name: "Vzorová, s. r. o.".to_owned(),
        city: Some("Bratislava".to_owned()),
        postal_code: Some("81101".to_owned()),
        nace_code: Some("6201".to_owned()),
        facts: Vec::new(),
        company: "{}".to_owned(),
        previous: None,
    }
}

fn native(subject: &Subject) -> lustra_sdk::Subject {
    lustra_sdk::Subject {
        ico: subject.ico.clone(),
        name: subject.name.clone(),
        city: subject.city.clone(),
        postal_code: subject.postal_code.clone(),
        nace_code: subject.nace_code.clone(),
        facts: Vec::new(),
        company: subject.company.clone(),
        previous: None,
    }
}

/// Measures an extract of the commercial register: requested, decoded and parsed.
fn pages(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let iterations = options.number("iterations", 2_000, 100);
    let simulator = upstream::simulator(runtime, 12);
    let mut files = Files::new();
    let mut keys = Vec::new();
    for index in 0..12 {
        let Some(file) = simulator.population().company(index, 0).orsr else {
            continue;
        };
        let path = format!("/vypis.asp?ID={}&SID={}&P=1", file.id, file.court);
        let page = upstream::fetch(runtime, &simulator, &format!("/orsr{path}"));
        keys.push((format!("{}/{}", file.id, file.court), path.clone()));
        files.insert(path, page);
    }
    let bytes: usize = files.values().map(|file| file.bytes.len()).sum();
    let average = bytes / files.len();
    let register = upstream::serve(runtime, files);
    let world = World::new()
        .companies(12)
        .nothing_imported()
        .settings(move |config| upstream::point(config, "orsr", "orsr", &register));
    let world = runtime.block_on(world.start());
    figures.explain(&format!(
        "{} extracts of the commercial register (HTML, {average} bytes on average), by their ids: one request, \
         decoding, parsing, the record handed over and checked, through the sandbox; the same request and decoding \
         by the host's own client; parsing the same text natively. The ratio is sandbox without request to native.",
        keys.len()
    ));
    let times = runtime.block_on(read_pages(&world, &keys, iterations));
    let [whole, asked, natively] = times.map(|mut times| median_micros(&mut times));
    figures.report("extract through the sandbox, with its request", whole, "µs");
    figures.report("the request alone", asked, "µs");
    figures.report("extract natively", natively, "µs");
    let ratio = (whole - asked) / natively;
    figures.aimed("extract, sandbox to native", ratio, "", Aim::AtMost(1.5));
    runtime.block_on(world.end());
}

/// The times of each page through the sandbox, of its request alone, and of parsing it natively.
async fn read_pages(
    world: &World,
    keys: &[(String, String)],
    iterations: u32,
) -> [Vec<Duration>; 3] {
    let loaded = serving(world, "orsr");
    let services = services(world);
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    let turns = (0..iterations).flat_map(|_| keys.iter());
    for (id, path) in turns.take(iterations.try_into().unwrap_or(usize::MAX)) {
        let key = CompanyKey::RegisterId(id.clone());
        let started = Instant::now();
        let company = loaded.fetch_company(services, &key).await;
        times[0].push(started.elapsed());
        black_box(company.expect("the page is read"));
        let started = Instant::now();
        let page = asked(services, &loaded, path).await;
        times[1].push(started.elapsed());
        let started = Instant::now();
        let details = lustra_orsr::details_of_page(&page, id);
        times[2].push(started.elapsed());
        black_box(details.expect("the page is read"));
    }
    times
}

/// Fetches the page as the host does for a connector.
async fn asked(services: &Services, loaded: &Loaded, path: &str) -> String {
    let limits = &loaded.lookup_limits;
    let allowance = Arc::new(Allowance::new(Limits {
        requests: limits.requests,
        bytes: limits.bytes,
        body: limits.body,
        piece: limits.piece,
        redirects: limits.redirects,
        archive_ratio: limits.archive_ratio,
        archive_entries: limits.archive_entries,
        spool: services.spool.clone(),
        max_wait: limits.wall,
    }));
    let outgoing = Outgoing {
        method: reqwest::Method::GET,
        path: path.to_owned(),
        headers: Vec::new(),
        body: None,
        idempotent: true,
    };
    let answer = services
        .egress
        .send(&loaded.upstreams["orsr"], outgoing, &allowance)
        .await;
    let mut body = answer.expect("the register answers").body;
    let text = body.text(Some("windows-1250")).await;
    black_box(body.evidence());
    text.expect("the page is text")
}
