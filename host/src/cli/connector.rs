//! `lustra connector`: each command in a file of its own.

mod bench;
mod build;
mod check;
mod compile;
mod dev;
mod enable;
mod list;
pub(super) mod new;
mod package;
mod record;
mod reload;
pub(in crate::cli) mod running;
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
    Inspect(list::Inspect),
    Enable(enable::Enable),
    Reload(reload::Reload),
    Build(build::Build),
    Package(package::Package),
    #[command(hide = true)]
    Compile(compile::Compile),
}

impl Connector {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::New(new) => new.run(),
            Self::Dev(dev) => Box::pin(dev.run()).await,
            Self::Record(record) => Box::pin(record.run()).await,
            Self::Test(test) => test.run().await,
            Self::Check(check) => Box::pin(check.run()).await,
            Self::List(list) => Box::pin(list.run()).await,
            Self::Inspect(inspect) => Box::pin(inspect.run()).await,
            Self::Enable(enable) => enable.run(),
            Self::Reload(reload) => reload.run().await,
            Self::Compile(compile) => compile.run(),
            Self::Build(build) => Box::pin(build.run()).await,
            Self::Package(package) => Box::pin(package.run()).await,
        }
    }
}
