//! `lustra man`.

use std::path::{Path, PathBuf};

use clap::CommandFactory;

use super::{Cli, CliError, many, print};

/// Write the manual pages of all commands into a directory, in the format of `man` (section 1).
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra man --output /usr/local/share/man/man1")]
pub struct Man {
    /// Directory of the pages; created if it is missing.
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Print JSON, one object a page.
    #[arg(long)]
    json: bool,
}

impl Man {
    pub(super) fn run(&self) -> Result<(), CliError> {
        let directory = self.output.display();
        std::fs::create_dir_all(&self.output)
            .map_err(|error| CliError::caused(directory, &error))?;
        let mut command = Cli::command().disable_help_subcommand(true);
        // Makes the full names of subcommands, such as `lustra-dataset-list`.
        command.build();
        let mut written = Vec::new();
        pages(command, &self.output, &mut written)
            .map_err(|error| CliError::caused(self.output.display(), &error))?;
        for file in &written {
            if self.json {
                print(&serde_json::json!({ "file": file }).to_string());
            }
        }
        if !self.json {
            let pages = many(written.len(), "page", "pages");
            print(&format!("{pages} written to {}", self.output.display()));
        }
        Ok(())
    }
}

/// Writes the page of a command and those of its subcommands, such as `lustra-dataset-list.1`.
fn pages(
    command: clap::Command,
    directory: &Path,
    written: &mut Vec<PathBuf>,
) -> std::io::Result<()> {
    let below = command.get_subcommands();
    for below in below.filter(|below| !below.is_hide_set()).cloned() {
        pages(below, directory, written)?;
    }
    written.push(clap_mangen::Man::new(command).generate_to(directory)?);
    Ok(())
}
