//! `lustra connector package`.

use std::path::PathBuf;

use super::super::{CliError, print, start_log};
use super::bench::BenchArgs;
use lustra_author::bench::BenchError;
use lustra_sandbox::package;

/// Add the manifest to a component that the tools of another language made.
///
/// The command loads the result like a host before it writes it, and refuses what a host would refuse, with the same
/// reason. It assumes the maximum of each limit that the operator can raise.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra connector package licences.wasm --manifest manifest.json --output components"
)]
pub struct Package {
    /// Path of the component.
    component: PathBuf,
    /// Path of its manifest; `describe` of the component must return the same.
    #[arg(long)]
    manifest: PathBuf,
    /// Output directory. The file is named after the connector.
    #[arg(long, default_value = "components")]
    output: PathBuf,
    /// Cache directory for compiled components. Default: in the build directory of the connectors, if there is one.
    #[arg(long, value_name = "DIR")]
    compiled: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Package {
    pub(super) async fn run(&self) -> Result<(), CliError> {
        start_log("off", false);
        let folder = tempfile::TempDir::with_prefix("lustra-package-")?;
        let packaged = package::package(&self.component, &self.manifest, folder.path())?;
        let bench = BenchArgs::roomy_bench(self.compiled.as_ref()).await?;
        if let Err(error) = bench.load(&packaged.file).await {
            return Err(match error {
                BenchError::Refused { refusal, .. } => {
                    let component = self.component.display();
                    CliError(format!("{component}: a host would refuse it: {refusal}"))
                }
                other @ (BenchError::Io(_)
                | BenchError::Store(_)
                | BenchError::Engine(_)
                | BenchError::Egress(_)
                | BenchError::NotConfigured(_)) => other.into(),
            });
        }
        let built = package::place(packaged, &self.output)?;
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
