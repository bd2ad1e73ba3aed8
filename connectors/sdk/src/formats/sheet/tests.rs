#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook};

use super::*;

fn headers() -> [Headers; 5] {
    [
        Headers::of(&["nazov", "obchodne meno"]),
        Headers::of(&["ico"]),
        Headers::of(&["platnost do"]),
        Headers::of(&["suma"]),
        Headers::of(&["pocet"]),
    ]
}

fn columns(headers: &[Headers; 5]) -> Vec<Column<'_>> {
    let names = ["name", "ico", "valid_to", "sum", "count"];
    let columns = names.into_iter().zip(headers).enumerate();
    columns
        .map(|(at, (name, headers))| Column {
            name,
            headers,
            required: at < 2,
        })
        .collect()
}

fn read(bytes: &[u8]) -> Result<Sheet, Failure> {
    Sheet::read("list", bytes, &columns(&headers()))
}

fn expected(failure: Failure) -> (String, String, String) {
    let Failure::Malformed(drift) = failure else {
        panic!("another failure: {failure:?}");
    };
    (drift.what, drift.expected, drift.found)
}

#[test]
fn page_table_is_chosen_by_its_columns() {
    let table = |rows: &[&[&str]]| -> Vec<Vec<String>> {
        let cells = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
        rows.iter().map(cells).collect()
    };
    let form = table(&[&["IČO", ""]]);
    let list = table(&[&["Názov", "IČO"], &["Vzorová firma", "00316792"]]);
    let sheet = Sheet::of_tables("page", vec![form.clone(), list], &columns(&headers())).unwrap();
    let names: Vec<&str> = sheet.rows().map(|row| row.cell("name")).collect();
    assert_eq!(names, ["Vzorová firma"]);
    let failure = Sheet::of_tables("page", vec![form], &columns(&headers())).unwrap_err();
    let (what, _, found) = expected(failure);
    assert_eq!(
        (what.as_str(), found.as_str()),
        ("page: header", "none for name")
    );
}

#[test]
fn csv_header_is_found_below_its_title() {
    let text = "Zoznam k 1. 1. 2026;;;\r\n;;;\r\nPor. č.;IČO;Obchodné meno;Platnosť do\r\n\
                1;=\"00316792\";\"Vzorová; firma\";31. 12. 2027\r\n;;;\r\n2;316 792;  Druhá  firma ;\r\n";
    for bytes in [
        text.as_bytes().to_vec(),
        [b"\xef\xbb\xbf".as_slice(), text.as_bytes()].concat(),
        encoding_rs::WINDOWS_1250.encode(text).0.into_owned(),
    ] {
        let sheet = match read(&bytes) {
            Ok(sheet) => sheet,
            Err(failure) => panic!("{failure:?}"),
        };
        let rows: Vec<_> = sheet.rows().collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].required("name").unwrap(), "Vzorová; firma");
        assert_eq!(rows[1].required("name").unwrap(), "Druhá firma");
        assert_eq!(rows[0].ico("ico").unwrap().as_deref(), Some("00316792"));
        assert_eq!(rows[1].ico("ico").unwrap().as_deref(), Some("00316792"));
        assert_eq!(
            rows[0].date("valid_to").unwrap().as_deref(),
            Some("2027-12-31")
        );
        assert_eq!(rows[1].date("valid_to").unwrap(), None);
        assert_eq!(rows[1].number(), 6);
        assert!(sheet.has("valid_to") && !sheet.has("sum"));
        assert_eq!(rows[0].text("sum"), None);
    }
}

/// A table in a workbook: the first cell of its header, its headers and rows. A cell that begins
/// with `#` is an error.
fn write(sheet: &mut rust_xlsxwriter::Worksheet, at: (u32, u16), rows: &[&[&str]]) {
    for (row, cells) in (at.0..).zip(rows) {
        for (column, cell) in (at.1..).zip(*cells) {
            if cell.starts_with('#') {
                let formula = Formula::new("=NA()").set_result(*cell);
                sheet.write_formula(row, column, formula).unwrap();
            } else {
                sheet.write(row, column, *cell).unwrap();
            }
        }
    }
}

fn read_forgiving(bytes: &[u8]) -> (Sheet, Notes) {
    let mut notes = Notes::default();
    let read = Sheet::read_forgiving("list", bytes, &columns(&headers()), &mut notes);
    (read.unwrap(), notes)
}

