//! Files as people and programs send them. Every file is written by the test.

use std::io::{Cursor, Read, Write};

use proptest::prelude::*;
use rust_xlsxwriter::{Formula, Workbook as Book, Worksheet};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::csv::{Cell, append_row};
use super::*;

const BOUNDS: Bounds = Bounds {
    rows: 1_000,
    columns: 50,
    cells: 20_000,
    unpacked_bytes: 4 << 20,
};

/// A workbook whose sheet is filled by the test.
fn book(fill: impl Fn(&mut Worksheet) -> Result<(), rust_xlsxwriter::XlsxError>) -> Vec<u8> {
    let mut book = Book::new();
    fill(book.add_worksheet()).expect("the cells are right");
    book.save_to_buffer().expect("it is written")
}

/// The lines of a file, as `number:read:value`.
fn shown(bytes: &[u8], preferred: PreferredColumn) -> Vec<String> {
    let rows = rows(bytes, BOUNDS).expect("it is a table");
    let lines = lines(&rows, preferred).into_iter().map(|line| {
        let value = match line.value {
            Value::Ico { ico, is_repaired } => {
                format!("{ico}{}", if is_repaired { " repaired" } else { "" })
            }
            Value::Name(name) => format!("name {name}"),
            Value::Rejected(reason) => format!("{reason:?}"),
        };
        format!("{}:{}:{value}", line.number, line.read)
    });
    lines.collect()
}

#[test]
fn each_line_of_a_list_has_its_own_value() {
    let rubbish = "Zoznam\n\nNázov;Ičo odberateľa;IČ DPH\nA;99999901;SK1\nB;99 999 994;\nC;124;\nD;585441;\n\
        E;585442;\nF;rubbish;\nGama s.r.o.;;\n;;SK2\nH;=1+1;\nI;00000000;\n";
    assert_eq!(
        shown(rubbish.as_bytes(), PreferredColumn::Ico),
        [
            "4:99999901:99999901",
            "5:99 999 994:99999994",
            "6:124:NotAnIco",
            "7:585441:00585441 repaired",
            "8:585442:CheckDigit",
            "9:rubbish:NotAnIco",
            "10:Gama s.r.o.:name Gama s.r.o.",
            "11::Empty",
            "12:=1+1:NotAnIco",
            "13:00000000:NotAnIco",
        ]
    );
}

#[test]
fn columns_are_found_by_header_or_content() {
    let cases: [(&str, PreferredColumn, &[&str]); 8] = [
        (
            "99999901\n99999994\n",
            PreferredColumn::Ico,
            &["1:99999901:99999901", "2:99999994:99999994"],
        ),
        (
            "company id,name\n99999901,A s.r.o.\n",
            PreferredColumn::Ico,
            &["2:99999901:99999901"],
        ),
        (
            "company id,name\n99999901,A s.r.o.\n",
            PreferredColumn::Name,
            &["2:A s.r.o.:name A s.r.o."],
        ),
        (
            "1;Alfa;99999901\n2;Beta;99999994\n",
            PreferredColumn::Ico,
            &["1:99999901:99999901", "2:99999994:99999994"],
        ),
        (
            "1;Alfa;99999901\n",
            PreferredColumn::Name,
            &["1:Alfa:name Alfa"],
        ),
        (
            "Vzorostav, s. r. o.\n99999901\n",
            PreferredColumn::Ico,
            &[
                "1:Vzorostav, s. r. o.:name Vzorostav, s. r. o.",
                "2:99999901:99999901",
            ],
        ),
        ("ICO\nAlfa\n", PreferredColumn::Ico, &["2:Alfa:NotAnIco"]),
        (
            "+;-\n?;!\n",
            PreferredColumn::Ico,
            &["1:+:NotAnIco", "2:?:NotAnIco"],
        ),
    ];
    for (text, preferred, expected) in cases {
        assert_eq!(shown(text.as_bytes(), preferred), expected, "{text}");
    }
}

#[test]
fn companies_are_never_taken_for_a_header() {
    let cases: [(&str, &[&str]); 7] = [
        (
            "Vzorostav Čučoriedka s.r.o.;Senica\nMoja Name Agency s.r.o.;Nitra\nŽaba s.r.o.;Martin\n",
            &[
                "Vzorostav Čučoriedka s.r.o.",
                "Moja Name Agency s.r.o.",
                "Žaba s.r.o.",
            ],
        ),
        (
            "Moja Name Agency;Nitra\nŽaba;Martin\n",
            &["Moja Name Agency", "Žaba"],
        ),
        ("Žaba\nPartner\nKlient\n", &["Žaba", "Partner", "Klient"]),
        (
            "Žaba s.r.o.\nName\nMlyn\n",
            &["Žaba s.r.o.", "Name", "Mlyn"],
        ),
        ("Žaba;Martin\nFirma;Nitra\n", &["Žaba", "Firma"]),
        ("Vzor a.s.;\n;\nNázov;Mesto\nMlyn;Nitra\n", &["Mlyn"]),
        ("Zoznam\nNázov\nMlyn\n", &["Mlyn"]),
    ];
    for (text, names) in cases {
        let read = shown(text.as_bytes(), PreferredColumn::Name);
        let read: Vec<&str> = read
            .iter()
            .filter_map(|line| Some(line.split_once(":name ")?.1))
            .collect();
        assert_eq!(read, names, "{text}");
    }
    for header in ["Názov odberateľa", "Customer name", "Obchodné meno (názov)"] {
        let read = shown(
            format!("{header};Mesto\nMlyn;Nitra\n").as_bytes(),
            PreferredColumn::Name,
        );
        assert_eq!(read, ["2:Mlyn:name Mlyn"], "{header}");
    }
}

