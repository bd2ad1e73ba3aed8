//! Fills a store with any number of companies, as an import of the register does but without its connector.
//!
//! The companies of a simulated dump are read by the connector's own parser, with their histories, and written by the
//! functions of the store that imports use. From the end of the dump on they are repeated under other numbers; each
//! repetition has the first word of another company's name, so that names stay diverse.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lustra_sdk::{Company, Item};
use lustra_tests::lustra::companies::base_company;
use lustra_tests::lustra::connectors::Loaded;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::lustra::store::{BaseCompany, Checkpoint, DatasetKind, Record, Store};
use lustra_tests::{START, World};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::support::{native, upstream};

/// Most companies that are not a repetition.
pub const DISTINCT: u32 = 100_000;

/// Companies per commit, as in the import of the register.
const BATCH: u32 = 1_000;

/// The number of the first company. No simulated or real company has a number near it.
const FIRST: u32 = 10_000_000;

/// The registration number of a company.
pub fn ico(index: u32) -> String {
    (FIRST + index).to_string()
}

/// Numbers of companies that are spread over the whole store, in an order without locality.
pub fn spread(companies: u32, count: u32) -> Vec<String> {
    // A prime, so that every place occurs once.
    const STRIDE: u64 = 15_485_863;
    let count = count.min(companies);
    let place = |turn: u32| u64::from(turn) * STRIDE % u64::from(companies);
    (0..count)
        .map(|turn| ico(u32::try_from(place(turn)).unwrap_or_default()))
        .collect()
}

struct Batch {
    companies: Vec<BaseCompany>,
    histories: Vec<Record>,
    checkpoint: Checkpoint,
}

/// The companies of a dump, and the connector that would read them.
pub struct Source {
    companies: Arc<Vec<(Company, Item)>>,
    loaded: Arc<Loaded>,
}

impl Source {
    /// Makes a dump of at most [`DISTINCT`] companies and reads it.
    pub fn new(runtime: &Runtime, companies: u32) -> Self {
        let records = companies.clamp(200, DISTINCT);
        let files = upstream::bucket(runtime, records);
        let companies = native::companies(&files[upstream::DUMP].bytes);
        let world = World::new().companies(12).nothing_imported();
        let world = runtime.block_on(world.connectors(&["rpo"]).start());
        let catalogue = world.importer.companies().connectors().catalogue();
        let loaded = catalogue.serving(&connector_id("rpo")).cloned();
        runtime.block_on(world.end());
        Self {
            companies: Arc::new(companies),
            loaded: loaded.expect("the shipped connectors serve"),
        }
    }

    /// Writes these companies into the store at the address, which has those before them. Returns the duration.
    pub fn fill(&self, runtime: &Runtime, url: &str, range: Range<u32>) -> Duration {
        let (sender, mut batches) = mpsc::channel(4);
        let (companies, loaded) = (Arc::clone(&self.companies), Arc::clone(&self.loaded));
        let started = Instant::now();
        // Prepared on another thread, so that the store does not wait for it.
        let preparing = std::thread::spawn(move || {
            let starts = range.clone().step_by(BATCH as usize);
            for start in starts {
                let part = start..(start + BATCH).min(range.end);
                let batch = batch(&companies, &loaded, part);
                sender
                    .blocking_send(batch)
                    .expect("the store takes all of them");
            }
        });
        runtime.block_on(async {
            let store = Store::connect(url, 4).await.expect("the store is there");
            let datasets = store.datasets();
            let run = native::claim(&store, "rpo", "companies", DatasetKind::Delta).await;
            while let Some(batch) = batches.recv().await {
                let written = datasets.write_companions(&run, &batch.histories, &[], START);
                written.await.expect("the run is ours");
                let committed =
                    datasets.commit_companies(&run, &batch.companies, &batch.checkpoint, START);
                committed.await.expect("the run is ours");
            }
            let ended = datasets.finish_delta(&run, None, START, None).await;
            ended.expect("the run is ours");
            store.close().await;
        });
        preparing.join().expect("every company can be stored");
        started.elapsed()
    }
}

fn batch(all: &[(Company, Item)], loaded: &Loaded, part: Range<u32>) -> Batch {
    let checkpoint = Checkpoint {
        cursor: Some(part.end.to_string()),
        list_date: Some("2026-01-03".to_owned()),
        ..Checkpoint::default()
    };
    let of_part = part.map(|index| numbered(all, index));
    let (companies, histories): (Vec<Company>, Vec<Item>) = of_part.unzip();
    Batch {
        companies: companies
            .into_iter()
            .map(|company| base_company(native::host_company(company), loaded))
            .collect(),
        histories: histories.into_iter().map(native::record).collect(),
        checkpoint,
    }
}

/// The company with this number, and its history.
fn numbered(all: &[(Company, Item)], index: u32) -> (Company, Item) {
    // A prime, so that a repetition meets another company in each round.
    const STEP: usize = 7_919;
    let index_of_all = index as usize;
    let (place, round) = (index_of_all % all.len(), index_of_all / all.len());
    let (mut company, mut history) = all[place].clone();
    if round > 0 {
        let (other, _) = &all[(place + round * STEP) % all.len()];
        let first = other.name.split(' ').next().unwrap_or_default();
        let rest = company.name.split_once(' ').map_or("", |(_, rest)| rest);
        company.name = format!("{first} {rest}");
    }
    let id = (FIRST + index).to_string();
    company.ico.clone_from(&id);
    company.register_id = Some(id.clone());
    history.key.clone_from(&id);
    history.ico = Some(id);
    (company, history)
}
