//! Search at the size of the real register: companies loaded through the connector into both databases, the index built
//! from the store, and names typed letter by letter, compared with the databases' own search.
//!
//! `cargo bench -- search --companies 1300000`. Each database is measured in a separate process, so that its memory is
//! that of a host; the parent process simulates the registers.

mod batches;

use std::time::{Duration, Instant};

use lustra_tests::lustra::search::{Page, Search, SearchCriteria};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::lustra::store::{BaseCompany, CompanyToFind, Store};
use lustra_tests::{DatabaseKind, START, World};
use tokio::runtime::Runtime;

use crate::support::process::{self, Resident};
use crate::support::rivals::{Fts5, Trigrams};
use crate::support::sizes::{self, mib};
use crate::support::upstream;
use crate::support::{self, Aim, Figures, Options, percentile, rate};

/// Number of companies in a batch.
const IN_A_BATCH: usize = 100;

/// Maximum number of typed letters of a name.
const TYPED: usize = 30;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let companies = companies(options);
    if let Some((kind, address)) = &options.inner {
        let kind = if kind == "postgres" {
            DatabaseKind::Postgres
        } else {
            DatabaseKind::Sqlite
        };
        measure(&runtime, kind, address, options);
        return;
    }
    support::figures::say(&format!("\nSearch over {companies} companies"));
    let simulator = upstream::simulator(&runtime, companies);
    for kind in ["sqlite", "postgres"] {
        let status = process::again([kind, &simulator.url()]).status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{kind} was measured"
        );
    }
}

fn measure(runtime: &Runtime, kind: DatabaseKind, address: &str, options: &Options) {
    let name = if kind == DatabaseKind::Sqlite {
        "SQLite"
    } else {
        "PostgreSQL"
    };
    let address = address.to_owned();
    let building = World::new()
        .companies(12)
        .nothing_imported()
        .on(kind)
        .settings(move |config| {
            let places = [
                ("rpo", "rpo", "rpo"),
                ("rpo", "rpo-dumps", "rpo-dumps"),
                ("orsr", "orsr", "orsr"),
            ];
            for (connector, upstream, path) in places {
                upstream::point(config, connector, upstream, &address);
                let upstreams = config.connector.get_mut(connector);
                let upstreams = upstreams.map(|connector| &mut connector.upstreams);
                let upstream = upstreams.and_then(|upstreams| upstreams.get_mut(upstream));
                upstream.expect("it was just pointed there").address =
                    Some(format!("{address}/{path}"));
            }
        });
    let Some(world) = runtime.block_on(building.start_if_possible()) else {
        return;
    };
    let title = if kind == DatabaseKind::Sqlite {
        "Search on SQLite"
    } else {
        "Search on PostgreSQL"
    };
    let mut figures = Figures::new(title);
    load(runtime, &world, name, &mut figures);
    index(runtime, &world, &mut figures);
    if kind == DatabaseKind::Sqlite {
        typing(runtime, &world, options, &mut figures);
        batches::batches(runtime, &world, options, &mut figures);
    }
    catch_up(runtime, &world, &mut figures);
    figures.end();
    runtime.block_on(world.end());
}

/// Loads the register's dump through the connector into the store.
fn load(runtime: &Runtime, world: &World, name: &str, figures: &mut Figures) {
    figures.explain(
        "Load of the whole register through the connector rpo: downloaded from the simulator in another process, \
         unpacked, parsed in the sandbox, committed in batches; the index follows beside it.",
    );
    Resident::forget_high();
    let started = Instant::now();
    let imported = runtime
        .block_on(
            world
                .importer
                .run(&connector_id("rpo"), "companies", &|_progress| ()),
        )
        .expect("the dump is imported");
    let elapsed = started.elapsed();
    figures.report(
        format!("{name}: companies loaded"),
        number(imported.records),
        "",
    );
    figures.report(
        format!("{name}: time of the load"),
        elapsed.as_secs_f64(),
        "s",
    );
    figures.aimed(
        format!("{name}: speed"),
        rate(imported.records, elapsed),
        "rows/s",
        Aim::AtLeast(25_000.0),
    );
    figures.aimed(
        format!("{name}: most memory of the host"),
        Resident::read().high,
        "MiB",
        Aim::AtMost(250.0),
    );
    figures.report(
        format!("{name}: size of the store"),
        mib(runtime.block_on(sizes::of_store(&world.config().store_url()))),
        "MiB",
    );
    let started = Instant::now();
    runtime.block_on(world.indexed());
    figures.report(
        format!("{name}: index current after the load"),
        started.elapsed().as_secs_f64(),
        "s",
    );
}

