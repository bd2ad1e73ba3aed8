//! The guides agree with the commands.

use std::path::{Path, PathBuf};

use clap::CommandFactory;

use super::Cli;

/// The README and the guides.
fn texts() -> Vec<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guides = std::fs::read_dir(repository.join("host/docs")).expect("the folder is there");
    let guides = guides.map(|file| file.expect("it can be listed").path());
    guides.chain([repository.join("README.md")]).collect()
}

#[test]
fn commands_in_guides_exist() {
    let mut checked = 0;
    for file in texts() {
        let text = std::fs::read_to_string(&file).expect("it is text");
        let code = text.split("```").skip(1).step_by(2);
        for line in code.flat_map(str::lines) {
            let line = line
                .trim_start_matches("$ ")
                .trim_start_matches("target/release/");
            if !line.starts_with("lustra ") {
                continue;
            }
            let parsed = Cli::command().try_get_matches_from(line.split_whitespace());
            assert!(parsed.is_ok(), "{}: {line}: {parsed:?}", file.display());
            checked += 1;
        }
    }
    assert!(checked > 15, "{checked} commands");
}
