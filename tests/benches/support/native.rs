//! Imports without a sandbox: the connectors' own parsers on the packed bytes, and the store's own functions.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Cursor};
use std::time::Duration;

use bytes::Bytes;
use lustra_rpo::company::{self, Reading};
use lustra_rpo::dump::Dump;
use lustra_rpo::history::line::Line;
use lustra_sdk::{Evidence, ImportRun, Item};
use lustra_tax_authority::lists::Dataset;
use lustra_tax_authority::lists::run::ListRun;
use lustra_tax_authority::settings::ListSettings;
use lustra_tests::lustra::companies::base_company;
use lustra_tests::lustra::connectors::bindings::types;
use lustra_tests::lustra::connectors::cache::hex;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::lustra::store::{Checkpoint, DatasetKind, Record, Run, RunClaim, Store};
use lustra_tests::{START, World};
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::upstream::gunzipped;

/// Records per batch, as in the dump's connector. The list's connector has its own batches.
const BATCH: usize = 1_000;
const LEASE: Duration = Duration::from_secs(600);

/// Reads the list of VAT payers. Returns the number of records.
pub fn read_vat_payers(packed: &Bytes) -> u64 {
    let mut archive = archive(packed);
    let mut list = list(archive.by_index(0).expect("it has one file"));
    let mut records = 0;
    while let Some(batch) = list.next().expect("the list is right") {
        records += black_box(batch).items.len() as u64;
    }
    records
}

/// Imports the list of VAT payers. Returns the number of records.
pub async fn import_vat_payers(world: &World, packed: &Bytes) -> u64 {
    let mut archive = archive(packed);
    let mut list = list(archive.by_index(0).expect("it has one file"));
    let datasets = world.store.datasets();
    let run = claim(
        &world.store,
        "tax-authority",
        "vat-payers",
        DatasetKind::Snapshot,
    )
    .await;
    let mut records = 0;
    while let Some(batch) = list.next().expect("the list is right") {
        records += batch.items.len() as u64;
        let checkpoint = Checkpoint {
            cursor: Some(batch.cursor),
            list_date: batch.list_date,
            ..Checkpoint::default()
        };
        let items: Vec<Record> = batch.items.into_iter().map(record).collect();
        let committed = datasets
            .commit_batch(&run, &items, &checkpoint, START)
            .await;
        committed.expect("the run is ours");
    }
    datasets
        .publish(&run, START, None)
        .await
        .expect("the run is ours");
    records
}

/// Reads the dump of the register of legal persons with its histories. Returns the number of companies.
pub fn read_companies(packed: &Bytes) -> u64 {
    let mut dump = Dump::begin("dump", gunzipped(packed)).expect("it begins as a dump");
    let mut records = 0;
    loop {
        let (companies, histories) = batch(&mut dump);
        if companies.is_empty() {
            return records;
        }
        records += black_box(companies).len() as u64;
        black_box(histories);
    }
}

/// Reads the companies of a dump, each with its history.
pub fn companies(packed: &Bytes) -> Vec<(lustra_sdk::Company, Item)> {
    let mut dump = Dump::begin("dump", gunzipped(packed)).expect("it begins as a dump");
    let mut all = Vec::new();
    loop {
        let (companies, histories) = batch(&mut dump);
        if companies.is_empty() {
            return all;
        }
        all.extend(companies.into_iter().zip(histories));
    }
}

/// Imports the dump of the register of legal persons with its histories. Returns the number of companies.
pub async fn import_companies(world: &World, packed: &Bytes) -> u64 {
    let mut dump = Dump::begin("dump", gunzipped(packed)).expect("it begins as a dump");
    let datasets = world.store.datasets();
    let catalogue = world.importer.companies().connectors().catalogue();
    let loaded = catalogue
        .serving(&connector_id("rpo"))
        .expect("the shipped connectors serve");
    let run = claim(&world.store, "rpo", "companies", DatasetKind::Delta).await;
    let mut records = 0;
    loop {
        let (companies, histories) = batch(&mut dump);
        if companies.is_empty() {
            let ended = datasets.finish_delta(&run, None, START, None).await;
            ended.expect("the run is ours");
            return records;
        }
        records += companies.len() as u64;
        let checkpoint = Checkpoint {
            cursor: Some(records.to_string()),
            list_date: Some(dump.export_date().to_owned()),
            ..Checkpoint::default()
        };
        let histories: Vec<Record> = histories.into_iter().map(record).collect();
        let written = datasets.write_companions(&run, &histories, &[], START);
        written.await.expect("the run is ours");
        let companies: Vec<_> = companies
            .into_iter()
            .map(|company| base_company(host_company(company), loaded))
            .collect();
        let committed = datasets
            .commit_companies(&run, &companies, &checkpoint, START)
            .await;
        committed.expect("the run is ours");
    }
}