/// Builds the index as a host with an empty data directory does.
fn index(runtime: &Runtime, world: &World, figures: &mut Figures) {
    figures.explain("The index built from the store: read, folded, written, committed.");
    Resident::forget_high();
    let before = Resident::read().now;
    let folder = tempfile::tempdir().expect("temporary files can be written");
    let search = Search::new(
        world.store.clone(),
        folder.path().to_owned(),
        world.config().search.clone(),
    );
    let started = Instant::now();
    let stepped = runtime.block_on(search.step()).expect("the index is made");
    let elapsed = started.elapsed();
    figures.report("index: companies", number(stepped.companies), "");
    figures.report("index: time", elapsed.as_secs_f64(), "s");
    figures.report(
        "index: speed",
        rate(stepped.companies, elapsed),
        "companies/s",
    );
    figures.report(
        "index: size on disk",
        mib(sizes::of_folder(folder.path())),
        "MiB",
    );
    figures.report("index: memory before", before, "MiB");
    figures.report("index: memory at most", Resident::read().high, "MiB");
}

/// Measures names that are typed letter by letter.
fn typing(runtime: &Runtime, world: &World, options: &Options, figures: &mut Figures) {
    let count = options.number("names", 1_000, 50);
    let for_rivals = options.number("rival-names", 20, 5);
    let companies = runtime.block_on(everything(&world.store));
    let step = (companies.len() / count as usize).max(1);
    let names: Vec<&str> = companies
        .iter()
        .step_by(step)
        .take(count as usize)
        .map(|company| company.name.as_str())
        .collect();
    figures.explain(&format!(
        "Autocomplete of {} names of companies, typed letter by letter from the second to the {TYPED}th, 10 \
         suggestions with number, name and city. FTS5 with prefix indexes of 2, 3 and 4 letters, ordered by rank; \
         pg_trgm over folded names, ordered by similarity: the same for only {for_rivals} of those names, because they \
         are slow.",
        names.len()
    ));
    let search = world.search();
    let mut ours = Vec::new();
    runtime.block_on(async {
        for name in &names {
            for typed in typed(name) {
                let criteria = SearchCriteria {
                    name: Some(typed.to_owned()),
                    ..SearchCriteria::default()
                };
                let started = Instant::now();
                let found = search
                    .suggestions(
                        criteria,
                        Page {
                            limit: 10,
                            offset: 0,
                        },
                    )
                    .await;
                ours.push(started.elapsed());
                assert!(!found.expect("it answers").hits.is_empty(), "{typed}");
            }
        }
    });
    let p99 = times("Lustra", &mut ours, Some(Aim::AtMost(0.5)), figures);
    let asked: Vec<&str> = names
        .iter()
        .step_by((names.len() / for_rivals as usize).max(1))
        .take(for_rivals as usize)
        .flat_map(|name| typed(name))
        .collect();
    let mut sqlite = runtime.block_on(fts5(&companies, &asked, figures));
    let ratio = times("FTS5", &mut sqlite, None, figures) / p99;
    figures.aimed("FTS5: p99 to ours", ratio, "", Aim::AtLeast(50.0));
    if let Some(mut postgres) = runtime.block_on(trigrams(&companies, &asked, figures)) {
        let ratio = times("pg_trgm", &mut postgres, None, figures) / p99;
        figures.aimed("pg_trgm: p99 to ours", ratio, "", Aim::AtLeast(50.0));
    }
}

