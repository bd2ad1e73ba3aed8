//! Registers and databases that are out of order: what is stored stays, nobody turns clean, and everything comes back
//! by itself.

use std::sync::{Arc, Mutex, PoisonError};

use lustra_tests::lustra::config::{Config, Secret};
use lustra_tests::register_simulator::{Company, Fault, Register};
use lustra_tests::{Answer, Kind, World};
use serde_json::Value;
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::task::JoinSet;

use crate::faults_support::{Asked, DATASETS, assert_out_of_order, dataset, source};

/// Ways to fail that end when the register is mended. One that is throttled asks to be left alone for longer.
const FAULTS: [Fault; 8] = [
    Fault::Down,
    Fault::Error500,
    Fault::Html200,
    Fault::Empty,
    Fault::Truncated,
    Fault::Garbage,
    Fault::RedirectAway,
    Fault::ArchiveBomb,
];

/// Registers that are asked for one company.
const LIVE: [Register; 4] = [
    Register::Orsr,
    Register::Rpo,
    Register::Vies,
    Register::Vszp,
];

/// Registers whose lists are imported.
const LISTS: [Register; 5] = [
    Register::RpoDumps,
    Register::FsReports,
    Register::Socpoist,
    Register::Union,
    Register::OperatorFiles,
];
fn fail(world: &World, registers: &[Register], fault: Fault) {
    for register in registers {
        world.fault(*register, fault);
    }
}

/// Companies about which every register has something to say.
fn well_known(world: &World) -> Vec<Company> {
    let population = world.simulator.population();
    let all = (12..population.len()).map(|index| population.company(index, 0));
    all.filter(|company| {
        company.orsr.is_some() && company.ic_dph().is_some() && company.ending.is_none()
    })
    .collect()
}

fn register_state<'a>(answer: &'a Answer, connector: &str) -> &'a Value {
    let registers = answer
        .at("/meta/registers")
        .as_array()
        .expect("registers are listed");
    registers
        .iter()
        .find(|register| register["connector"] == connector)
        .expect("it is listed")
}

fn unread(answer: &Answer, section: &str) -> Vec<String> {
    let unread = answer
        .at(&format!("/data/{section}/unread"))
        .as_array()
        .cloned()
        .unwrap_or_default();
    unread
        .iter()
        .filter_map(|one| Some(one["source"].as_str()?.to_owned()))
        .collect()
}

/// Of a company that was never asked about, nothing is claimed that was not read.
fn assert_nothing_is_claimed(fault: Fault, answer: &Answer) {
    assert_eq!(answer.status, 200, "{fault:?}: {answer:?}");
    assert_eq!(
        answer.at("/meta/stale"),
        true,
        "{fault:?}: {}",
        answer.at("/meta")
    );
    let orsr = register_state(answer, "orsr");
    assert_eq!(orsr["state"], "unread", "{fault:?}: {orsr}");
    assert!(orsr["reason"].is_string(), "{fault:?}: {orsr}");
    assert!(answer.at("/data/statutory_body").is_null(), "{fault:?}");
    assert!(
        unread(answer, "debtor_status").contains(&"vszp".to_owned()),
        "{fault:?}: {}",
        answer.at("/data/debtor_status")
    );
    assert!(
        unread(answer, "tax").contains(&"vies".to_owned()),
        "{fault:?}: {}",
        answer.at("/data/tax")
    );
    assert!(answer.at("/data/tax/vies_valid").is_null(), "{fault:?}");
    assert_eq!(
        answer.at("/data/tax/is_vat_payer"),
        true,
        "the imported list says so: {}",
        answer.at("/data/tax")
    );
}

fn assert_all_is_read(fault: Fault, answer: &Answer) {
    assert_eq!(
        register_state(answer, "orsr")["state"],
        "fresh",
        "{fault:?}: {answer:?}"
    );
    assert!(
        answer.at("/data/statutory_body").is_array(),
        "{fault:?}: {answer:?}"
    );
    assert!(
        unread(answer, "debtor_status").is_empty(),
        "{fault:?}: {}",
        answer.at("/data/debtor_status")
    );
    assert!(
        answer.at("/data/tax/vies_valid").is_boolean(),
        "{fault:?}: {}",
        answer.at("/data/tax")
    );
    assert!(
        unread(answer, "tax").is_empty(),
        "{fault:?}: {}",
        answer.at("/data/tax")
    );
}

