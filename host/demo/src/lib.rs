//! The demo: register simulator, host on `SQLite` and a webhook receiver in one process, with one clock.
//!
//! It never contacts a real register. Tests and benchmarks build their hosts from the same parts.

mod receiver;
mod shipped;
mod tried;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use register_simulator::{Options, Simulator};
use serde_json::Value;

use lustra::config::{Config, ConfigError};
use lustra_sandbox::build::{self, Build, BuildError, Built, Profile};
use lustra_sandbox::clock::Clock;

pub use receiver::{Notice, Receiver};
use shipped::{FIRST, SHIPPED};
pub use tried::{Tried, TriedError};

/// The repository that this program was built from.
fn source_tree() -> PathBuf {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // The path is shown to people, so resolve it; if the tree is gone, keep it as it is.
    tree.canonicalize().unwrap_or(tree)
}

/// Path of the SDK crate.
#[must_use]
pub fn sdk() -> PathBuf {
    source_tree().join("connectors/sdk")
}

/// Cargo's target directory for connectors, beside the host's own.
#[must_use]
pub fn connectors_target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| source_tree().join("target"), PathBuf::from);
    let target = if target.is_absolute() {
        target
    } else {
        source_tree().join(target)
    };
    target.join("connectors")
}

/// Builds the connectors of this repository and returns the directory of their components.
///
/// # Errors
/// A [`BuildError`], also if the repository was moved since the program was built.
pub fn build_connectors(say: &mut dyn FnMut(&str)) -> Result<(PathBuf, Vec<Built>), BuildError> {
    let target = connectors_target();
    let components = target.join("components");
    let (mut crates, others) = connector_crates()?;
    crates.extend(others);
    let built = build_of(&target, &components).run(&crates, say)?;
    Ok((components, built))
}

/// Features of the SDK that the connectors of this repository enable. Each selection of connectors is built with all of
/// them, so that the SDK and its dependencies are compiled once.
const SDK_FEATURES: [&str; 4] = [
    "lustra-sdk/csv",
    "lustra-sdk/html",
    "lustra-sdk/sheet",
    "lustra-sdk/xml",
];

/// How connectors of this repository are built.
#[must_use]
pub fn build_of<'a>(target: &'a Path, output: &'a Path) -> Build<'a> {
    Build {
        profile: Profile::Shipped,
        features: &SDK_FEATURES,
        target,
        output,
    }
}

/// Directories of the connector crates of this repository: those that the demo starts with, and those that it loads as
/// soon as they are built.
///
/// # Errors
/// A [`BuildError`] if the repository was moved since the program was built.
pub fn connector_crates() -> Result<(Vec<PathBuf>, Vec<PathBuf>), BuildError> {
    let crates = build::connectors_below(&source_tree().join("connectors"))?;
    let is_first = |directory: &PathBuf| {
        let name = directory.file_name();
        FIRST.iter().any(|first| name == Some(first.as_ref()))
    };
    Ok(crates.into_iter().partition(is_first))
}

/// Ids of the connectors that the demo always has: those of this repository.
pub fn shipped() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|shipped| shipped.id)
}

/// Settings of a host that uses the simulator's registers.
///
/// # Errors
/// The settings are invalid, which is a bug of this program.
pub fn config(
    simulator: &str,
    components: &Path,
    data: &Path,
    listen: SocketAddr,
) -> Result<Config, ConfigError> {
    Config::read(&settings(simulator, components, data, listen), |_| None)
}

/// The same settings as text of a settings file.
#[must_use]
pub fn settings(simulator: &str, components: &Path, data: &Path, listen: SocketAddr) -> String {
    let quoted = |path: &Path| Value::from(path.display().to_string()).to_string();
    let public_url = if listen.port() == 0 {
        String::new()
    } else {
        format!("public_url = \"http://{listen}\"\n")
    };
    let connectors: String = SHIPPED
        .iter()
        .map(|connector| connector.settings(simulator))
        .collect();
    format!(
        "listen = \"{listen}\"\ndata = {data}\ncomponents = {components}\n\
         [web]\nlookup = \"public\"\ncompanies_per_minute = 0\nsearches_per_minute = 0\n\
         [imports]\npoll_seconds = 1\n\
         [notifications]\nallow_loopback = true\n{public_url}{connectors}",
        data = quoted(data),
        components = quoted(components),
    )
}

/// Starts a simulator of a population, with the clock that controls its date.
///
/// # Errors
/// The simulator cannot listen.
pub async fn simulator(
    companies: u32,
    seed: u64,
    start: time::OffsetDateTime,
) -> io::Result<(Simulator, Clock)> {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let simulator = Simulator::start(Options {
        companies,
        seed,
        listen,
        start,
    })
    .await?;
    let turned = simulator.clock();
    Ok((simulator, Clock::from_fn(move || turned.now())))
}
