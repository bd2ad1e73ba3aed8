//! `lustra completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, print};

/// Print the completions of a shell, to be saved where the shell reads them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lustra completions bash > /usr/share/bash-completion/completions/lustra\n  \
    lustra completions zsh > /usr/share/zsh/site-functions/_lustra\n  \
    lustra completions fish > ~/.config/fish/completions/lustra.fish")]
pub struct Completions {
    /// The shell that reads the completions.
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "lustra", &mut script);
        print(String::from_utf8_lossy(&script).trim_end());
    }
}