const SCOPES: &str = "tax,debtor_status";

/// Asks until no refresh is under way any more, as a client does that comes back at `retry_at`.
async fn asked_again(world: &World, ico: &str) -> Answer {
    world.company(ico, SCOPES).await;
    world.settled().await;
    world.company(ico, SCOPES).await
}

#[tokio::test]
async fn however_registers_fail_nothing_unread_is_claimed_and_all_comes_back() {
    let world = World::new().companies(200).start().await;
    let companies = well_known(&world);
    for (fault, company) in FAULTS.into_iter().zip(&companies) {
        fail(&world, &LIVE, fault);
        assert_nothing_is_claimed(fault, &world.company(&company.ico, SCOPES).await);
        for connector in ["orsr", "debtors", "tax-authority"] {
            let registers = source(&world, connector).await;
            let expected = if connector == "orsr" {
                "degraded"
            } else {
                "operational"
            };
            assert_eq!(registers["state"], expected, "{fault:?}: {registers}");
        }
        fail(&world, &LIVE, Fault::Off);
        world.advance(1);
        world.import_due().await;
        assert_all_is_read(fault, &asked_again(&world, &company.ico).await);
    }
    world.end().await;
}

#[tokio::test]
async fn a_register_that_wants_to_be_left_alone_is_and_nothing_unread_is_claimed() {
    let world = World::new().start().await;
    let companies = well_known(&world);
    fail(&world, &LIVE, Fault::Throttled);
    let first = world.company(&companies[0].ico, SCOPES).await;
    assert_nothing_is_claimed(Fault::Throttled, &first);
    assert_eq!(register_state(&first, "orsr")["reason"], "throttled");
    fail(&world, &LIVE, Fault::Off);
    let asked = Asked::from_now(&world);
    assert_nothing_is_claimed(
        Fault::Throttled,
        &world.company(&companies[1].ico, SCOPES).await,
    );
    assert_eq!(asked.of_all(), 0, "it said for how long");
    world.end().await;
}

#[tokio::test]
async fn what_is_stored_stays_while_its_register_fails() {
    let world = World::new().start().await;
    let ico = world.icos[0].clone();
    let before = world.company(&ico, "").await;
    world.advance(31);
    for fault in [
        Fault::Down,
        Fault::Html200,
        Fault::Truncated,
        Fault::Garbage,
    ] {
        fail(&world, &LIVE, fault);
        for _ in 0..2 {
            let answer = world.company(&ico, "").await;
            assert_eq!(answer.at("/data"), before.at("/data"), "{fault:?}");
            assert_eq!(
                answer.at("/meta/stale_reason"),
                "orsr_data_outdated",
                "{fault:?}"
            );
            assert_eq!(
                register_state(&answer, "orsr")["state"],
                "stale",
                "{fault:?}"
            );
            world.settled().await;
        }
        world.advance(1);
    }
    fail(&world, &LIVE, Fault::Off);
    let after = asked_again(&world, &ico).await;
    assert_ne!(
        after.at("/data/statutory_body"),
        before.at("/data/statutory_body")
    );
    world.end().await;
}

#[tokio::test]
async fn a_company_unknown_here_is_not_unknown_while_its_register_cannot_be_read() {
    let world = World::new().nothing_imported().start().await;
    // A sole trader, whom the commercial register does not know either; and a number that nobody has.
    let (trader, nobody) = (world.icos[3].clone(), "12345679");
    for fault in FAULTS {
        fail(&world, &LIVE, fault);
        for ico in [&trader, nobody] {
            assert_out_of_order(&world.company(ico, "").await);
        }
        fail(&world, &LIVE, Fault::Off);
        world.advance(1);
        assert_eq!(world.company(nobody, "").await.status, 404, "{fault:?}");
        // That nobody has the number is remembered for some minutes.
        world.advance(1);
    }
    assert_eq!(world.company(&trader, "").await.status, 200);
    world.end().await;
}