fn cells<'a>(rows: impl Iterator<Item = Row<'a>>, name: &str) -> Vec<&'a str> {
    rows.map(|row| row.cell(name)).collect()
}

#[test]
fn error_cell_makes_its_row_odd_only_if_wanted() {
    let bytes = workbook(|sheet| {
        let rows: [&[&str]; 6] = [
            &["Názov", "IČO", "Kontrola"],
            &["Prvá", "00316792", "#N/A"],
            &["#REF!", "00316792", "1"],
            &["Tretia", "#VALUE!", "1"],
            &["Štvrtá", "00316792", "1", "#DIV/0!"],
            &["Piata", "00316792", "1", "navyše"],
        ];
        write(sheet, (0, 0), &rows);
    });
    let (sheet, notes) = read_forgiving(&bytes);
    assert_eq!(cells(sheet.rows(), "name"), ["Prvá", "Štvrtá"]);
    let unreadable = cells(sheet.unreadable_rows(), "ico");
    assert_eq!(unreadable, ["00316792", "\u{fffd}"]);
    assert_eq!((notes.rows(), notes.odd_rows()), (3, 3));
    assert_eq!(notes.of(Notes::UNREADABLE_BYTES), 2);
    assert_eq!(notes.of(Notes::OTHER_WIDTH), 1);
}

#[test]
fn error_cell_in_another_sheet_or_header_is_harmless() {
    let mut workbook = Workbook::new();
    write(workbook.add_worksheet(), (0, 0), &[&["Súhrn", "#REF!"]]);
    let rows: [&[&str]; 2] = [&["Názov", "IČO", "#N/A"], &["Prvá", "00316792", "x"]];
    write(workbook.add_worksheet(), (0, 0), &rows);
    let bytes = workbook.save_to_buffer().unwrap();
    let (sheet, notes) = read_forgiving(&bytes);
    assert_eq!(cells(sheet.rows(), "name"), ["Prvá"]);
    assert_eq!(notes.odd_rows(), 0);
    assert!(read(&bytes).is_ok(), "nobody wants the cells with errors");
}

#[test]
fn error_in_wanted_cell_fails_a_strict_list() {
    let rows: [&[&str]; 2] = [&["Názov", "IČO"], &["Prvá", "#N/A"]];
    let bytes = workbook(|sheet| write(sheet, (0, 0), &rows));
    let (what, _, found) = expected(read(&bytes).unwrap_err());
    assert_eq!(what, "list: row 2: ico");
    assert_eq!(found, "an error or undecodable bytes");
}

#[test]
fn all_sheets_with_the_columns_are_read() {
    let mut workbook = Workbook::new();
    write(workbook.add_worksheet(), (0, 0), &[&["Vysvetlivky"]]);
    workbook.add_worksheet();
    let first: [&[&str]; 2] = [&["Názov", "IČO", "Suma"], &["Prvá", "00316792", "x"]];
    let moved: [&[&str]; 3] = [
        &["IČO", "Názov"],
        &["00316792", "Druhá"],
        &["00316792", "#N/A"],
    ];
    let sheets = [("A-K", (0, 0), &first[..]), ("L-Ž", (3, 1), &moved[..])];
    for (name, at, rows) in sheets {
        let sheet = workbook.add_worksheet();
        write(sheet.set_name(name).unwrap(), at, rows);
    }
    write(workbook.add_worksheet(), (0, 0), &[&["IČO"], &["00316792"]]);
    let bytes = workbook.save_to_buffer().unwrap();
    let (sheet, notes) = read_forgiving(&bytes);
    assert_eq!(cells(sheet.rows(), "name"), ["Prvá", "Druhá"]);
    assert_eq!(cells(sheet.rows(), "ico"), ["00316792", "00316792"]);
    let rows: Vec<Row<'_>> = sheet.rows().collect();
    assert!(rows[0].has("sum") && !rows[1].has("sum"), "by the sheet");
    let (what, _, _) = expected(rows[0].amount("sum").unwrap_err());
    assert_eq!(what, "list: A-K: row 2: sum");
    assert_eq!(rows[1].at("ico"), "list: L-Ž: row 5: ico");
    assert_eq!(notes.of(OTHER_SHEETS), 2, "an empty sheet is none");
    assert_eq!((notes.rows(), notes.odd_rows()), (1, 1));
    let (what, _, _) = expected(read(&bytes).unwrap_err());
    assert_eq!(what, "list: L-Ž: row 6: name");
}