/// What a person has typed of a name after each letter, from the second to the 30th.
pub fn typed(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
    ends.skip(2).take(TYPED - 1).map(|end| &name[..end])
}

/// Prints percentiles of some times, and returns the 99th in milliseconds.
pub fn times(name: &str, times: &mut [Duration], aim: Option<Aim>, figures: &mut Figures) -> f64 {
    let mut millis = |share| percentile(times, share).as_secs_f64() * 1e3;
    let (p50, p99, most) = (millis(0.5), millis(0.99), millis(1.0));
    figures.report(format!("{name}: p50"), p50, "ms");
    figures.add(format!("{name}: p99"), p99, "ms", aim);
    figures.report(format!("{name}: longest of {}", times.len()), most, "ms");
    p99
}

pub async fn fts5(
    companies: &[CompanyToFind],
    asked: &[&str],
    figures: &mut Figures,
) -> Vec<Duration> {
    let folder = tempfile::tempdir().expect("temporary files can be written");
    let mut table = Fts5::create(folder.path()).await;
    let started = Instant::now();
    for part in companies.chunks(50_000) {
        table.insert(part).await;
    }
    table.optimize().await;
    figures.report(
        "FTS5: time of filling",
        started.elapsed().as_secs_f64(),
        "s",
    );
    figures.report("FTS5: size", mib(sizes::of_folder(folder.path())), "MiB");
    let mut times = Vec::new();
    for typed in asked {
        times.push(table.ask(typed, 11).await);
    }
    times
}

pub async fn trigrams(
    companies: &[CompanyToFind],
    asked: &[&str],
    figures: &mut Figures,
) -> Option<Vec<Duration>> {
    let mut table = Trigrams::create().await?;
    let started = Instant::now();
    table.insert(companies).await;
    table.optimize().await;
    figures.report(
        "pg_trgm: time of filling",
        started.elapsed().as_secs_f64(),
        "s",
    );
    let mut times = Vec::new();
    for typed in asked {
        times.push(table.ask(typed, 11).await);
    }
    table.end().await;
    Some(times)
}

/// The searchable data of all companies.
pub async fn everything(store: &Store) -> Vec<CompanyToFind> {
    let companies = store.companies();
    let mut all: Vec<CompanyToFind> = Vec::new();
    loop {
        let after = all.last().map_or(0, |company| company.revision);
        let more = companies
            .to_find_since(after, "former_names", 50_000)
            .await
            .expect("the store is there");
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

/// Number of companies: at least as many as the batches of two rounds request.
fn companies(options: &Options) -> u32 {
    let rounds = options.number("rounds", 15, 3);
    let asked = rounds * u32::try_from(IN_A_BATCH).unwrap_or(u32::MAX);
    options.number("companies", 50_000, 2_000).max(2 * asked)
}

/// Measures the index update after ten thousand renamed companies.
fn catch_up(runtime: &Runtime, world: &World, figures: &mut Figures) {
    figures.explain(
        "The index after 10,000 changed companies, from the end of the last write to its commit.",
    );
    runtime.block_on(async {
        let companies = world.store.companies();
        let stored = companies
            .changed_since(0, 10_000)
            .await
            .expect("the store is there");
        let changed: Vec<BaseCompany> = stored
            .into_iter()
            .map(|company| BaseCompany {
                name: format!("{} Nová", company.base.name),
                content_hash: format!("{} changed", company.base.content_hash),
                ..company.base
            })
            .collect();
        for part in changed.chunks(1_000) {
            companies
                .upsert(part, false, START)
                .await
                .expect("the store is there");
        }
        let started = Instant::now();
        world.indexed().await;
        figures.report(
            "catching up with 10,000 changes",
            started.elapsed().as_secs_f64() * 1e3,
            "ms",
        );
    });
}

#[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}
