//! The course of a year: weeks of disturbed days, each followed by two quiet ones and a check of everything.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::Duration;

use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{DatabaseKind, Way};
use serde_json::{Value, json};

use crate::clients::{Customers, Day};
use crate::deliveries::Watching;
use crate::dice::Dice;
use crate::invariants::{
    BAD_VERSION_CHANGES_NOTHING, Findings, Invariant, JUMPS_GRANT_NOTHING, LOCKS_ARE_RELEASED,
};
use crate::log::Log;
use crate::stage::Stage;
use crate::troubled::{Burst, Troubled};
use crate::truth::Lists;
use crate::{child, ledger, truth};

/// Days of a week; the last two of them are quiet.
const WEEK: u32 = 7;

/// The registers that the connectors of a year read.
const REGISTERS: [Register; 9] = [
    Register::Rpo,
    Register::RpoDumps,
    Register::Orsr,
    Register::FsReports,
    Register::FsApi,
    Register::Vies,
    Register::Vszp,
    Register::Union,
    Register::Dovera,
];

/// Faults of registers, without those that last for half a minute of the machine, or fill its memory.
const FAULTS: [Fault; 13] = [
    Fault::Down,
    Fault::Error500,
    Fault::Forbidden,
    Fault::Throttled,
    Fault::Html200,
    Fault::Empty,
    Fault::Truncated,
    Fault::Garbage,
    Fault::WrongCharset,
    Fault::Renamed,
    Fault::RedirectAway,
    Fault::EchoOther,
    Fault::Denies,
];

/// Faults of connections to the database.
const CONNECTION_FAULTS: [(&str, Way); 5] = [
    ("cut", Way::Cut),
    ("without answers", Way::BlackHole),
    ("frozen", Way::Frozen),
    ("closed at the host", Way::HostSideClosed),
    ("closed at the database", Way::DatabaseSideClosed),
];

/// Time of the machine in which the other host answers while one is cut off. It waits for locks of that one.
const UNHARMED: Duration = Duration::from_secs(6);

/// Purposes of choices, so that each has its own sequence.
const OF_FAULTS: u32 = 1;
const OF_CLIENTS: u32 = 2;
const OF_WATCHING: u32 = 3;
const OF_HOSTS: u32 = 4;

pub struct Options {
    pub seed: u64,
    pub days: u32,
    pub database: DatabaseKind,
}

/// The results of a year.
pub struct Summary {
    pub days: u32,
    /// How often each kind of disturbance happened.
    pub happened: BTreeMap<&'static str, u32>,
    pub checks: BTreeMap<Invariant, u64>,
    pub violations: Vec<String>,
    pub log: Log,
}

impl Summary {
    pub fn json(&self, seed: u64, took: Duration) -> Value {
        let checks = self.checks.iter();
        let checks: BTreeMap<&str, u64> = checks.map(|(of, count)| (of.line(), *count)).collect();
        json!({
            "seed": seed,
            "days": self.days,
            "seconds": took.as_secs_f64(),
            "log": self.log.digest(),
            "lines": self.log.lines(),
            "happened": self.happened,
            "checks": checks,
            "violations": self.violations,
        })
    }
}

/// A year under way.
struct Year {
    seed: u64,
    stage: Stage,
    customers: Customers,
    troubled: Troubled,
    watching: Watching,
    lists: Lists,
    findings: Findings,
    log: Log,
    happened: BTreeMap<&'static str, u32>,
}

/// Runs a year. `None` if the database is not available.
pub async fn run(options: &Options) -> Option<Summary> {
    let stage = Stage::start(options.database).await?;
    let mut customers = Customers::new(&stage).await;
    let troubled = Troubled::new(&stage).await;
    customers.secrets.push(troubled.key().to_owned());
    let mut dice = Dice::of(options.seed, 0, OF_WATCHING);
    let free = customers.all.last().expect("there are three");
    let watching = Watching::start(&stage, free.id, &free.key, &mut dice).await;
    let mut year = Year {
        seed: options.seed,
        stage,
        customers,
        troubled,
        watching,
        lists: Lists::default(),
        findings: Findings::default(),
        log: Log::default(),
        happened: BTreeMap::new(),
    };
    // The first readings are baselines.
    year.stage.settle(false).await;
    year.lists = Lists::of(&year.stage).await;
    for day in 1..=options.days {
        Box::pin(year.pass(day)).await;
        if day % 30 == 0 && std::io::stderr().is_terminal() {
            eprintln!("seed {}: day {day} of {}", options.seed, options.days);
        }
        if !year.findings.violations.is_empty() {
            break;
        }
    }
    Some(year.end(options.days).await)
}

