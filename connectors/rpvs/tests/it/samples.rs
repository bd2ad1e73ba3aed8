//! Real answers of the service, if this machine has them beside the repository. They never become part of it.

use std::fs;

use lustra_rpvs::entry::Entry;
use lustra_rpvs::page;
use lustra_rpvs::question::{Breadth, FILES};
use lustra_rpvs::section;
use lustra_rpvs::settings::Settings;
use lustra_sdk::testing::samples;

#[test]
fn every_recorded_list_of_files_is_read() {
    for path in samples("rpvs", ".json") {
        let text = fs::read_to_string(&path).expect("UTF-8");
        let page = page::read(&text, &[FILES.to_owned()]).expect("a page of files");
        for row in &page.rows {
            let file = Entry::of(row, "row").expect("an object");
            let versions = file.list("PartneriVerejnehoSektora").expect("versions");
            let number = versions.iter().find_map(|version| {
                let version = version.as_ref().expect("an object");
                lustra_rpvs::people::number(version).expect("a number or none")
            });
            let Some(number) = number else { continue };
            let rows = std::slice::from_ref(row);
            let settings = Settings::default();
            section::read(rows, &number, Breadth::Confirmed, &settings, "2026-01-15")
                .unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
        }
    }
}
