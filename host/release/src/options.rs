//! The command line of the release.

use std::path::PathBuf;

use clap::Parser;

/// Makes a release of Lustra: one archive with all that a server needs, and a Debian package with the same contents.
///
/// Builds the server without the author's kit, builds the connectors and replays their recorded calls, lets the server
/// compile them, and checks that the packaged server loads every connector without compiling. Needs cargo, and `strip`
/// from the C toolchain.
#[derive(Debug, Parser)]
#[command(name = "lustra-release", version, max_term_width = 110)]
#[command(
    after_help = "Example: cargo run --release -p lustra-release -- --output target/release-files"
)]
pub struct Options {
    /// Directory for the archive, the Debian package and their checksums.
    #[arg(long, default_value = "target/release-files")]
    pub output: PathBuf,
    /// Cargo's profile of the server.
    #[arg(long, default_value = "release")]
    pub profile: String,
    /// A server that is already built, without default features, instead of building it.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Directory of components that are already built, instead of building the shipped connectors.
    #[arg(long, value_name = "DIR")]
    pub components: Option<PathBuf>,
    /// Processors that components are compiled for: `native`, `baseline`, `x86-64-v2` or `x86-64-v3`. Others compile
    /// them at the first start. Default: x86-64-v3, on other architectures baseline.
    #[arg(long)]
    pub cpu: Option<String>,
    /// Maintainer of the Debian package.
    #[arg(
        long,
        default_value = "Lustra <lustra@example.org>",
        env = "LUSTRA_MAINTAINER"
    )]
    pub maintainer: String,
    /// Accept a server of any size, such as one of the profile `dev`.
    #[arg(long)]
    pub any_size: bool,
}
