//! The recorded pages that lie beside the project, where they do: they are no export, and must not be taken for one.
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

use lustra_crz::export::DayFile;
use lustra_sdk::Failure;

#[test]
fn pages_of_the_site_are_no_day() {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/registers/samples/crz"
    ));
    let Ok(entries) = fs::read_dir(folder) else {
        println!("skipped: the folder is absent");
        return;
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let pages = paths.filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "html")
    });
    for path in pages {
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
