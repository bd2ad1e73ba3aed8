//! `lustra connector`: each command in a file of its own.

mod build;
mod list;
pub(super) mod new;
mod template;

use super::CliError;

/// Write, build and list connectors.
#[derive(Debug, clap::Subcommand)]
pub enum Connector {
    New(new::New),
    List(list::List),
    Build(build::Build),
}

impl Connector {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::New(new) => new.run(),
            Self::List(list) => list.run().await,
            Self::Build(build) => build.run(),
        }
    }
}
