//! `lustra connector`: each command in a file of its own.

mod build;
mod list;

use super::CliError;

/// List and build connectors.
#[derive(Debug, clap::Subcommand)]
pub enum Connector {
    List(list::List),
    Build(build::Build),
}

impl Connector {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::List(list) => list.run().await,
            Self::Build(build) => build.run(),
        }
    }
}
