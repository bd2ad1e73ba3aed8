//! The recorded pages beside the project, if present: they are not exports and must not be read as one.
#![expect(
    clippy::print_stdout,
    reason = "the reader of the log wants to know which files were there"
)]

use std::fs;

use lustra_crz::export::DayFile;
use lustra_sdk::Failure;
use lustra_sdk::testing::samples;

#[test]
fn pages_of_the_site_are_not_a_day() {
    for path in samples("crz", ".html") {
        let page = fs::read(&path).unwrap();
        let outcome = DayFile::open("2011-06-01", page.as_slice());
        assert!(
            matches!(outcome.map(drop), Err(Failure::Unavailable(_))),
            "{}",
            path.display()
        );
        println!("refused: {}", path.file_name().unwrap().to_string_lossy());
    }
}
