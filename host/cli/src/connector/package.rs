//! `lustra connector package`.

use std::path::PathBuf;

use super::super::{CliError, print};
use lustra_sandbox::package;

/// Put the manifest into a component that another language's tools made.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra connector package licences.wasm --manifest manifest.json --output components"
)]
pub struct Package {
    /// The component.
    component: PathBuf,
    /// Its manifest, equal to what it answers to `describe`.
    #[arg(long)]
    manifest: PathBuf,
    /// The directory that the result goes to, named after the connector.
    #[arg(long, default_value = "components")]
    output: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Package {
    pub(super) fn run(&self) -> Result<(), CliError> {
        let built = package::package(&self.component, &self.manifest, &self.output)?;
        if self.json {
            print(
                &serde_json::json!({"id": built.id, "file": built.file, "size": built.size})
                    .to_string(),
            );
        } else {
            print(&format!(
                "{}  {} kB  {}",
                built.id,
                built.size / 1024,
                built.file.display()
            ));
        }
        Ok(())
    }
}