fn workbook(write: impl FnOnce(&mut rust_xlsxwriter::Worksheet)) -> Vec<u8> {
    let mut workbook = Workbook::new();
    workbook.add_worksheet().write(0, 0, "Vysvetlivky").unwrap();
    write(workbook.add_worksheet());
    workbook.save_to_buffer().unwrap()
}

#[test]
fn workbook_dates_and_numbers_become_text() {
    let bytes = workbook(|sheet| {
        sheet.write(1, 1, "Zoznam").unwrap();
        for (column, header) in (1..).zip(["IČO", "Názov", "Platnosť do", "Suma v €", "Počet"])
        {
            sheet.write(3, column, header).unwrap();
        }
        let date = Format::new().set_num_format("dd.mm.yyyy");
        sheet.write(4, 1, 316_792).unwrap();
        sheet.write(4, 2, "Vzorová firma").unwrap();
        let day = ExcelDateTime::from_ymd(2027, 12, 31).unwrap();
        sheet.write_with_format(4, 3, &day, &date).unwrap();
        sheet.write(4, 4, 1_234.5).unwrap();
        sheet.write(4, 5, 12).unwrap();
    });
    let sheet = read(&bytes).unwrap();
    let rows: Vec<_> = sheet.rows().collect();
    assert_eq!(rows.len(), 1);
    let row = rows[0];
    assert_eq!(row.number(), 5);
    assert_eq!(row.ico("ico").unwrap().as_deref(), Some("00316792"));
    assert_eq!(row.date("valid_to").unwrap().as_deref(), Some("2027-12-31"));
    assert_eq!(row.amount("sum").unwrap().as_deref(), Some("1234.5"));
    assert_eq!(row.count("count").unwrap(), Some(12));
}

#[test]
fn other_table_fails_with_missing_columns() {
    let missing = expected(read("meno;suma\nA;1\n".as_bytes()).unwrap_err());
    assert_eq!(missing.0, "list: header");
    assert!(
        missing.1.contains("nazov") && missing.2.contains("ico"),
        "{missing:?}"
    );
    assert!(matches!(read(b" <html>"), Err(Failure::Unavailable(_))));
    for bytes in [
        b"".as_slice(),
        b"PK\x03\x04 and no more",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    ] {
        expected(read(bytes).unwrap_err());
    }
    let other = workbook(|sheet| drop(sheet.write(0, 0, "IČO")));
    assert!(expected(read(&other).unwrap_err()).2.contains("name"));
    let cut = expected(read("nazov;ico;suma\nA;00000019\n".as_bytes()).unwrap_err());
    assert_eq!(
        (cut.0.as_str(), cut.2.as_str()),
        ("list: row 2", "2 columns")
    );
}

#[test]
fn unexpected_cell_is_named_but_not_quoted() {
    let text = "nazov;ico;platnost do;suma;pocet\nTajná;x1;zajtra;veľa;1,5\n";
    let sheet = read(text.as_bytes()).unwrap();
    let row = sheet.rows().next().unwrap();
    for (failure, name) in [
        (row.ico("ico").unwrap_err(), "ico"),
        (row.date("valid_to").unwrap_err(), "valid_to"),
        (row.amount("sum").unwrap_err(), "sum"),
        (row.count("count").unwrap_err(), "count"),
    ] {
        let (what, _, found) = expected(failure);
        assert_eq!(what, format!("list: row 2: {name}"));
        assert!(found.starts_with("another text of "), "{found}");
    }
}

#[test]
fn two_columns_never_share_a_place() {
    let headers = [Headers::of(&["datum"]), Headers::of(&["datum"])];
    let columns: Vec<Column<'_>> = headers
        .iter()
        .map(|headers| Column {
            name: "date",
            headers,
            required: true,
        })
        .collect();
    assert!(Sheet::read("list", "datum\n1.1.2026\n".as_bytes(), &columns).is_err());
    assert!(
        Sheet::read(
            "list",
            "datum;datum zmeny\n1.1.2026;2.1.2026\n".as_bytes(),
            &columns
        )
        .is_ok()
    );
}
