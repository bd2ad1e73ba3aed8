//! Pages of the office's site that lie beside the project, if they are there. No reader may accept them as issues.
#![expect(
    clippy::print_stdout,
    reason = "the reader of the log wants to know which files were there"
)]

use std::fs;

use lustra_procurement_journal::cursor::IssueNumber;
use lustra_procurement_journal::{issue, listing};
use lustra_sdk::Failure;
use lustra_sdk::testing::samples;

#[test]
fn pages_of_the_site_are_not_a_journal() {
    let pages = samples("uvo", ".html");
    if pages.is_empty() {
        return;
    }
    let number = IssueNumber {
        year: 2016,
        number: 22,
    };
    let mut count = 0;
    for path in pages {
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(
            matches!(listing::read(&text), Err(Failure::Unavailable(_))),
            "{}",
            path.display()
        );
        assert!(
            matches!(issue::text_of(number, bytes), Err(Failure::Unavailable(_))),
            "{}",
            path.display()
        );
        count += 1;
    }
    println!("{count} pages");
    assert_eq!(count, 4);
}
