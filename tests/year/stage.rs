//! The hosts of a year, their registers and their clocks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::{Config, Plan, Secret};
use lustra_tests::{DatabaseKind, Neighbour, Proxy, START, SmallDisk, Way, World};

/// The connectors of a year: base companies, details, and lists and live registers of two scopes. More of them make a
/// year longer, which is to take two minutes at most.
pub const CONNECTORS: &[&str] = &["rpo", "orsr", "tax-authority", "debtors"];

pub const COMPANIES: u32 = 16;

/// A plan with credits for one scope.
pub const CREDITS: &str = "year-credits";
/// A plan with a quota of calls.
pub const QUOTA: &str = "year-quota";
/// A plan without limits, for watching.
pub const FREE: &str = "year-free";

/// A plan with more credits than there are calls.
pub const TROUBLED: &str = "year-troubled";

/// Credits a month of [`CREDITS`].
pub const MONTHLY: u32 = 60;
/// Credits that roll over.
pub const ROLLOVER: u32 = 15;

/// Size of the disk of an `SQLite` store: more than a year writes, and little enough to be filled quickly.
const DISK_MIB: u32 = 64;

/// The settings that hosts of a year differ in from those of tests.
pub fn set_for_a_year(config: &mut Config) {
    config
        .connector
        .retain(|id, _| CONNECTORS.contains(&id.as_str()));
    // An answer from memory is free, and what is in memory depends on which host imported.
    config.freshness.cache_seconds = 0;
    config.notifications.secrets_key = Some(Secret::new(format!("{}=", "A".repeat(43))));
    // Faults of the database's connections last for seconds of the machine.
    config.database.acquire_ms = 1_000;
    config.database.statement_ms = 1_500;
    config.database.lock_ms = 1_200;
    config.database.idle_transaction_ms = 800;
    config.database.check_ms = 300;
    config.database.silent_host_ms = 2_000;
    // Less than the time after which a statement without an answer fails, so that calls end before their statements.
    config.requests.timeout_seconds = 3;
    config.batch.synchronous_seconds = 2;
    // A new index allocates all of it, and each replaced host has a new one.
    config.search.writer_mib = 15;
    // In days, because the clock advances by days.
    config.notifications.retry_seconds = vec![50_000; 20];
    config.notifications.pause_after_hours = 24 * 30;
    config.notifications.refresh_hours = 20;
    let plan = |scopes: &[&str]| Plan {
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        ..Plan::default()
    };
    let credits = Plan {
        credits: Some(MONTHLY),
        rollover: ROLLOVER,
        ..plan(&["tax"])
    };
    let quota = Plan {
        quota: Some(100),
        ..plan(&["tax", "debtor_status"])
    };
    let free = Plan {
        watched_companies: COMPANIES,
        ..plan(&["all"])
    };
    let troubled = Plan {
        credits: Some(1_000_000),
        ..plan(&["tax"])
    };
    config.plans.insert(CREDITS.to_owned(), credits);
    config.plans.insert(TROUBLED.to_owned(), troubled);
    config.plans.insert(QUOTA.to_owned(), quota);
    config.plans.insert(FREE.to_owned(), free);
}

/// The settings file of the first host: the world's, with the connectors and plans of a year.
fn settings(world: &World) -> String {
    let text = std::fs::read_to_string(world.settings_file()).expect("the world wrote it");
    let mut all: toml::Table = toml::from_str(&text).expect("the world's settings are right");
    if let Some(connectors) = all.get_mut("connector").and_then(|all| all.as_table_mut()) {
        connectors.retain(|id, _| CONNECTORS.contains(&id));
    }
    let mut plans = world.config().plans.clone();
    plans.retain(|name, _| [CREDITS, QUOTA, FREE, TROUBLED].contains(&name.as_str()));
    let plans = toml::Value::try_from(plans).expect("plans are a table");
    all.insert("plans".to_owned(), plans);
    for (table, setting, value) in [
        ("freshness", "cache_seconds", 0),
        ("requests", "timeout_seconds", 3),
        ("batch", "synchronous_seconds", 2),
    ] {
        let table = all
            .entry(table)
            .or_insert_with(|| toml::Table::new().into());
        let table = table
            .as_table_mut()
            .expect("the world's settings are right");
        table.insert(setting.to_owned(), value.into());
    }
    all.to_string()
}

/// Replaces a file as deployments do.
fn put(file: &Path, bytes: &[u8]) {
    let temporary = file.with_extension("new");
    std::fs::write(&temporary, bytes).expect("a folder of our own");
    std::fs::rename(&temporary, file).expect("a folder of our own");
}

/// Tells a new host that its components passed their fixtures on another one, so that it need not repeat them.
fn passed_before(host: &Path, new: &Path) {
    let kept = new.join("kept");
    std::fs::create_dir_all(&kept).expect("a folder of our own");
    std::fs::copy(host.join("kept/index.json"), kept.join("index.json"))
        .expect("the first host served them");
}

/// A wrong file in the place of a right one.
pub struct BadDeployment {
    /// What was deployed, for the log.
    pub what: &'static str,
    file: PathBuf,
    right: Vec<u8>,
}

/// Two hosts on one store.
pub struct Stage {
    pub world: World,
    /// Restarted now and then.
    second: Option<Neighbour>,
    /// The connections of the second host to `PostgreSQL`.
    connections: Option<Proxy>,
    /// The disk of an `SQLite` store. `None` if this machine does not allow one.
    disk: Option<SmallDisk>,
    /// Seconds by which the clock of the second host is wrong.
    wrong: Arc<AtomicI64>,
    /// Files of the children.
    pub folder: tempfile::TempDir,
    restarts: u32,
}

