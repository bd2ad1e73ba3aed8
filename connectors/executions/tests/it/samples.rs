//! Runs the readers over recorded answers and lists, if this machine has any. None was recorded when this was written;
//! put recordings into this folder.

#![expect(clippy::print_stdout, reason = "the output shows what was read")]

use std::fs;

use lustra_executions::import::Run;
use lustra_executions::list::Rows;
use lustra_executions::page;
use lustra_executions::settings::{Members, States};
use lustra_sdk::ImportRun;
use lustra_sdk::testing::samples;
use lustra_sdk::text::decode_utf8_or_windows_1250;

#[test]
fn recorded_answers_and_lists_are_read() {
    for file in samples("executions", ".json") {
        let bytes = fs::read(&file).expect("the sample is readable");
        let text = decode_utf8_or_windows_1250(&bytes);
        // No company has this number: the test checks the format only.
        let page = page::read(&text, "99999999", &Members::default()).expect("the form is known");
        println!(
            "{}: {} of {} rows",
            file.display(),
            page.rows.len(),
            page.total
        );
    }
    for file in samples("executions", ".csv") {
        let bytes = fs::read(&file).expect("the sample is readable");
        let text = decode_utf8_or_windows_1250(&bytes);
        let rows = Rows::open("sample", text.as_bytes(), States::default());
        let mut run = Run::new(rows.expect("the sample's header is known"));
        let mut records = 0;
        while let Some(batch) = run.next().expect("the sample's rows are known") {
            records += batch.items.len();
        }
        println!("{}: {records} records", file.display());
        assert!(records > 0);
    }
}
