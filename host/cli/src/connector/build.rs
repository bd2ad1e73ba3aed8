//! `lustra connector build`.

use std::path::PathBuf;

use super::super::{CliError, print, say};
use lustra_demo as demo;
use lustra_sandbox::build;

/// Build connectors' crates into components; needs nothing but cargo.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra connector build connectors/rpo --output components")]
pub struct Build {
    /// The crates' directories, all of one workspace, or a directory that has them side by side. Default: the current
    /// directory.
    crates: Vec<PathBuf>,
    /// Where the components go.
    #[arg(long, default_value = "components")]
    output: PathBuf,
    /// Where the compiler keeps its files. Default: where the demo keeps its own, so that what all connectors share is
    /// compiled once; `target/connectors` where Lustra's source tree is not on this machine.
    #[arg(long, value_name = "DIR")]
    target: Option<PathBuf>,
    /// Print JSON, one object a component.
    #[arg(long)]
    json: bool,
}

impl Build {
    pub(super) fn run(self) -> Result<(), CliError> {
        let here = std::env::current_dir()?;
        let crates: Vec<PathBuf> = if self.crates.is_empty() {
            if !build::is_connector(&here) {
                return Err(CliError(
                    "here is no connector (a Cargo.toml with a manifest.json beside it); name its directory".to_owned(),
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
        let target = match self.target {
            Some(target) => here.join(target),
            None if demo::sdk().is_dir() => demo::connectors_target(),
            None => here.join("target/connectors"),
        };
        let built = build::build(&crates, &target, &here.join(&self.output), &mut say)?;
        for component in built {
            if self.json {
                print(&serde_json::json!({"id": component.id, "file": component.file, "size": component.size}).to_string());
            } else {
                print(&format!(
                    "{}  {} kB  {}",
                    component.id,
                    component.size / 1024,
                    component.file.display()
                ));
            }
        }
        Ok(())
    }
}

/// The connector of a directory, or those that it has side by side. A directory with neither is left as it is, so that
/// the build says what is wrong with it.
fn connectors_of(directory: PathBuf) -> Result<Vec<PathBuf>, build::BuildError> {
    if !build::is_connector(&directory) && directory.is_dir() {
        let below = build::connectors_below(&directory)?;
        if !below.is_empty() {
            return Ok(below);
        }
    }
    Ok(vec![directory])
}
