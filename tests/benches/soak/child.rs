//! A host in a process of its own, whose clock is the machine's plus a number of days.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use lustra_demo as demo;
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::{Config, Plan};
use lustra_tests::lustra::server::Host;
use serde_json::{Value, json};
use time::OffsetDateTime;
use tracing_subscriber::EnvFilter;

use crate::support;

/// Environment variable with the parameters of a child, as JSON.
const PARAMETERS: &str = "LUSTRA_SOAK_HOST";
/// The folder of the host's files, below the one of the benchmark.
pub const DATA: &str = "data";
/// A plan whose credits are never used up.
pub const CHARGED: &str = "charged";

/// The settings of the host.
pub fn config(simulator: &str, components: &Path, folder: &Path) -> Config {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let config = demo::config(simulator, components, &folder.join(DATA), listen);
    let mut config = config.expect("the demo's settings are right");
    config.compiled = Some(components.join("../compiled-for-tests"));
    config.operator.on = false;
    config.mail.on = false;
    let charged = Plan {
        credits: Some(1_000_000_000),
        ..config.plans["enterprise"].clone()
    };
    config.plans.insert(CHARGED.to_owned(), charged);
    config
}

/// A host that is ended with this value.
pub struct HostProcess {
    child: Child,
    /// Takes the days by which the host's clock is ahead. The host ends when this is closed.
    pub input: ChildStdin,
    pub address: SocketAddr,
}

impl HostProcess {
    /// Starts a host that logs to a file, and waits until it serves.
    pub fn start(simulator: &str, components: &Path, folder: &Path, log: File) -> Self {
        let parameters = json!({
            "simulator": simulator,
            "components": components,
            "folder": folder,
        });
        let program = std::env::current_exe().expect("this program has a file");
        let mut child = Command::new(program)
            .env(PARAMETERS, parameters.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("it is this program");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let served = output.lines().map_while(Result::ok);
        let mut served = served.filter_map(|line| line.strip_prefix("serving on ")?.parse().ok());
        let address = served.next().expect("the host says where it serves");
        Self {
            child,
            input,
            address,
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the host and checks that it ended by itself.
    pub fn end(self) {
        let Self {
            mut child, input, ..
        } = self;
        drop(input);
        let status = child.wait().expect("it is a child of this process");
        assert!(status.success(), "the host ended with {status}");
    }
}

/// Sets the host's clock ahead by so many days.
pub fn tell_day(input: &mut ChildStdin, day: u32) {
    writeln!(input, "{day}").expect("the host reads until it is ended");
}

/// Serves, if this process is a child. Returns whether it is.
pub fn serve_as_child() -> bool {
    let Ok(parameters) = std::env::var(PARAMETERS) else {
        return false;
    };
    let parameters: Value = serde_json::from_str(&parameters).expect("the parent wrote it");
    let path = |name: &str| PathBuf::from(parameters[name].as_str().unwrap_or_default());
    let simulator = parameters["simulator"].as_str().unwrap_or_default();
    let config = config(simulator, &path("components"), &path("folder"));
    let log = tracing_subscriber::fmt().with_env_filter(EnvFilter::new("info"));
    log.with_writer(std::io::stderr).with_ansi(false).init();
    support::runtime().block_on(Box::pin(host(config)));
    true
}

async fn host(config: Config) {
    let ahead = Arc::new(AtomicU32::new(0));
    let days = Arc::clone(&ahead);
    let clock = Clock::from_fn(move || {
        let days = time::Duration::days(days.load(Ordering::Relaxed).into());
        OffsetDateTime::now_utc() + days
    });
    let (ended, end) = tokio::sync::oneshot::channel::<()>();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            let day = line.parse().expect("the parent writes numbers");
            ahead.store(day, Ordering::Relaxed);
        }
        drop(ended);
    });
    let host = Box::pin(Host::prepare(config, clock)).await;
    let host = host.expect("the host starts");
    let listener = host.listen().await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    support::figures::say(&format!("serving on {address}"));
    let serving = host.serve(listener, None, async {
        // The channel only ends; nothing is sent.
        drop(end.await);
    });
    serving.await.expect("the host ends in order");
}
