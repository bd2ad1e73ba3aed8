//! `lustra connector`: one file per subcommand.

#[cfg(feature = "demo")]
mod bench;
#[cfg(feature = "demo")]
mod build;
#[cfg(feature = "demo")]
mod check;
mod compile;
#[cfg(feature = "demo")]
mod dev;
mod enable;
mod list;
#[cfg(feature = "demo")]
pub(super) mod new;
#[cfg(feature = "demo")]
mod package;
mod pinned;
mod precompile;
#[cfg(feature = "demo")]
mod record;
mod reload;
mod replace;
pub(crate) mod running;
#[cfg(feature = "demo")]
mod template;
#[cfg(feature = "demo")]
mod test;

use super::CliError;

/// Create, try, test, build and list connectors.
#[derive(Debug, clap::Subcommand)]
pub enum Connector {
    #[cfg(feature = "demo")]
    New(new::New),
    #[cfg(feature = "demo")]
    Dev(Box<dev::Dev>),
    #[cfg(feature = "demo")]
    Record(Box<record::Record>),
    #[cfg(feature = "demo")]
    Test(test::Test),
    #[cfg(feature = "demo")]
    Check(check::Check),
    List(list::List),
    Inspect(list::Inspect),
    Enable(enable::Enable),
    Reload(reload::Reload),
    Precompile(precompile::Precompile),
    #[cfg(feature = "demo")]
    Build(build::Build),
    #[cfg(feature = "demo")]
    Package(package::Package),
    #[command(hide = true)]
    Compile(compile::Compile),
}

impl Connector {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            #[cfg(feature = "demo")]
            Self::New(new) => new.run(),
            #[cfg(feature = "demo")]
            Self::Dev(dev) => Box::pin(dev.run()).await,
            #[cfg(feature = "demo")]
            Self::Record(record) => Box::pin(record.run()).await,
            #[cfg(feature = "demo")]
            Self::Test(test) => test.run().await,
            #[cfg(feature = "demo")]
            Self::Check(check) => Box::pin(check.run()).await,
            Self::List(list) => Box::pin(list.run()).await,
            Self::Inspect(inspect) => Box::pin(inspect.run()).await,
            Self::Enable(enable) => enable.run(),
            Self::Reload(reload) => reload.run().await,
            Self::Precompile(precompile) => precompile.run(),
            Self::Compile(compile) => compile.run(),
            #[cfg(feature = "demo")]
            Self::Build(build) => Box::pin(build.run()).await,
            #[cfg(feature = "demo")]
            Self::Package(package) => Box::pin(package.run()).await,
        }
    }
}
