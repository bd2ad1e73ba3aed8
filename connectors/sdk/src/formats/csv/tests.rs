use super::*;

#[test]
fn table_read_byte_by_byte_is_the_same() {
    let columns = [Column {
        names: &["b"],
        required: true,
    }];
    let bytes = std::io::BufReader::with_capacity(1, "\u{feff}a;b\n\n1;2\n".as_bytes());
    let mut table = Table::open("list", bytes, &columns).expect("it has the column");
    assert_eq!(table.next_row().expect("a row"), Some(vec!["2".to_owned()]));
    assert_eq!(table.next_row().expect("the end"), None);
}

#[test]
fn many_empty_lines_are_passed_over() {
    let text = format!("a\n{}1\n", " \n".repeat(100_000));
    let columns = [Column {
        names: &["a"],
        required: true,
    }];
    let mut table = of_text("list", &text, &columns).expect("it has the column");
    assert_eq!(table.next_row().expect("a row"), Some(vec!["1".to_owned()]));
}

const COLUMNS: [Column; 3] = [
    Column {
        names: &["nazov", "meno"],
        required: true,
    },
    Column {
        names: &["ico"],
        required: true,
    },
    Column {
        names: &["suma"],
        required: false,
    },
];

#[test]
fn columns_are_found_in_any_order() {
    let text = "\u{feff}\"DLŽNÁ SUMA\",\"IČO\",\"MENO / NÁZOV\"\n\"1,5\",\"00000019\",\"Vzorová\nfirma\"\n";
    let mut table = of_text("list", text, &COLUMNS).expect("the header fits");
    let row = table
        .next_row()
        .expect("the row fits")
        .expect("there is one");
    assert_eq!(row, ["Vzorová\nfirma", "00000019", "1,5"]);
    assert!(table.next_row().expect("the end").is_none());
}

#[test]
fn missing_required_column_is_malformed() {
    let failure = of_text("list", "nazov;suma\nA;1\n", &COLUMNS).err();
    assert!(matches!(failure, Some(Failure::Malformed(drift)) if drift.expected.contains("ico")));
}

#[test]
fn a_page_of_html_is_no_table() {
    assert!(matches!(
        of_text("list", "<html>", &COLUMNS).err(),
        Some(Failure::Unavailable(_))
    ));
}

#[test]
fn a_row_cut_short_is_malformed() {
    let mut table = of_text("list", "nazov;ico;suma\nA;1\n", &COLUMNS).expect("the header fits");
    assert!(matches!(table.next_row(), Err(Failure::Malformed(_))));
}

#[test]
fn odd_rows_are_skipped_and_counted() {
    let text = b"nazov;ico;suma\nA;1\nB;2;3;4\nC\xff;3;5\nD;4;6\nE;5".to_vec();
    let whole = [text.as_slice(), b";7"].concat();
    for (bytes, is_whole) in [(whole, true), (text, false)] {
        let bytes = std::io::BufReader::with_capacity(3, bytes.as_slice());
        let mut table = Table::open("list", bytes, &COLUMNS).expect("the header fits");
        let mut notes = Notes::default();
        let row = table.next_readable(&mut notes).expect("the row fits");
        assert_eq!(row, Some(vec!["D".into(), "4".into(), "6".into()]));
        let last = table.next_readable(&mut notes);
        if is_whole {
            assert_eq!(last.expect("it is whole").expect("a row")[0], "E");
            assert_eq!(table.next_readable(&mut notes).expect("the end"), None);
            assert_eq!((notes.rows(), notes.odd_rows()), (5, 3));
        } else {
            assert!(matches!(last, Err(Failure::Malformed(_))), "cut short");
        }
        assert_eq!(notes.of(Notes::OTHER_WIDTH), 2);
        assert_eq!(notes.of(Notes::UNREADABLE_BYTES), 1);
    }
}

#[test]
fn list_with_unclosed_quote_is_malformed() {
    for text in [
        "nazov;ico;suma\nA;1;2\n\"B;2;3\nC;3;4\n",
        "nazov;ico;suma\nA;1;2\nB;2;\"3\nC;3;4\n",
        "nazov;ico;\"suma\nA;1;2\n",
    ] {
        let mut notes = Notes::default();
        let mut tolerant = of_text("list", text, &COLUMNS).expect("the header fits");
        while let Ok(Some(_)) = tolerant.next_readable(&mut notes) {}
        let mut strict = of_text("list", text, &COLUMNS).expect("the header fits");
        while let Ok(Some(_)) = strict.next_row() {}
        for end in [
            tolerant.next_readable(&mut notes).map(|_| ()),
            strict.next_row().map(|_| ()),
        ] {
            let Err(Failure::Malformed(drift)) = end else {
                panic!("{text:?}: {end:?}");
            };
            assert!(drift.found.contains("ends within a row"), "{text:?}");
        }
    }
}

#[test]
fn joined_rows_are_each_counted_as_odd() {
    let text = "nazov;ico;suma\nA;1;2\n\"B;2;3\nC;3;4\n\"D\";4;5\n\"E;\n1\";5;6\n";
    let mut table = of_text("list", text, &COLUMNS).expect("the header fits");
    let mut notes = Notes::default();
    let mut names = Vec::new();
    while let Some(row) = table.next_readable(&mut notes).expect("the list is whole") {
        names.push(row[0].clone());
    }
    assert_eq!(names, ["A", "E;\n1"]);
    assert_eq!((notes.rows(), notes.odd_rows()), (5, 3));
}

#[test]
fn short_row_at_the_end_of_a_whole_list_is_odd() {
    let mut table =
        of_text("list", "nazov;ico;suma\nA;1;2\nSpolu;1\n", &COLUMNS).expect("the header fits");
    let mut notes = Notes::default();
    assert!(table.next_readable(&mut notes).expect("a row").is_some());
    assert!(table.next_readable(&mut notes).expect("the end").is_none());
    assert_eq!(notes.of(Notes::OTHER_WIDTH), 1);
}
