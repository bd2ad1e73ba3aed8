//! The shipped connectors in the author's kit: their cassettes pass, and so does the whole conformance suite.
//!
//! The cassettes were recorded here, against the simulator. `LUSTRA_RECORD_CASSETTES=1 cargo test --workspace --test
//! it -- shipped` records them again; a connector's id instead of `1` records and checks only that connector. All
//! companies and people in them are invented.

mod commercial_bulletin;
mod courts;
mod crp;
mod crz;
mod executions;
mod food_establishments;
mod gleif;
mod illegal_employment;
mod itms21;
mod lists;
mod nbs;
mod procurement_journal;
mod replik;
mod rpvs;
mod ruz;
mod sanctions;
mod tax_lists;
mod ted;
mod trade_licences;
mod uvo;

use std::path::{Path, PathBuf};

use lustra_author::bench::{Bench, Setup};
use lustra_author::call::{self, CallRequest};
use lustra_author::cassette;
use lustra_author::checks::{self, Found};
use lustra_author::repeat::repeat;
use lustra_demo as demo;
use lustra_tests::lustra::clock::Clock;
use lustra_tests::{World, components};
use serde_json::{Value, json};

/// The recordings of a connector.
type Recordings = fn() -> Vec<Case>;

/// Recordings in separate files: those of the first day and those of a later day.
const RECORDED: &[(Recordings, Recordings)] = &[
    (
        commercial_bulletin::first_day,
        commercial_bulletin::later_day,
    ),
    (courts::first_day, courts::later_day),
    (crp::first_day, crp::later_day),
    (crz::first_day, crz::later_day),
    (executions::first_day, executions::later_day),
    (lists::first_day, lists::later_day),
    (
        food_establishments::first_day,
        food_establishments::later_day,
    ),
    (illegal_employment::first_day, illegal_employment::later_day),
    (itms21::first_day, itms21::later_day),
    (gleif::first_day, gleif::later_day),
    (nbs::first_day, nbs::later_day),
    (
        procurement_journal::first_day,
        procurement_journal::later_day,
    ),
    (replik::first_day, replik::later_day),
    (rpvs::first_day, rpvs::later_day),
    (ruz::first_day, ruz::later_day),
    (trade_licences::first_day, trade_licences::later_day),
    (sanctions::first_day, sanctions::later_day),
    (ted::first_day, ted::later_day),
    (uvo::first_day, uvo::later_day),
    (tax_lists::first_day, tax_lists::later_day),
];

fn cassettes(connector: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../connectors/{connector}/cassettes"))
}

async fn bench() -> Bench {
    let setup = Setup {
        compiled: Some(components().join("../compiled-for-tests")),
        ..Setup::default()
    };
    Bench::open(setup, Clock::system()).await.expect("a bench")
}

