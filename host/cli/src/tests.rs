//! Checks that the commands in the guides exist.

use std::path::Path;

use clap::CommandFactory;

use super::Cli;

#[test]
fn commands_in_guides_exist() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guides = std::fs::read_dir(repository.join("host/docs")).expect("the folder is there");
    let guides = guides.map(|guide| guide.expect("it can be listed").path());
    let mut checked = 0;
    for file in guides.chain([repository.join("README.md")]) {
        let text = std::fs::read_to_string(&file).expect("guides are text");
        // Text between code fences: every second part is a code block.
        let blocks = text.split("```").skip(1).step_by(2);
        for line in blocks.flat_map(str::lines) {
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