fn archive(packed: &Bytes) -> ZipArchive<Cursor<Bytes>> {
    ZipArchive::new(Cursor::new(packed.clone())).expect("it was packed here")
}

fn list<R: std::io::Read>(unpacked: R) -> ListRun<BufReader<R>> {
    let input = BufReader::with_capacity(64 * 1024, unpacked);
    let settings = ListSettings::default_of(Dataset::VatPayers);
    ListRun::open(Dataset::VatPayers, settings, input, None).expect("it begins as the list")
}

/// The companies of a batch, and their histories.
fn batch(dump: &mut Dump<impl BufRead>) -> (Vec<lustra_sdk::Company>, Vec<Item>) {
    let (mut companies, mut histories) = (Vec::new(), Vec::new());
    for _ in 0..BATCH {
        let Some(json) = dump.next_line().expect("the dump is right") else {
            break;
        };
        let line = Line::read(json.expect("the dump is text")).expect("the dump is right");
        let read = company::read(&line.record).expect("the dump is right");
        if let Reading::Company(mut company) = read {
            company.evidence = vec![evidence()];
            histories.push(history(&company, line));
            companies.push(*company);
        }
    }
    (companies, histories)
}

fn history(company: &lustra_sdk::Company, line: Line<'_>) -> Item {
    let mut history = line.history(company.terminated_date.as_deref());
    Item {
        key: company.register_id.clone().unwrap_or_default(),
        ico: Some(company.ico.clone()),
        name: None,
        city: None,
        postal_code: None,
        content: history.content().expect("a history becomes JSON"),
        removed: false,
    }
}

/// Evidence of a realistic length.
fn evidence() -> Evidence {
    Evidence {
        id: "00000000-0000-4000-8000-000000000000".to_owned(),
        digest: "0".repeat(64),
        fetched_at: "2026-01-15T08:00:00Z".to_owned(),
        details: Vec::new(),
    }
}

/// Claims an import, which is possible while no other one of the dataset runs.
pub async fn claim(store: &Store, connector: &str, dataset: &str, kind: DatasetKind) -> Run {
    let claimed = store
        .datasets()
        .claim_run(
            &connector_id(connector),
            dataset,
            kind,
            "benchmark",
            LEASE,
            START,
        )
        .await;
    match claimed.expect("the store is there") {
        RunClaim::Run(run) => run,
        RunClaim::Busy | RunClaim::NotDue | RunClaim::Paused(_) => {
            panic!("another import of {dataset} runs")
        }
    }
}

/// Converts an item as the host's importer does.
pub fn record(item: Item) -> Record {
    let mut digest = Sha256::new();
    let texts = [
        Some(&item.content),
        item.ico.as_ref(),
        item.name.as_ref(),
        item.city.as_ref(),
        item.postal_code.as_ref(),
    ];
    for text in texts {
        digest.update(text.map_or(0, |text| text.len() as u64 + 1).to_le_bytes());
        digest.update(text.map(String::as_bytes).unwrap_or_default());
    }
    Record {
        content_hash: hex(&digest.finalize()[..16]),
        // The list contains no names.
        name_key: None,
        key: item.key,
        ico: item.ico,
        name: item.name,
        city: item.city,
        postal_code: item.postal_code,
        content: item.content,
        removed: item.removed,
    }
}

/// Converts a connector's company to the host's type with the same fields.
pub fn host_company(company: lustra_sdk::Company) -> types::Company {
    let field = |field: lustra_sdk::Field| types::Field {
        name: field.name,
        value: field.value,
    };
    types::Company {
        ico: company.ico,
        name: company.name,
        legal_form: company.legal_form,
        legal_form_code: company.legal_form_code,
        address: types::Address {
            street: company.address.street,
            city: company.address.city,
            postal_code: company.address.postal_code,
            country: company.address.country,
            country_code: company.address.country_code,
        },
        established_date: company.established_date,
        terminated_date: company.terminated_date,
        status: match company.status {
            lustra_sdk::CompanyStatus::Active => types::CompanyStatus::Active,
            lustra_sdk::CompanyStatus::Terminated => types::CompanyStatus::Terminated,
            lustra_sdk::CompanyStatus::Deleted => types::CompanyStatus::Deleted,
        },
        nace_code: company.nace_code,
        nace_description: company.nace_description,
        register_id: company.register_id,
        details: company.details,
        facts: company.facts.into_iter().map(field).collect(),
        evidence: company
            .evidence
            .into_iter()
            .map(|evidence| types::Evidence {
                id: evidence.id,
                digest: evidence.digest,
                fetched_at: evidence.fetched_at,
                details: evidence.details.into_iter().map(field).collect(),
            })
            .collect(),
    }
}