#[tokio::test]
async fn what_was_never_imported_is_unread_and_not_clean() {
    let world = World::new().nothing_imported().start().await;
    let ico = world.icos[0].clone();
    let assert_unread = |answer: &Answer| {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(
            answer.at("/data/erased_vat/is_erased").is_null(),
            "{answer:?}"
        );
        assert!(
            answer
                .at("/data/erased_vat/is_listed_for_cancellation")
                .is_null(),
            "{answer:?}"
        );
        assert_eq!(
            unread(answer, "erased_vat"),
            ["erased-vat-payers", "vat-violators"]
        );
        assert!(
            answer.at("/data/tax_reliability/is_reliable").is_null(),
            "{answer:?}"
        );
        assert_eq!(unread(answer, "tax_reliability"), ["reliability"]);
        assert!(answer.at("/data/bank_accounts").is_null(), "{answer:?}");
        assert_eq!(answer.at("/meta/scopes/bank_accounts/state"), "unread");
        assert_eq!(
            answer.at("/meta/scopes/bank_accounts/reason"),
            "unavailable"
        );
        let lists = ["socialna_poistovna", "dovera", "union", "financna_sprava"];
        assert_eq!(unread(answer, "debtor_status"), lists);
    };
    assert_unread(&world.company(&ico, "all").await);
    fail(&world, &LISTS, Fault::Down);
    world.import_due().await;
    world.advance(1);
    world.company(&ico, "all").await;
    world.settled().await;
    assert_unread(&world.company(&ico, "all").await);
    fail(&world, &LISTS, Fault::Off);
    world.advance(1);
    world.import_due().await;
    world.company(&ico, "all").await;
    world.settled().await;
    let read = world.company(&ico, "all").await;
    assert_eq!(read.at("/data/erased_vat/is_erased"), false, "{read:?}");
    assert_eq!(read.at("/data/tax_reliability/is_reliable"), true);
    assert!(read.at("/data/bank_accounts").is_array());
    assert!(unread(&read, "debtor_status").is_empty());
    world.end().await;
}

/// How it stands with every list: when it was read and how long it is.
async fn lists(world: &World) -> Vec<Value> {
    let mut lists = Vec::new();
    for (connector, id) in DATASETS {
        lists.push(dataset(world, connector, id).await);
    }
    lists
}

async fn assert_lists_stay(fault: Fault, registers: &[Register]) {
    let world = World::new().start().await;
    let before = lists(&world).await;
    let ico = world.icos[5].clone();
    let debtor = world
        .company(&ico, "debtor_status,erased_vat,tax_reliability")
        .await;
    assert_eq!(
        debtor
            .at("/data/debtor_status/sources")
            .as_array()
            .map(Vec::len),
        Some(5),
        "{debtor:?}"
    );
    // Behind every schedule, and every debt of the company is paid by then.
    world.advance(25);
    fail(&world, registers, fault);
    assert_eq!(world.import_due().await, DATASETS.len());
    for (before, now) in before.iter().zip(lists(&world).await) {
        assert_eq!(now["state"], "failed", "{fault:?}: {now}");
        assert!(
            now["reason"]
                .as_str()
                .is_some_and(|reason| !reason.is_empty()),
            "{fault:?}: {now}"
        );
        for kept in ["records", "last_success_at", "list_date"] {
            assert_eq!(now[kept], before[kept], "{fault:?}: {now}");
        }
    }
    assert_eq!(source(&world, "debtors").await["state"], "degraded");
    let kept = world.company(&ico, "debtor_status").await;
    assert_eq!(
        kept.at("/data/debtor_status/is_debtor"),
        true,
        "{fault:?}: {kept:?}"
    );
    assert_eq!(kept.at("/meta/stale"), true);
    fail(&world, registers, Fault::Off);
    if fault == Fault::Throttled {
        // The hosts are left alone for half a minute, whatever the simulated clock says.
        return world.end().await;
    }
    world.advance(1);
    assert_eq!(world.import_due().await, DATASETS.len());
    for (before, now) in before.iter().zip(lists(&world).await) {
        assert_eq!(now["state"], "imported", "{fault:?}: {now}");
        assert!(
            now["last_success_at"].as_str() > before["last_success_at"].as_str(),
            "{fault:?}: {now}"
        );
        assert!(now["reason"].is_null(), "{fault:?}: {now}");
    }
    world.company(&ico, "debtor_status").await;
    world.settled().await;
    let paid = world.company(&ico, "debtor_status").await;
    assert_eq!(
        paid.at("/data/debtor_status/is_debtor"),
        false,
        "{fault:?}: {paid:?}"
    );
    world.end().await;
}

