//! `lustra connector build`.

use std::path::PathBuf;

use super::super::{CliError, print, say};
use crate::connectors::build;

/// Build connectors' crates into components; needs nothing but cargo.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra connector build connectors/rpo --output components")]
pub struct Build {
    /// The crates' directories, all of one workspace.
    #[arg(required = true)]
    crates: Vec<PathBuf>,
    /// Where the components go.
    #[arg(long, default_value = "components")]
    output: PathBuf,
    /// Where the compiler keeps its files.
    #[arg(long, default_value = "target/connectors")]
    target: PathBuf,
    /// Print JSON, one object a component.
    #[arg(long)]
    json: bool,
}

impl Build {
    pub(super) fn run(self) -> Result<(), CliError> {
        let here = std::env::current_dir()?;
        let crates: Vec<PathBuf> = self
            .crates
            .iter()
            .map(|directory| here.join(directory))
            .collect();
        let built = build::build(
            &crates,
            &here.join(&self.target),
            &here.join(&self.output),
            &mut say,
        )?;
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