#[tokio::test(flavor = "multi_thread")]
async fn cassettes_and_checks_of_the_shipped_connectors_pass() {
    let components = tokio::task::spawn_blocking(components)
        .await
        .expect("it builds");
    if std::env::var_os("LUSTRA_RECORD_CASSETTES").is_some() {
        record_all(&components).await;
    }
    let bench = bench().await;
    let mut complaints = Vec::new();
    for connector in demo::shipped().filter(|id| is_wanted(id)) {
        let file = components.join(format!("{connector}.wasm"));
        let on_bench = bench.load(&file).await.expect("it was just built");
        let mut read = Vec::new();
        for (path, cassette) in cassette::below(&cassettes(connector)).expect("it is there") {
            let name = path
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            let cassette = cassette.unwrap_or_else(|error| panic!("{error}"));
            let repeated = repeat(&bench, &on_bench, &cassette).await;
            if !repeated.is_good() {
                let (difference, asked) = (repeated.difference, repeated.replayed.unmatched);
                complaints.push(format!("{connector}/{name}: {difference:?} {asked:?}"));
            }
            if !repeated.replayed.unused.is_empty() {
                complaints.push(format!(
                    "{connector}/{name}: not asked: {:?}",
                    repeated.replayed.unused
                ));
            }
            read.push((name, cassette));
        }
        for check in checks::all(&bench, &file, &read, &mut || ())
            .await
            .expect("a bench")
        {
            // There is a cassette for each scope, dataset and key.
            let must_pass = check.number == 5;
            match check.found {
                Found::Failed { mistakes } => {
                    complaints.push(format!(
                        "{connector}: {} {}: {mistakes:#?}",
                        check.number, check.title
                    ));
                }
                Found::Skipped { why } if must_pass => {
                    complaints.push(format!("{connector}: {why}"));
                }
                Found::Skipped { .. } | Found::Passed { .. } => {}
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Value of `LUSTRA_RECORD_CASSETTES`: `crz` or `crz,nbs` selects connectors; empty or `1` selects all.
fn is_wanted(connector: &str) -> bool {
    std::env::var("LUSTRA_RECORD_CASSETTES").map_or(true, |wanted| {
        wanted == "1" || wanted.split(',').any(|wanted| wanted == connector)
    })
}

struct Case {
    connector: &'static str,
    file: &'static str,
    wanted: CallRequest,
    settings: Vec<(String, Value)>,
}

fn case(connector: &'static str, file: &'static str, wanted: CallRequest) -> Case {
    Case {
        connector,
        file,
        wanted,
        settings: Vec::new(),
    }
}

fn about(ico: &str, scope: &str) -> CallRequest {
    CallRequest {
        ico: Some(ico.to_owned()),
        scope: Some(scope.to_owned()).filter(|scope| !scope.is_empty()),
        ..CallRequest::default()
    }
}

fn by_id(id: &str) -> CallRequest {
    CallRequest {
        register_id: Some(id.to_owned()),
        ..CallRequest::default()
    }
}

fn list(dataset: &str) -> CallRequest {
    CallRequest {
        dataset: Some(dataset.to_owned()),
        ..CallRequest::default()
    }
}

/// Recordings of the first day: for each register companies of several kinds, and one that is unknown.
fn first_day(rpo_id: &str) -> Vec<Case> {
    let without_vszp = Case {
        settings: vec![("vszp_live".to_owned(), json!(false))],
        ..case(
            "debtors",
            "debtor-status-lists-alone.toml",
            about("99999994", "debtor_status"),
        )
    };
    vec![
        case("rpo", "company-limited.toml", about("99999994", "")),
        case("rpo", "company-ended.toml", about("99999951", "")),
        case("rpo", "company-by-id.toml", by_id(rpo_id)),
        case("rpo", "company-unknown.toml", about("99999000", "")),
        case("rpo", "companies.toml", list("companies")),
        case("rpo", "people-limited.toml", about("99999994", "orsr")),
        case("rpo", "people-joint-stock.toml", about("99999986", "orsr")),
        case("rpo", "people-unknown.toml", about("99999000", "orsr")),
        case("orsr", "company-limited.toml", about("99999994", "")),
        case("orsr", "company-joint-stock.toml", about("99999986", "")),
        case("orsr", "company-moved.toml", about("99999897", "")),
        case("orsr", "company-by-id.toml", by_id("1000/7")),
        case("orsr", "company-unknown.toml", about("99999000", "")),
        case("tax-authority", "tax-payer.toml", about("99999994", "tax")),
        case(
            "tax-authority",
            "tax-no-payer.toml",
            about("99999943", "tax"),
        ),
        case(
            "tax-authority",
            "tax-vies-down.toml",
            about("99999889", "tax"),
        ),
        case(
            "tax-authority",
            "tax-reliability.toml",
            about("99999994", "tax_reliability"),
        ),
        case(
            "tax-authority",
            "erased-vat.toml",
            about("99999901", "erased_vat"),
        ),
        case(
            "tax-authority",
            "bank-accounts.toml",
            about("99999994", "bank_accounts"),
        ),
        case(
            "tax-authority",
            "list-vat-violators.toml",
            list("vat-violators"),
        ),
        case(
            "tax-authority",
            "list-erased-vat-payers.toml",
            list("erased-vat-payers"),
        ),
        case(
            "tax-authority",
            "list-income-tax-subjects.toml",
            list("income-tax-subjects"),
        ),
        case("tax-authority", "list-vat-payers.toml", list("vat-payers")),
        case(
            "tax-authority",
            "list-bank-accounts.toml",
            list("bank-accounts"),
        ),
        case(
            "tax-authority",
            "list-reliability.toml",
            list("reliability"),
        ),
        case(
            "debtors",
            "debtor-status-on-all-lists.toml",
            about("99999943", "debtor_status"),
        ),
        case(
            "debtors",
            "debtor-status-on-none.toml",
            about("99999994", "debtor_status"),
        ),
        without_vszp,
        case(
            "debtors",
            "list-social-insurer.toml",
            list("social-insurer"),
        ),
        case("debtors", "list-dovera.toml", list("dovera")),
        case("debtors", "list-vszp.toml", list("vszp")),
        case("debtors", "list-union.toml", list("union")),
        case("debtors", "list-tax-authority.toml", list("tax-authority")),
    ]
}

/// The lists of a later day, after entries were added, removed and changed.
fn later_day() -> Vec<Case> {
    vec![
        case(
            "tax-authority",
            "list-vat-payers-later.toml",
            list("vat-payers"),
        ),
        case(
            "tax-authority",
            "list-bank-accounts-later.toml",
            list("bank-accounts"),
        ),
        case(
            "tax-authority",
            "list-reliability-later.toml",
            list("reliability"),
        ),
        case(
            "debtors",
            "list-social-insurer-later.toml",
            list("social-insurer"),
        ),
        case("debtors", "list-dovera-later.toml", list("dovera")),
        case("debtors", "list-union-later.toml", list("union")),
        case(
            "debtors",
            "list-tax-authority-later.toml",
            list("tax-authority"),
        ),
    ]
}

async fn record_all(components: &Path) {
    let world = World::new().companies(12).start().await;
    let base = world.store.companies().find_by_ico("99999986").await;
    let base = base.expect("the store is there").expect("it was imported");
    let rpo_id = base.base.register_id.expect("the register has ids");
    let of_others = |day: fn(&(Recordings, Recordings)) -> Recordings| {
        RECORDED.iter().flat_map(move |recorded| day(recorded)())
    };
    let first = first_day(&rpo_id).into_iter();
    for case in first.chain(of_others(|(first, _)| *first)) {
        record(&world, components, case).await;
    }
    world.advance(7);
    for case in later_day()
        .into_iter()
        .chain(of_others(|(_, later)| *later))
    {
        record(&world, components, case).await;
    }
    world.end().await;
}

async fn record(world: &World, components: &Path, case: Case) {
    if !is_wanted(case.connector) {
        return;
    }
    let turned = world.simulator.clock();
    let operators_file = format!("{}/operator-files/dovera.csv", world.simulator.url());
    let setup = Setup {
        store: Some(world.config().store_url()),
        pool: world.config().pool.clone(),
        connectors: Some(world.config().connector.clone()),
        upstreams: if case.connector == "debtors" {
            vec![("vszp-list".to_owned(), operators_file)]
        } else {
            Vec::new()
        },
        all_memory: false,
        settings: case.settings,
        compiled: world.config().compiled.clone(),
    };
    let bench = Bench::open(setup, Clock::from_fn(move || turned.now()))
        .await
        .expect("a bench");
    let file = components.join(format!("{}.wasm", case.connector));
    let on_bench = bench.load(&file).await.expect("it was just built");
    let wanted = case.wanted.call(&bench, on_bench.manifest()).await;
    let wanted = wanted.unwrap_or_else(|error| panic!("{}: {error}", case.file));
    let called = call::make(&bench, &on_bench, wanted).await;
    let cassette = called.cassette.expect("it is small");
    let path = cassettes(case.connector).join(case.file);
    cassette.save(&path).expect("the folder is ours");
}