impl Stage {
    /// `None` if the database is not available.
    pub async fn start(kind: DatabaseKind) -> Option<Self> {
        let disk = match kind {
            DatabaseKind::Postgres => None,
            DatabaseKind::Sqlite => SmallDisk::of(DISK_MIB),
        };
        let mut world = World::new()
            .on(kind)
            .companies(COMPANIES)
            .connectors(CONNECTORS)
            .plan(FREE)
            .changeable()
            .settings(set_for_a_year);
        if let Some(disk) = &disk {
            let url = format!("sqlite:{}", disk.path().join("store/lustra.db").display());
            world = world.settings(move |config| config.store = Some(Secret::new(url)));
        }
        let world = Box::pin(world.start_if_possible()).await?;
        std::fs::write(world.settings_file(), settings(&world)).expect("a folder of our own");
        let connections = match kind {
            DatabaseKind::Postgres => Some(Proxy::before(&world.config().store_url()).await),
            DatabaseKind::Sqlite => None,
        };
        let mut stage = Self {
            world,
            second: None,
            connections,
            disk,
            wrong: Arc::default(),
            folder: tempfile::tempdir().expect("temporary files can be written"),
            restarts: 0,
        };
        stage.restart().await;
        Some(stage)
    }

    /// The URL of the store.
    pub fn store_url(&self) -> String {
        let store = self.world.config().store.as_ref();
        store.map(Secret::reveal).unwrap_or_default().to_owned()
    }

    /// Ends the second host, as an upgrade does, and starts it with an empty data folder.
    pub async fn restart(&mut self) {
        drop(self.second.take());
        self.restarts += 1;
        let mut config = self.world.config().clone();
        config.data = self.folder.path().join(format!("host-{}", self.restarts));
        passed_before(&self.world.config().data, &config.data);
        if let Some(connections) = &self.connections {
            config.store = Some(Secret::new(connections.url().to_owned()));
        }
        let second = self.world.neighbour_by(config, self.second_clock()).await;
        second.indexed().await;
        self.second = Some(second);
    }

    fn second_clock(&self) -> Clock {
        let (simulated, wrong) = (self.world.simulator.clock(), Arc::clone(&self.wrong));
        let right = simulated.clone();
        let clock = Clock::from_fn(move || {
            simulated.now() + time::Duration::seconds(wrong.load(Ordering::SeqCst))
        });
        // On PostgreSQL the database's clock decides about jumps, and it does not follow the simulated days.
        if self.world.kind() == DatabaseKind::Postgres {
            return clock;
        }
        clock.measured_by(move || (right.now() - START).unsigned_abs())
    }

    /// Starts or ends a fault of the second host's connections to the database.
    pub fn set_connections(&self, way: Way) {
        if let Some(connections) = &self.connections {
            connections.fail(way);
        }
    }

    /// The disk of the store, if it has one of its own.
    pub fn disk(&self) -> Option<&SmallDisk> {
        self.disk.as_ref()
    }

    /// # Panics
    /// If it does not run.
    pub fn second(&self) -> &Neighbour {
        self.second.as_ref().expect("it was restarted")
    }

    /// Sets the clock of the second host wrong by days; 0 sets it right.
    pub fn set_wrong(&self, days: i64) {
        self.wrong.store(days * 86_400, Ordering::SeqCst);
    }

    /// The addresses of both hosts.
    pub fn urls(&self) -> [String; 2] {
        [self.world.url(), self.second().url()]
    }

    /// Imports due lists on both hosts at once, and does all that follows from them on one of them, until nothing is
    /// due.
    pub async fn settle(&self, on_second: bool) {
        let importers = [&self.world.importer, &self.second().importer];
        // In tasks of their own: joined in this one, they would compute one after the other.
        let both = importers.map(|importer| {
            let importer = importer.clone();
            tokio::spawn(async move { importer.run_due().await })
        });
        for imported in both {
            let imported = imported.await.expect("imports do not panic");
            imported.expect("the store is there");
        }
        let (importer, notifier) = if on_second {
            (&self.second().importer, &self.second().notifier)
        } else {
            (&self.world.importer, &self.world.notifier)
        };
        loop {
            let mut done = importer.run_due().await.expect("the store is there");
            done += notifier.refresh_due().await.expect("the store is there");
            done += notifier.fan_out().await.expect("the store is there");
            done += notifier.send_due().await.expect("the store is there");
            if done == 0 {
                break;
            }
        }
        self.world.wait_idle().await;
        self.second().wait_idle().await;
    }

    /// Deploys a damaged component or an emptied settings file.
    pub async fn deploy_badly(&self, is_component: bool) -> BadDeployment {
        let (what, file) = if is_component {
            let file = self.world.components().join("tax-authority.wasm");
            ("a damaged component", file)
        } else {
            ("emptied settings", self.world.settings_file())
        };
        let right = std::fs::read(&file).expect("it was deployed");
        let wrong = if is_component {
            &right[..right.len() / 2]
        } else {
            b""
        };
        put(&file, wrong);
        self.world.reload().await;
        BadDeployment { what, file, right }
    }

    /// Puts back the former file of a deployment.
    pub async fn correct(&self, bad: &BadDeployment) {
        put(&bad.file, &bad.right);
        self.world.reload().await;
    }

    /// Stops the hosts and deletes the store.
    pub async fn end(self) {
        drop(self.second);
        self.world.end().await;
    }

    /// The IČOs of all companies.
    pub fn icos(&self) -> Vec<String> {
        let population = self.world.simulator.population();
        let icos: BTreeSet<String> = (0..COMPANIES).map(|index| population.ico(index)).collect();
        icos.into_iter().collect()
    }
}
