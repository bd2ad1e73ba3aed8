//! Hosts in processes of their own, with all background work, which are killed in the middle of it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use lustra_demo as demo;
use lustra_tests::client;
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::{Config, Secret};
use lustra_tests::lustra::server::Host;
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::stage::{Stage, set_for_a_year};

/// Environment variable with the parameters of a child, as JSON.
const PARAMETERS: &str = "LUSTRA_YEAR_HOST";

/// The parameters, if this process is a child.
pub fn parameters() -> Option<Value> {
    let text = std::env::var(PARAMETERS).ok()?;
    serde_json::from_str(&text).ok()
}

/// Serves until it is killed. Its clock is the machine's plus an offset that the parent writes to a file.
pub fn serve(parameters: &Value) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads can be created");
    runtime.block_on(Box::pin(host(parameters)))
}

async fn host(parameters: &Value) -> ExitCode {
    let text = |name: &str| parameters[name].as_str().unwrap_or_default().to_owned();
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let components = PathBuf::from(text("components"));
    let data = PathBuf::from(text("data"));
    let mut config = demo::config(&text("simulator"), &components, &data, listen)
        .expect("the demo's settings are right");
    config.store = Some(Secret::new(text("store")));
    config.store_connections = 8;
    config.compiled = Some(PathBuf::from(text("compiled")));
    config.operator.on = false;
    config.reload.watch = false;
    config.mail.on = false;
    config.disk.low_mib = 0;
    config.notifications.allow_loopback = true;
    config.notifications.poll_ms = 20;
    set_for_a_year(&mut config);
    let ahead = PathBuf::from(text("ahead"));
    let clock = Clock::from_fn(move || {
        let text = std::fs::read_to_string(&ahead).expect("the parent wrote it first");
        let milliseconds = text.trim().parse().expect("a number");
        OffsetDateTime::now_utc() + time::Duration::milliseconds(milliseconds)
    });
    let host = Box::pin(Host::prepare(config, clock)).await;
    let host = host.expect("the host starts");
    let listener = host.listen().await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    println!("\nserving on http://{address}");
    let serving = host.serve(listener, None, std::future::pending());
    serving.await.expect("it is killed before");
    ExitCode::SUCCESS
}

/// Writes the offset of the simulated time from the machine's. Renamed into place, so that no child reads half of it.
fn write_ahead(folder: &Path, now: OffsetDateTime) -> PathBuf {
    let ahead = (now - OffsetDateTime::now_utc()).whole_milliseconds();
    let (new, file) = (folder.join("new"), folder.join("ahead"));
    std::fs::write(&new, ahead.to_string()).expect("a folder of our own");
    std::fs::rename(new, &file).expect("a folder of our own");
    file
}

async fn start(stage: &Stage, config: &Config) -> (Child, String) {
    let folder = stage.folder.path();
    let parameters = json!({
        "simulator": stage.world.simulator.url(),
        "store": stage.store_url(),
        "data": folder.join("killed"),
        "ahead": write_ahead(folder, stage.world.now()),
        "components": stage.world.components(),
        "compiled": config.compiled,
    });
    let program = std::env::current_exe().expect("this program has a file");
    let mut host = Command::new(program)
        .env(PARAMETERS, parameters.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("it is this program");
    let output = host.stdout.take().expect("it is piped");
    let mut lines = BufReader::new(output).lines();
    loop {
        let line = lines.next_line().await.expect("text");
        let line = line.expect("the child says where it serves");
        if let Some((_, url)) = line.split_once("serving on ") {
            return (host, url.to_owned());
        }
    }
}

/// Starts a host, lets it do what is due, and kills it after this many answers.
pub async fn start_and_kill(stage: &Stage, answers: usize) {
    let (mut host, url) = start(stage, stage.world.config()).await;
    let client = client();
    for _ in 0..answers {
        let answer = client.get(format!("{url}/v1/status")).send().await;
        drop(answer.expect("the child answers until it is killed"));
    }
    host.kill().await.expect("it is a child of this process");
}