impl Year {
    async fn pass(&mut self, day: u32) {
        let quiet = day.is_multiple_of(WEEK) || day % WEEK == WEEK - 1;
        self.stage.world.advance(1);
        self.stage.world.heartbeat().await;
        self.stage.second().heartbeat().await;
        let mut faults = Dice::of(self.seed, day, OF_FAULTS);
        let disturbed = if quiet {
            Vec::new()
        } else {
            self.disturb(day, &mut faults)
        };
        self.hosts(day, quiet).await;
        let mut dice = Dice::of(self.seed, day, OF_CLIENTS);
        self.calls(day, !disturbed.is_empty(), &mut dice).await;
        self.stage.settle(dice.chance(50)).await;
        self.calls(day, !disturbed.is_empty(), &mut dice).await;
        let mut today = Day {
            day,
            is_disturbed: !disturbed.is_empty(),
            findings: &mut self.findings,
            log: &mut self.log,
        };
        let mut dice = Dice::of(self.seed, day, OF_WATCHING);
        self.watching.work(&self.stage, &mut dice, &mut today).await;
        if day % WEEK == 1 {
            self.watching.publish(&self.stage, &mut dice, &mut today);
        }
        self.watching.check_arrived(&mut today);
        self.lists.check(&self.stage, &mut today).await;
        for register in disturbed {
            self.stage.world.fault(register, Fault::Off);
        }
        if day.is_multiple_of(WEEK) {
            self.check_week(day).await;
        }
    }

    /// Lets up to two registers fail for a day.
    fn disturb(&mut self, day: u32, dice: &mut Dice) -> Vec<Register> {
        let mut disturbed = Vec::new();
        for _ in 0..2 {
            if dice.chance(45) {
                let (register, fault) = (*dice.pick(&REGISTERS), *dice.pick(&FAULTS));
                self.stage.world.fault(register, fault);
                self.log
                    .add(day, &format!("{} is {}", register.name(), fault.name()));
                self.count("faults of registers");
                disturbed.push(register);
            }
        }
        disturbed
    }

    fn count(&mut self, what: &'static str) {
        *self.happened.entry(what).or_default() += 1;
    }

    /// What happens to hosts: kills, upgrades, wrong clocks, rotated keys.
    async fn hosts(&mut self, day: u32, quiet: bool) {
        let mut dice = Dice::of(self.seed, day, OF_HOSTS);
        if !quiet && dice.chance(4) {
            child::start_and_kill(&self.stage, 1 + dice.below(60)).await;
            self.log.add(day, "a host was killed");
            self.count("killed hosts");
        }
        if dice.chance(4) {
            self.stage.restart().await;
            self.log.add(day, "a host was replaced");
            self.count("replaced hosts");
        }
        if dice.chance(4) {
            let number = dice.below(self.customers.all.len());
            self.customers.rotate(&self.stage, number).await;
            let customer = self.customers.all.last().expect("there are three");
            self.watching.set_key(&customer.key);
            self.log.add(day, "a key was replaced");
            self.count("replaced keys");
        }
        match self.stage.world.kind() {
            DatabaseKind::Sqlite if dice.chance(5) => self.wrong_clock(day, &mut dice).await,
            DatabaseKind::Sqlite if !quiet && dice.chance(4) => self.full_disk(day).await,
            DatabaseKind::Postgres if !quiet && dice.chance(6) => {
                self.broken_connections(day, &mut dice).await;
            }
            DatabaseKind::Sqlite | DatabaseKind::Postgres => {}
        }
    }

    /// The disk of the store is full during some calls. Afterwards both hosts answer again by themselves.
    async fn full_disk(&mut self, day: u32) {
        let Some(disk) = self.stage.disk() else {
            return;
        };
        let burst = self.troubled.begin(&self.stage.urls()).await;
        let filler = disk.fill();
        burst.fails().await;
        drop(filler);
        self.log.add(day, "the disk was full");
        self.count("full disks");
        self.end_of_fault(day, burst, "after the disk was full")
            .await;
    }

