//! The command line's entry; everything else is in the library.

use std::process::ExitCode;

use clap::Parser;
use lustra_cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
