//! `lustra connector`: each command in a file of its own.

mod bench;
mod build;
mod check;
mod dev;
mod list;
pub(super) mod new;
mod record;
mod template;
mod test;

use super::CliError;

/// Write, try, build and list connectors.
#[derive(Debug, clap::Subcommand)]
pub enum Connector {
    New(new::New),
    Dev(Box<dev::Dev>),
    Record(Box<record::Record>),
    Test(test::Test),
    Check(check::Check),
    List(list::List),
    Build(build::Build),
}

impl Connector {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::New(new) => new.run(),
            Self::Dev(dev) => dev.run().await,
            Self::Record(record) => record.run().await,
            Self::Test(test) => test.run().await,
            Self::Check(check) => check.run().await,
            Self::List(list) => list.run().await,
            Self::Build(build) => build.run(),
        }
    }
}
