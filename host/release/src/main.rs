//! The command line's entry; everything else is in the library.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use lustra_release::options::Options;
use lustra_release::release;

fn main() -> ExitCode {
    // If standard error cannot be written, the message cannot be shown anywhere.
    let mut say = |line: &str| drop(writeln!(std::io::stderr(), "{line}"));
    match release::make(&Options::parse(), &mut say) {
        Ok(files) => {
            for file in files {
                let size = file.size >> 10;
                // The same as above.
                drop(writeln!(
                    std::io::stdout(),
                    "{}  {size} kB",
                    file.path.display()
                ));
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
