//! `lustra connector precompile`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use lustra_sandbox::engine::{Cpu, PoolSize};
use lustra_sandbox::precompile;

use super::super::{CliError, print};
use lustra::config::Pool;

/// Compile components ahead of time, so that a server's first start compiles nothing.
///
/// Name the output in the setting `precompiled`. The server uses it if it was made by the same version of the program
/// for its processor, and if only root or the owner of the program can write it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra connector precompile components --output precompiled --cpu x86-64-v3"
)]
pub struct Precompile {
    /// Directory of the components.
    #[arg(default_value = "components")]
    components: PathBuf,
    /// Directory for the compiled components and their index.
    #[arg(long, default_value = "precompiled")]
    output: PathBuf,
    /// Processors that the code runs on: this machine's, all of its architecture, or a level of x86-64.
    #[arg(long, default_value = "native", value_parser = cpus())]
    cpu: Cpu,
    /// Print JSON, one object a component.
    #[arg(long)]
    json: bool,
}

fn cpus() -> impl clap::builder::TypedValueParser<Value = Cpu> {
    let words = Cpu::ALL.iter().map(|cpu| cpu.word());
    PossibleValuesParser::new(words).try_map(Cpu::try_from)
}

impl Precompile {
    pub(super) fn run(self) -> Result<(), CliError> {
        // The sizes of the pool do not change the code.
        let pool = PoolSize::from(&Pool::default());
        let mut report = |compiled: &precompile::PrecompiledComponent| {
            if self.json {
                let line = serde_json::json!({"id": compiled.id, "size": compiled.size});
                print(&line.to_string());
            } else {
                print(&format!("{}  {} kB", compiled.id, compiled.size / 1024));
            }
        };
        precompile::write(&self.components, &self.output, pool, self.cpu, &mut report)?;
        Ok(())
    }
}
