//! Checks that the commands in the guides exist, and that every result can be read by programs.

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

/// Commands whose output has a format of its own: a script of a shell, or machine code for a host.
const OTHER_FORMATS: [&str; 2] = ["lustra completions", "lustra connector compile"];

#[test]
fn every_command_prints_json() {
    let mut command = Cli::command();
    command.build();
    let mut waiting = vec![&command];
    let (mut checked, mut without) = (0, Vec::new());
    while let Some(command) = waiting.pop() {
        let below = command.get_subcommands();
        let below: Vec<_> = below.filter(|below| below.get_name() != "help").collect();
        if below.is_empty() {
            checked += 1;
            let name = command.get_bin_name().unwrap_or_default();
            let has_json = command
                .get_arguments()
                .any(|argument| argument.get_long() == Some("json"));
            if !has_json && !OTHER_FORMATS.contains(&name) {
                without.push(name);
            }
        }
        waiting.extend(below);
    }
    assert!(without.is_empty(), "{without:?}");
    assert!(checked > 30, "{checked} commands");
}