#[test]
fn workbook_numbers_and_formulas_are_read() {
    let bytes = book(|sheet| {
        sheet.write(0, 1, "Odberatelia")?;
        sheet.write(2, 1, "IČO")?;
        sheet.write(3, 1, 585_441)?;
        sheet.write(4, 1, "99999901")?;
        sheet.write(5, 1, Formula::new("=B4*1").set_result("99999994"))?;
        sheet.write(6, 1, Formula::new("=1/0").set_result("#DIV/0!"))?;
        sheet.write(900, 1, 99_999_901)?;
        Ok(())
    });
    let expected = [
        "4:585441:00585441 repaired",
        "5:99999901:99999901",
        "6:99999994:99999994",
        "7:#DIV/0!:NotAnIco",
        "901:99999901:99999901",
    ];
    assert_eq!(shown(&bytes, PreferredColumn::Ico), expected);
}

#[test]
fn files_beyond_the_bounds_are_rejected() {
    let wide = format!("{}\n", ";".repeat(60));
    let long = "1\n".repeat(1_001);
    let full = format!("{}1\n", ";".repeat(49)).repeat(500);
    let far = book(|sheet| sheet.write(1_000_000, 0, 1)?.write(0, 16_000, 1).map(drop));
    for (bytes, error) in [
        (wide.as_bytes(), FileError::TooManyColumns(50)),
        (long.as_bytes(), FileError::TooManyRows(1_000)),
        (full.as_bytes(), FileError::TooManyCells(20_000)),
        (&far, FileError::TooManyColumns(50)),
        (b"PK\x03\x04rubbish", FileError::Damaged),
        (b"", FileError::Empty),
        (b"\xef\xbb\xbf \r\n;;\r\n", FileError::Empty),
    ] {
        assert_eq!(rows(bytes, BOUNDS), Err(error));
    }
}

#[test]
fn archive_that_unpacks_too_far_is_rejected() {
    let whole = book(|sheet| sheet.write(0, 0, "99999901").map(drop));
    let mut archive = zip::ZipArchive::new(Cursor::new(whole)).expect("an archive");
    let mut bomb = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    for number in 0..archive.len() {
        let mut part = archive.by_index(number).expect("a part");
        let mut text = Vec::new();
        part.read_to_end(&mut text).expect("it unpacks");
        let name = part.name().expect("a name").into_owned();
        if name.ends_with("sheet1.xml") {
            text.extend(std::iter::repeat_n(b' ', 8 << 20));
        }
        bomb.start_file(name, options).expect("a name");
        bomb.write_all(&text).expect("in memory");
    }
    let bomb = bomb.finish().expect("an archive").into_inner();
    assert!(bomb.len() < 100_000);
    assert_eq!(rows(&bomb, BOUNDS), Err(FileError::TooLarge(4 << 20)));
    let cut = &bomb[..bomb.len() / 2];
    assert_eq!(rows(cut, BOUNDS), Err(FileError::Damaged));
}

/// Texts that a table keeps: trimmed, without the apostrophe that our writer adds.
fn text() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9áčďéľňšžŽ =+@,;\"\\-\\.]{0,20}".prop_map(|text| text.trim().to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn written_tables_are_read_again(
        table in prop::collection::vec(prop::collection::vec(text(), 4), 1..20),
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        let mut workbook = Workbook::new(directory.path()).expect("a workbook");
        let mut csv = String::new();
        let mut expected = Vec::new();
        for (number, texts) in (1..).zip(&table) {
            // The first cell keeps the row from being empty and holds the delimiter count.
            let cells = || std::iter::once("row").chain(texts.iter().map(String::as_str));
            append_row(&mut csv, cells().map(Cell::Text));
            workbook.append_row(cells().map(Cell::Text)).expect("it is written");
            expected.push((number, cells().map(str::to_owned).collect::<Vec<_>>()));
        }
        let file = tempfile::tempfile_in(directory.path()).expect("a file");
        let mut file = workbook.finish(file).expect("it is written");
        let mut xlsx = Vec::new();
        file.read_to_end(&mut xlsx).expect("it is there");
        // A quoted semicolon does not count for the delimiter if it says so.
        let csv = format!("sep=,\r\n{csv}");
        for (bytes, skipped) in [(xlsx.as_slice(), 0), (csv.as_bytes(), 1)] {
            let read = rows(bytes, BOUNDS).expect("it is read");
            let read: Vec<(usize, Vec<String>)> = read
                .into_iter()
                .map(|row| {
                    let mut cells = row.cells;
                    cells.resize(5, String::new());
                    (row.number - skipped, cells)
                })
                .collect();
            prop_assert_eq!(&read, &expected);
        }
    }

    #[test]
    fn no_file_stops_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..400), packed: bool) {
        let mut bytes = bytes;
        if packed {
            bytes.splice(0..0, ZIP_MAGIC.iter().copied());
        }
        if let Ok(rows) = rows(&bytes, BOUNDS) {
            prop_assert!(lines(&rows, PreferredColumn::Ico).len() <= rows.len());
        }
    }

    #[test]
    fn repaired_numbers_have_a_right_check_digit(number in 1_000_u32..10_000_000) {
        let text = number.to_string();
        let rows = [Row { number: 1, cells: vec!["IČO".into()] }, Row { number: 2, cells: vec![text] }];
        let value = lines(&rows, PreferredColumn::Ico).remove(0).value;
        let digits: Vec<u32> = format!("{number:08}").bytes().map(|b| u32::from(b - b'0')).collect();
        let sum: u32 = (0..7).map(|at| digits[at] * (8 - u32::try_from(at).unwrap_or(0))).sum();
        let fits = (11 - sum % 11) % 10 == digits[7];
        let repaired = matches!(value, Value::Ico { is_repaired: true, .. });
        prop_assert_eq!(repaired, fits);
    }
}
