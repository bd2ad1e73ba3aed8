//! `lustra connector`: each command in a file of its own.

mod build;
mod compile;
mod enable;
mod list;
pub(super) mod new;
mod package;
mod reload;
mod running;
mod template;

use super::CliError;

/// Write, build and list connectors.
#[derive(Debug, clap::Subcommand)]
pub enum Connector {
    New(new::New),
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
            Self::List(list) => list.run().await,
            Self::Inspect(inspect) => inspect.run().await,
            Self::Enable(enable) => enable.run(),
            Self::Reload(reload) => reload.run().await,
            Self::Compile(compile) => compile.run(),
            Self::Build(build) => build.run(),
            Self::Package(package) => package.run(),
        }
    }
}
