//! `lustra connector`: each command in a file of its own.

mod build;
mod list;
mod package;

use super::CliError;

/// List, build and package connectors.
#[derive(Debug, clap::Subcommand)]
pub enum Connector {
    List(list::List),
    Build(build::Build),
    Package(package::Package),
}

impl Connector {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::List(list) => list.run().await,
            Self::Build(build) => build.run(),
            Self::Package(package) => package.run(),
        }
    }
}