    /// The second host's connections to the database fail during some calls. The first one answers meanwhile, and
    /// afterwards the second one again by itself.
    async fn broken_connections(&mut self, day: u32, dice: &mut Dice) {
        let (name, way) = *dice.pick(&CONNECTION_FAULTS);
        self.log.add(day, &format!("connections were {name}"));
        self.count("faults of database connections");
        let (first, second) = (self.stage.world.url(), self.stage.second().url());
        let burst = self.troubled.begin(&[second]).await;
        self.stage.set_connections(way);
        let is_unharmed = self.troubled.answers_within(&first, UNHARMED).await;
        self.findings
            .check(day, LOCKS_ARE_RELEASED, is_unharmed, || {
                format!(
                    "the other host did not answer in {UNHARMED:?} while connections were {name}"
                )
            });
        burst.fails().await;
        self.stage.set_connections(Way::Open);
        let what = format!("after connections were {name}");
        self.end_of_fault(day, burst, &what).await;
    }

    async fn end_of_fault(&mut self, day: u32, burst: Burst, what: &str) {
        let mut today = Day {
            day,
            is_disturbed: true,
            findings: &mut self.findings,
            log: &mut self.log,
        };
        self.troubled
            .end(&self.stage, burst, what, &mut today)
            .await;
    }

    /// The clock of the second host is wrong during some calls.
    async fn wrong_clock(&mut self, day: u32, dice: &mut Dice) {
        let days = *dice.pick(&[-400, -40, 40, 400, 4_000]);
        self.log
            .add(day, &format!("a clock was wrong by {days} days"));
        self.count("wrong clocks");
        self.stage.set_wrong(days);
        self.search_on_second(day).await;
        self.stage.set_wrong(0);
        let settled = self.stage.second().ledger.settle_clock().await;
        let is_settled = settled.is_ok();
        self.findings
            .check(day, JUMPS_GRANT_NOTHING, is_settled, || {
                format!("{settled:?}")
            });
    }

    /// Lets every customer make a charged call to the second host, which is disturbed.
    async fn search_on_second(&mut self, day: u32) {
        let url = self.stage.second().url();
        let mut today = Day {
            day,
            is_disturbed: true,
            findings: &mut self.findings,
            log: &mut self.log,
        };
        self.customers.search_each(&url, &mut today).await;
    }

    async fn calls(&mut self, day: u32, is_disturbed: bool, dice: &mut Dice) {
        let mut today = Day {
            day,
            is_disturbed,
            findings: &mut self.findings,
            log: &mut self.log,
        };
        self.customers.work(&self.stage, dice, &mut today).await;
    }

    /// Checks everything at the end of a week, when nothing is pending.
    async fn check_week(&mut self, day: u32) {
        self.stage.settle(false).await;
        let mut today = Day {
            day,
            is_disturbed: false,
            findings: &mut self.findings,
            log: &mut self.log,
        };
        self.watching.check_arrived(&mut today);
        self.watching.check_delivered(&self.stage, &mut today).await;
        for customer in &mut self.customers.all {
            let balance = ledger::check(&self.stage, customer, &mut today).await;
            today
                .log
                .add(day, &format!("balance of {} {balance}", customer.name));
        }
        truth::check_companies(&self.stage, &mut today).await;
        self.bad_deployment(day).await;
    }

    /// Puts a damaged component and an emptied settings file in place: what serves must not change.
    async fn bad_deployment(&mut self, day: u32) {
        let mut dice = Dice::of(self.seed, day, OF_HOSTS);
        if !dice.chance(40) {
            return;
        }
        let before = self.stage.world.company(&self.stage.icos()[0], "tax").await;
        let bad = self.stage.deploy_badly(dice.chance(50)).await;
        let what = bad.what;
        let after = self.stage.world.company(&self.stage.icos()[0], "tax").await;
        self.stage.correct(&bad).await;
        let is_same = before.status == after.status
            && before.at("/data/tax/dic") == after.at("/data/tax/dic")
            && before.at("/data/name") == after.at("/data/name");
        self.findings
            .check(day, BAD_VERSION_CHANGES_NOTHING, is_same, || {
                format!("{what}: {before:?}, then {after:?}")
            });
        self.log.add(day, &format!("bad deployment: {what}"));
        self.count("bad deployments");
    }

    async fn end(mut self, days: u32) -> Summary {
        let mut today = Day {
            day: days,
            is_disturbed: false,
            findings: &mut self.findings,
            log: &mut self.log,
        };
        truth::check_secrets(&self.stage, &self.customers.secrets, &mut today);
        self.stage.end().await;
        Summary {
            days,
            happened: self.happened,
            checks: self.findings.checks,
            violations: self.findings.violations,
            log: self.log,
        }
    }
}
