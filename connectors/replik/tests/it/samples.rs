//! The parsers over recorded answers, if present on this machine. None had been recorded when this was written.
//! Put recordings into the register's folder of samples: `list*.xml`, `detail*-<number>.xml`, `changes*.xml`.

#![expect(clippy::print_stdout, reason = "the output shows what was read")]

use std::fs;

use lustra_replik::{changes, detail, proceedings};
use lustra_sdk::failure;
use lustra_sdk::testing::samples;

#[test]
fn recorded_answers_are_read() {
    for path in samples("replik", "") {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let read = if name.starts_with("list") {
            proceedings::read_page(&text).map(|page| page.rows.len())
        } else if name.starts_with("detail") {
            let id = name.rsplit('-').next().unwrap_or_default();
            detail::read(&text, id).map(|detail| usize::from(detail.is_some()))
        } else if name.starts_with("changes") {
            changes::read(&text).map(|changes| changes.len())
        } else {
            continue;
        };
        let read = read.unwrap_or_else(|failed| panic!("{name}: {}", failure::reason(&failed)));
        println!("{name}: {read}");
    }
}
