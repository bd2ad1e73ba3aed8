//! What grows with the subscriptions: the fan-out of one changed list that concerns 1 in 100 watched companies.
//!
//! `cargo bench -- growth-subscriptions`. Each size is measured in a process of its own.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::routing::get;
use bytes::Bytes;
use lustra_tests::lustra::config::{Plan, Secret};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::{DatabaseKind, World};
use tokio::runtime::Runtime;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::fill::{Source, ico};
use super::points::{Grown, Points};
use super::{database, millis, name_of, sizes};
use crate::support::process::{self, Resident};
use crate::support::sizes::{mib, of_store};
use crate::support::{self, Figures, Options, upstream};

const WHAT: &str = "subscriptions";

/// The list that changes, and its path.
const LIST: &str = "reliability";
const PATH: &str = "/ds_iz_ran.zip";

/// Subscriptions of an account.
const OF_AN_ACCOUNT: usize = 1_000;
/// One in so many watched companies is concerned.
const CONCERNED: u32 = 100;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    if let Some((kind, size)) = &options.inner {
        let kind = if kind == "sqlite" {
            DatabaseKind::Sqlite
        } else {
            DatabaseKind::Postgres
        };
        let size = size.parse().expect("the parent passes a number");
        measure(&runtime, kind, size, options);
        return;
    }
    let most = options.number("subscriptions", 1_000_000, 2_000);
    let least = options.number("least-subscriptions", 100, 100);
    for size in sizes(&[100, 10_000], least, most) {
        for kind in ["sqlite", "postgres"] {
            let status = process::again([kind, &size.to_string()]).status();
            assert!(
                status.is_ok_and(|status| status.success()),
                "{kind} was measured with {size} subscriptions"
            );
        }
    }
    Points::open(options, WHAT, WHAT).show();
}

/// The list of ratings of companies, of which one in [`CONCERNED`] is another than before if the list is the later one.
fn list(companies: u32, later: bool) -> Bytes {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive
        .start_file("ds_iz_ran.xml", SimpleFileOptions::default())
        .expect("a fresh archive");
    let mut text = std::io::BufWriter::new(archive);
    let mut write = |line: &str| text.write_all(line.as_bytes()).expect("memory takes it");
    write(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ZoznamSubjektovIndexDanovejSpolahlivosti>\
         <DatumAktualizacieZoznamu>15012026</DatumAktualizacieZoznamu><DS_IZ_RAN>\n",
    );
    for index in 0..companies {
        let rating = if later && index % CONCERNED == 0 {
            "menej spoľahlivý"
        } else {
            "spoľahlivý"
        };
        write(&format!(
            "<ITEM><DIC>2{index:09}</DIC><ICO>{}</ICO><IDS>{rating}</IDS></ITEM>\n",
            ico(index)
        ));
    }
    write("</DS_IZ_RAN></ZoznamSubjektovIndexDanovejSpolahlivosti>\n");
    let archive = text.into_inner().expect("memory takes it");
    let packed = archive.finish().expect("memory takes it");
    packed.into_inner().into()
}

/// Serves the list in the mutex. Returns the register's address.
fn serve(runtime: &Runtime, served: &Arc<Mutex<Bytes>>) -> String {
    let answer = async |State(served): State<Arc<Mutex<Bytes>>>| {
        let bytes = served
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        ([(header::CONTENT_TYPE, "application/zip")], bytes)
    };
    let router = Router::new()
        .route(PATH, get(answer))
        .with_state(Arc::clone(served));
    format!("http://{}", upstream::listen(runtime, router))
}

fn world(runtime: &Runtime, url: &str, register: String) -> World {
    let url = url.to_owned();
    let world = World::new()
        .companies(12)
        .connectors(&["rpo", "tax-authority"])
        .nothing_imported()
        .without_index()
        .settings(move |config| {
            config.store = Some(Secret::new(url));
            upstream::point(config, "tax-authority", "fs-reports", &register);
            let watching = Plan {
                scopes: vec!["tax_reliability".to_owned()],
                ..Plan::default()
            };
            config.plans.insert("watching".to_owned(), watching);
        });
    runtime.block_on(world.start())
}

