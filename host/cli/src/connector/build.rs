//! `lustra connector build`.

use std::path::{Path, PathBuf};

use super::super::{CliError, many, print, say, start_log};
use super::bench::BenchArgs;
use lustra_author::bench::Bench;
use lustra_author::cassette::{self, Cassette};
use lustra_author::repeat::repeat;
use lustra_demo as demo;
use lustra_sandbox::build::{self, Built};
use lustra_sandbox::package;

/// Build connectors' crates into components; only cargo is needed.
///
/// First replays the recorded calls in the crate's `cassettes`. A component with a different result is not written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra connector build connectors/rpo --output components")]
pub struct Build {
    /// Directories of the crates, all of one workspace, or their parent directory. Default: the current directory.
    crates: Vec<PathBuf>,
    /// Output directory of the components.
    #[arg(long, default_value = "components")]
    output: PathBuf,
    /// Cargo's target directory. Default: the one of the demo, so that shared crates are compiled once; without
    /// Lustra's source tree on this machine, `target/connectors`.
    #[arg(long, value_name = "DIR")]
    target: Option<PathBuf>,
    /// Do not replay the recorded calls.
    #[arg(long)]
    skip_cassettes: bool,
    /// Print JSON, one object a component.
    #[arg(long)]
    json: bool,
}

impl Build {
    pub(super) async fn run(self) -> Result<(), CliError> {
        start_log("off", false);
        let here = std::env::current_dir()?;
        let crates: Vec<PathBuf> = if self.crates.is_empty() {
            if !build::is_connector(&here) {
                return Err(CliError(
                    "the current directory is not a connector (a Cargo.toml with a manifest.json beside it); name the directory".to_owned(),
                ));
            }
            vec![here.clone()]
        } else {
            let mut crates = Vec::new();
            for directory in &self.crates {
                crates.extend(connectors_of(here.join(directory))?);
            }
            crates
        };
        let target = match &self.target {
            Some(target) => here.join(target),
            None if demo::sdk().is_dir() => demo::connectors_target(),
            None => here.join("target/connectors"),
        };
        let output = here.join(&self.output);
        if self.skip_cassettes {
            for component in build::build(&crates, &target, &output, &mut say)? {
                self.print_result(&component, None);
            }
            return Ok(());
        }
        // Build to a temporary directory, so that a running host never loads a component that fails its tests.
        let untested = tempfile::TempDir::with_prefix("lustra-build-")?;
        let built = build::build(&crates, &target, untested.path(), &mut say)?;
        let (mut bench, mut failed) = (None, Vec::new());
        for (component, directory) in built.into_iter().zip(&crates) {
            let cassettes = Self::cassettes(directory)?;
            let count = cassettes.len();
            if count > 0 {
                if bench.is_none() {
                    bench = Some(BenchArgs::quiet_bench(None).await?);
                }
                let Some(bench) = &bench else {
                    continue;
                };
                let wrong = repeat_all(bench, &component.file, &cassettes).await?;
                if wrong > 0 {
                    failed.push(format!(
                        "{wrong} of {} of {}",
                        many(count, "cassette", "cassettes"),
                        component.id
                    ));
                    continue;
                }
            }
            self.print_result(&package::place(component, &output)?, Some(count));
        }
        if failed.is_empty() {
            return Ok(());
        }
        Err(CliError(format!(
            "{} failed, so it was not written to {}; `lustra connector test` shows more, --skip-cassettes builds anyway",
            failed.join(", "),
            self.output.display()
        )))
    }

    fn print_result(&self, component: &Built, cassettes: Option<usize>) {
        if self.json {
            let line = serde_json::json!({
                "id": component.id, "file": component.file, "size": component.size, "cassettes": cassettes,
            });
            print(&line.to_string());
            return;
        }
        let repeated = match cassettes {
            None => "cassettes skipped".to_owned(),
            Some(0) => "no cassettes".to_owned(),
            Some(count) => format!("{} passed", many(count, "cassette", "cassettes")),
        };
        print(&format!(
            "{}  {} kB  {}  ({repeated})",
            component.id,
            component.size / 1024,
            component.file.display()
        ));
    }

    /// The recorded calls of a crate, or none if it has no such directory.
    fn cassettes(directory: &Path) -> Result<Vec<(String, Cassette)>, CliError> {
        let folder = directory.join("cassettes");
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let mut cassettes = Vec::new();
        for (path, cassette) in cassette::below(&folder)? {
            let name = path.file_name().unwrap_or_default();
            cassettes.push((name.to_string_lossy().into_owned(), cassette?));
        }
        Ok(cassettes)
    }
}

/// Replays a component's recorded calls; returns how many had a different outcome.
async fn repeat_all(
    bench: &Bench,
    file: &Path,
    cassettes: &[(String, Cassette)],
) -> Result<usize, CliError> {
    let on_bench = bench.load(file).await?;
    let mut wrong = 0;
    for (name, cassette) in cassettes {
        let repeated = repeat(bench, &on_bench, cassette).await;
        if !repeated.is_good() {
            wrong += 1;
            let id = &on_bench.manifest().id;
            say(&format!(
                "✗ {id}: {name}: the result differs from the recorded one"
            ));
        }
    }
    Ok(wrong)
}

/// The connector in a directory, or the connectors in its subdirectories. A directory with neither is returned
/// unchanged, so that the build reports the error.
fn connectors_of(directory: PathBuf) -> Result<Vec<PathBuf>, build::BuildError> {
    if !build::is_connector(&directory) && directory.is_dir() {
        let below = build::connectors_below(&directory)?;
        if !below.is_empty() {
            return Ok(below);
        }
    }
    Ok(vec![directory])
}