#[tokio::test]
async fn lists_that_cannot_be_reached_leave_the_old_ones() {
    for fault in [
        Fault::Down,
        Fault::Error500,
        Fault::Throttled,
        Fault::RedirectAway,
    ] {
        assert_lists_stay(fault, &LISTS).await;
    }
}

#[tokio::test]
async fn files_that_are_no_lists_leave_the_old_ones() {
    for fault in [Fault::Html200, Fault::Empty, Fault::Garbage] {
        assert_lists_stay(fault, &LISTS).await;
    }
}

#[tokio::test]
async fn lists_that_break_off_or_explode_leave_the_old_ones() {
    for fault in [Fault::Truncated, Fault::ArchiveBomb] {
        assert_lists_stay(fault, &LISTS).await;
    }
}

#[tokio::test]
async fn texts_in_another_encoding_than_announced_are_read_right_or_not_at_all() {
    let (world, right) = tokio::join!(World::new().start(), World::new().start());
    for world in [&world, &right] {
        world.advance(25);
    }
    fail(&world, &Register::ALL, Fault::WrongCharset);
    for world in [&world, &right] {
        world.import_due().await;
    }
    for ico in &world.icos {
        let (answer, expected) = (
            world.company(ico, "all").await,
            right.company(ico, "all").await,
        );
        let facts = answer
            .at("/data")
            .as_object()
            .expect("the company is known");
        for (name, fact) in facts {
            let is_of_the_moment = ["tax", "debtor_status", "id"].contains(&name.as_str());
            assert!(
                is_of_the_moment || *fact == expected.body["data"][name],
                "{ico} {name}: {fact}"
            );
        }
        let names = answer.at("/data/debtor_status/sources").to_string();
        assert!(
            !names.contains('\u{fffd}') && !names.contains('Ã') && !names.contains('Ĺ'),
            "{names}"
        );
    }
    world.end().await;
    right.end().await;
}

#[tokio::test]
async fn a_register_that_failed_five_times_in_a_row_is_left_alone_and_then_tried_once() {
    let world = World::new().companies(200).start().await;
    let companies = well_known(&world);
    let mut unasked = companies.iter().map(|company| company.ico.as_str());
    let mut next = || unasked.next().expect("there are enough");
    world.fault(Register::Orsr, Fault::Error500);
    let asked = Asked::from_now(&world);
    for times in 1..=5 {
        let answer = world.company(next(), "").await;
        assert_eq!(register_state(&answer, "orsr")["reason"], "unavailable");
        assert_eq!(asked.of(Register::Orsr), times);
    }
    let answer = world.company(next(), "").await;
    assert_eq!(
        register_state(&answer, "orsr")["reason"],
        "resting",
        "{answer:?}"
    );
    assert_eq!(asked.of(Register::Orsr), 5, "it is left alone");
    assert_eq!(source(&world, "orsr").await["state"], "resting");
    world.advance(1);
    let (one, other) = (next(), next());
    tokio::join!(world.company(one, ""), world.company(other, ""));
    assert_eq!(
        asked.of(Register::Orsr),
        6,
        "one question finds out whether it works again"
    );
    world.fault(Register::Orsr, Fault::Off);
    world.company(next(), "").await;
    assert_eq!(asked.of(Register::Orsr), 6, "it did not");
    world.advance(1);
    let answer = world.company(next(), "").await;
    assert_eq!(register_state(&answer, "orsr")["state"], "fresh");
    let answer = world.company(next(), "").await;
    assert_eq!(register_state(&answer, "orsr")["state"], "fresh");
    assert_eq!(source(&world, "orsr").await["state"], "operational");
    world.end().await;
}

/// A way to the database that can be closed and opened again.
struct Doorway {
    address: std::net::SocketAddr,
    /// The address behind it: a folder of sockets, or a host and port.
    target: String,
    open: Mutex<Option<tokio::task::JoinHandle<()>>>,
}

