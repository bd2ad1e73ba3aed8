//! Pages of the office's site that lie beside the project, where they do: they are no issues and are not taken for any.
#![expect(
    clippy::print_stdout,
    reason = "the reader of the log wants to know which files were there"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

use std::fs;
use std::path::Path;

use lustra_procurement_journal::cursor::IssueNumber;
use lustra_procurement_journal::{issue, listing};
use lustra_sdk::Failure;

#[test]
fn pages_of_the_site_are_no_journal() {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/registers/samples/uvo"
    ));
    let Ok(entries) = fs::read_dir(folder) else {
        println!("skipped: the folder is absent");
        return;
    };
    let number = IssueNumber {
        year: 2016,
        number: 22,
    };
    let mut count = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "html") {
            continue;
        }
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