/// Subscribes accounts to all companies, one subscription each. They count as just read.
async fn subscribe(world: &World, companies: u32) {
    let later = world.now() + Duration::from_secs(30 * 24 * 3_600);
    let icos: Vec<String> = (0..companies).map(ico).collect();
    for (number, icos) in icos.chunks(OF_AN_ACCOUNT).enumerate() {
        let name = format!("watching-{number}");
        let keys = world.store.keys();
        let account = keys.create_account(&name, "watching", world.now()).await;
        let account = account.expect("the store is there").id;
        let webhook = format!("http://127.0.0.1:{}/", 1_000 + number % 100);
        let subscribed = world
            .store
            .subscribe_in_bulk(account, icos, &webhook, later, world.now());
        subscribed.await.expect("the store is there");
    }
}

/// Reads the companies that the later list concerns for the first time, which raises no events.
async fn read_concerned(world: &World, companies: u32) {
    let concerned: Vec<String> = (0..companies)
        .step_by(CONCERNED as usize)
        .map(ico)
        .collect();
    for icos in concerned.chunks(1_000) {
        let icos: Vec<&str> = icos.iter().map(String::as_str).collect();
        let woken = world.store.watches().wake(&icos, world.now()).await;
        woken.expect("the store is there");
    }
    assert_eq!(world.refresh_watched().await, concerned.len());
    assert_eq!(world.fan_out().await, 0, "a first reading raises no event");
}

fn measure(runtime: &Runtime, kind: DatabaseKind, size: u32, options: &Options) {
    let Some(database) = database(runtime, kind) else {
        return;
    };
    let source = Source::new(runtime, size);
    source.fill(runtime, database.url(), 0..size);
    drop(source);
    let served = Arc::new(Mutex::new(list(size, false)));
    let register = serve(runtime, &served);
    let world = world(runtime, database.url(), register);
    let import = || {
        let begun = Instant::now();
        let connector = connector_id("tax-authority");
        let run = world.importer.run(&connector, LIST, &|_progress| ());
        let imported = runtime.block_on(run).expect("the list is imported");
        assert_eq!(imported.records, u64::from(size));
        begun.elapsed()
    };
    import();
    // Otherwise the index is built while the rest is measured.
    runtime.block_on(world.indexed());
    runtime.block_on(subscribe(&world, size));
    runtime.block_on(read_concerned(&world, size));
    let mut figures = Figures::new("Growth with subscriptions");
    let mut points = Points::open(options, WHAT, WHAT);
    figures.explain(&format!(
        "{size} companies with one subscription each, of {OF_AN_ACCOUNT} for each account, and a list that rates all of \
         them. The list is imported again with another rating of 1 in {CONCERNED}; then the companies concerned are \
         refreshed, which finds the changes, and the events are fanned out into deliveries. Nothing is sent."
    ));
    let mut grown = Grown {
        figures: &mut figures,
        points: &mut points,
        series: name_of(kind),
        size,
    };
    *served.lock().unwrap_or_else(PoisonError::into_inner) = list(size, true);
    let imported = import();
    let begun = Instant::now();
    let refreshed = runtime.block_on(world.refresh_watched());
    let refreshing = begun.elapsed();
    let begun = Instant::now();
    let events = runtime.block_on(world.fan_out());
    let fanning_out = begun.elapsed();
    let concerned = size.div_ceil(CONCERNED);
    assert_eq!(
        refreshed, concerned as usize,
        "only companies concerned are due"
    );
    assert_eq!(events, concerned as usize, "each company has one event");
    let deliveries = world.store.deliveries();
    let backlog = runtime.block_on(deliveries.backlog(world.now()));
    assert_eq!(backlog.expect("the store is there").0, i64::from(concerned));
    grown.add("import of the changed list", imported.as_secs_f64(), "s");
    let each = |span: Duration| millis(span) / f64::from(concerned);
    grown.add("refresh of a company concerned", each(refreshing), "ms");
    grown.add("fan-out of an event", each(fanning_out), "ms");
    let whole = (imported + refreshing + fanning_out).as_secs_f64();
    grown.add("from the changed list to the last delivery", whole, "s");
    grown.add("memory, resident", Resident::read().now, "MiB");
    let bytes = runtime.block_on(of_store(database.url()));
    grown.add("store", mib(bytes), "MiB");
    points.save();
    figures.end();
    runtime.block_on(world.end());
    runtime.block_on(database.remove());
}
