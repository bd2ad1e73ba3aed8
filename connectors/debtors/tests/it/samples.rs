//! Runs the parsers over recorded lists, if this machine has any. No list was recorded when this was written; put
//! recordings into these folders.

#![expect(clippy::print_stdout, reason = "the output shows what was read")]

use std::fs;
use std::path::Path;

use lustra_debtors::debt::{DebtRows, Notes};
use lustra_debtors::{operator_list, social_insurer, tax_list, union_api};
use lustra_sdk::Failure;
use lustra_sdk::charset::decoded;
use lustra_sdk::testing::samples;

fn count(file: &Path, rows: Result<impl DebtRows, Failure>) {
    let mut rows = rows.expect("the sample's header is known");
    let (mut notes, mut debts, mut with_ico) = (Notes::default(), 0_u32, 0_u32);
    while let Some(debt) = rows
        .next_debt(&mut notes)
        .expect("the sample's rows are known")
    {
        debts += 1;
        with_ico += u32::from(debt.ico.is_some());
    }
    println!(
        "{}: {debts} debts, {with_ico} with IČO, list of {:?}, {notes:?}",
        file.display(),
        rows.list_date()
    );
    assert!(debts > 0, "{} has no debtor", file.display());
}

#[test]
fn recorded_lists_are_read() {
    let open = |file: &Path| decoded(fs::File::open(file).expect("the sample is readable"));
    for file in samples("socpoist", ".csv") {
        let name = file
            .file_name()
            .and_then(|name| name.to_str())
            .expect("samples have plain names");
        count(&file, social_insurer::Rows::open(name, open(&file)));
    }
    for file in samples("fs", "ds_dsdd.xml") {
        count(&file, Ok(tax_list::Rows::new(open(&file))));
    }
    for register in ["vszp", "dovera", "union"] {
        for file in samples(register, ".csv") {
            count(&file, operator_list::open(register, open(&file)));
        }
    }
    for file in samples("union", ".json") {
        let text = fs::read_to_string(&file).expect("the sample is text");
        let page =
            union_api::parse(&text, &mut Notes::default()).expect("the sample's page is known");
        println!("{}: {} of {} rows", file.display(), page.rows, page.total);
        assert!(page.rows <= page.total);
    }
}
