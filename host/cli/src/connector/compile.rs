//! `lustra connector compile`: the compiler process of a reload. Hidden, because it is not for people.

use std::io;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use super::super::CliError;
use lustra_sandbox::compile::{self, CompileError};
use lustra_sandbox::engine::{PoolSize, Tier};

/// Compile the component on standard input to machine code on standard output.
#[derive(Debug, clap::Args)]
pub struct Compile {
    /// Value of the host's `pool.instances`.
    #[arg(long)]
    instances: u32,
    /// Value of the host's `pool.memory_mib`, in bytes.
    #[arg(long)]
    memory: usize,
    /// Value of the host's `pool.stack_kib`, in bytes.
    #[arg(long)]
    stack: usize,
    /// The compiler.
    #[arg(long, value_parser = tiers())]
    tier: Tier,
}

fn tiers() -> impl clap::builder::TypedValueParser<Value = Tier> {
    let words = Tier::ALL.iter().map(|tier| tier.word());
    PossibleValuesParser::new(words).try_map(Tier::try_from)
}

impl Compile {
    pub(super) fn run(&self) -> Result<(), CliError> {
        let pool = PoolSize {
            instances: self.instances,
            memory: self.memory,
            stack: self.stack,
        };
        let (input, output) = (&mut io::stdin().lock(), &mut io::stdout().lock());
        let compiled = compile::as_child(pool, self.tier, input, output);
        match compiled {
            Ok(()) => Ok(()),
            // The prefix tells the parent whether the component is invalid or the child failed.
            Err(CompileError::Refused(why)) => {
                #[expect(clippy::print_stderr, reason = "what the parent reads")]
                {
                    eprintln!("{} {why}", compile::REFUSED);
                }
                std::process::exit(3);
            }
            Err(error) => Err(error.into()),
        }
    }
}