impl Doorway {
    /// Puts a doorway before the database of a host's settings.
    fn before(config: &mut Config) -> Arc<Self> {
        let mut url = reqwest::Url::parse(&config.store_url()).expect("a database's address");
        let folder = url
            .query_pairs()
            .find(|(name, _)| name == "host")
            .map(|(_, folder)| format!("{folder}/.s.PGSQL.5432"));
        let beyond = || {
            format!(
                "{}:{}",
                url.host_str().unwrap_or("localhost"),
                url.port().unwrap_or(5432)
            )
        };
        let target = folder.unwrap_or_else(beyond);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        url.set_query(None);
        url.set_host(Some("127.0.0.1"))
            .expect("an address is a host");
        url.set_port(Some(address.port()))
            .expect("databases have ports");
        config.store = Some(Secret::new(url));
        let doorway = Arc::new(Self {
            address,
            target,
            open: Mutex::default(),
        });
        doorway.open_on(listener);
        doorway
    }

    fn open_on(&self, listener: std::net::TcpListener) {
        listener.set_nonblocking(true).expect("a socket of our own");
        let listener = TcpListener::from_std(listener).expect("a socket of our own");
        let target = self.target.clone();
        let task = tokio::spawn(async move {
            let mut passing = JoinSet::new();
            while let Ok((inner, _)) = listener.accept().await {
                passing.spawn(pass(inner, target.clone()));
            }
        });
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }

    /// Ends every connection and takes no new one.
    async fn close(&self) {
        let task = self
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .expect("it was open");
        task.abort();
        assert!(task.await.is_err_and(|error| error.is_cancelled()));
    }

    fn open(&self) {
        self.open_on(std::net::TcpListener::bind(self.address).expect("the port is ours"));
    }
}

/// Passes bytes on; where that ends makes no difference.
async fn pass(mut inner: TcpStream, target: String) {
    let ended = if target.starts_with('/') {
        let mut outer = UnixStream::connect(target)
            .await
            .expect("the database listens");
        tokio::io::copy_bidirectional(&mut inner, &mut outer).await
    } else {
        let mut outer = TcpStream::connect(target)
            .await
            .expect("the database listens");
        tokio::io::copy_bidirectional(&mut inner, &mut outer).await
    };
    drop(ended);
}

#[tokio::test]
async fn while_the_database_is_away_the_service_says_so_and_then_goes_on_by_itself() {
    let doorway: Arc<Mutex<Option<Arc<Doorway>>>> = Arc::default();
    let kept = Arc::clone(&doorway);
    let start = World::new().on(Kind::Postgres).settings(move |config| {
        *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Doorway::before(config));
    });
    let Some(world) = start.start_if_possible().await else {
        return;
    };
    let doorway = doorway
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
        .expect("the world has started");
    let ico = world.icos[0].clone();
    let before = world.company(&ico, "").await;
    doorway.close().await;
    let path = format!("/v1/company/ico/{ico}?scope=tax");
    let (company, status, health) = tokio::join!(
        world.get(&path),
        world.get_with("/v1/status", &[]),
        world.get_with("/v1/health", &[])
    );
    for answer in [company, status, health] {
        assert_out_of_order(&answer);
    }
    assert_eq!(
        world.get_with("/v1/sandbox/companies", &[]).await.status,
        200,
        "the sandbox needs no database"
    );
    doorway.open();
    assert_eq!(world.get_with("/v1/health", &[]).await.status, 200);
    assert_eq!(
        world.company(&ico, "").await.at("/data"),
        before.at("/data")
    );
    assert_eq!(world.import_due().await, 0, "the schedule is as it was");
    world.end().await;
}

#[tokio::test]
async fn while_another_process_locks_the_file_what_is_stored_is_answered_and_what_is_new_waits() {
    let world = World::new().nothing_imported().start().await;
    let (known, new) = (world.icos[0].clone(), world.icos[1].clone());
    assert_eq!(world.company(&known, "").await.status, 200);
    let path = world
        .config()
        .store_url()
        .trim_start_matches("sqlite:")
        .to_owned();
    let options = SqliteConnectOptions::new().filename(path);
    let mut other = SqliteConnection::connect_with(&options)
        .await
        .expect("the file is there");
    sqlx::query("begin immediate")
        .execute(&mut other)
        .await
        .expect("nobody writes");
    let (waits, answered) = tokio::join!(world.company(&new, ""), world.company(&known, ""));
    assert_out_of_order(&waits);
    assert_eq!(answered.status, 200, "{answered:?}");
    assert!(answered.at("/data/statutory_body").is_array());
    sqlx::query("rollback")
        .execute(&mut other)
        .await
        .expect("it was ours");
    assert_eq!(world.company(&new, "").await.status, 200);
    world.end().await;
}
