use super::*;

fn numbers() -> Numbers<'static> {
    let of_rows = vec!["99999994", "99999986"];
    let all = [of_rows.as_slice(), &["99999978"]].concat();
    Numbers { all, of_rows }
}

/// The text with one odd row of the second company.
fn odd(body: &[u8], damage: Damage) -> Option<String> {
    let damaged = damaged(body, &numbers(), damage)?;
    assert_eq!(damaged.ico.as_deref(), Some("99999986"));
    Some(String::from_utf8_lossy(&damaged.body).into_owned())
}

#[track_caller]
fn check(body: &str, expected: [Option<&str>; 5]) {
    let all = Damage::ALL.into_iter().chain([Damage::Removal]);
    for (damage, expected) in all.zip(expected) {
        assert_eq!(
            odd(body.as_bytes(), damage).as_deref(),
            expected,
            "{damage}"
        );
    }
}

#[test]
fn item_of_json_list_is_damaged() {
    check(
        r#"{"n":[1,2],"rows":[{"ico":"99999994"},{"day":"2026-01-05","ico":"99999986"}]}"#,
        [
            Some(
                r#"{"n":[1,2],"rows":[{"ico":"99999994"},{"day":"2026-01-05","ico":"99x99986"}]}"#,
            ),
            Some(
                r#"{"n":[1,2],"rows":[{"ico":"99999994"},{"day":"2026-99-05","ico":"99999986"}]}"#,
            ),
            Some(r#"{"n":[1,2],"rows":[{"ico":"99999994"},7]}"#),
            Some(r#"{"n":[1,2],"rows":[{"ico":"99999994"},{}]}"#),
            Some(r#"{"n":[1,2],"rows":[{"ico":"99999994"}]}"#),
        ],
    );
    let lines =
        "{\"results\": [\n{\"cin\": 99999994},\n{\"cin\": 99999986} ,\n{\"a\": \"[\\\"\"}\n]}";
    let odd_line = lines.replace("99999986", "\"99x99986\"");
    assert_eq!(odd(lines.as_bytes(), Damage::Number), Some(odd_line));
    let without = lines.replace("{\"cin\": 99999986} ,\n", "");
    assert_eq!(odd(lines.as_bytes(), Damage::Removal), Some(without));
}

#[test]
fn line_of_table_is_damaged() {
    check(
        "ico;day;debt\n99999994;1.2.2026;1\r\n99999986;1.2.2026;2\r\n1;;1",
        [
            Some("ico;day;debt\n99999994;1.2.2026;1\r\n99x99986;1.2.2026;2\r\n1;;1"),
            Some("ico;day;debt\n99999994;1.2.2026;1\r\n99999986;1.99.2026;2\r\n1;;1"),
            Some("ico;day;debt\n99999994;1.2.2026;1\r\n99999986;1.2.2026;2;x\r\n1;;1"),
            Some("ico;day;debt\n99999994;1.2.2026;1\r\n99999986;1.2.2026\r\n1;;1"),
            Some("ico;day;debt\n99999994;1.2.2026;1\r\n1;;1"),
        ],
    );
}

#[test]
fn separator_or_newline_within_quotes_is_text() {
    let cell = |row: &str| {
        let body = format!("\"name\",\"ico\",\"debt\"\n{row}\n");
        odd(body.as_bytes(), Damage::Cell)
    };
    let without = cell("\"A, s.r.o.\",\"99999986\",\"2,50\"").unwrap_or_default();
    assert!(
        without.ends_with("\n\"A, s.r.o.\",\"99999986\"\n"),
        "{without}"
    );
    assert_eq!(cell("\"A\",\"99999986\",\"2\n,50\""), None);
}

#[test]
fn element_of_list_is_damaged() {
    check(
        "<?xml?><l><r><i>99999994</i></r> <r k='1'><i>99999986</i><br/><d>1</d></r></l>",
        [
            Some("<?xml?><l><r><i>99999994</i></r> <r k='1'><i>99x99986</i><br/><d>1</d></r></l>"),
            None,
            Some("<?xml?><l><r><i>99999994</i></r> <r k='1'>7</r></l>"),
            Some("<?xml?><l><r><i>99999994</i></r> <r k='1'><i>99999986</i><br/></r></l>"),
            Some("<?xml?><l><r><i>99999994</i></r> </l>"),
        ],
    );
    // The outermost element without another company is the row, not the cell or the table.
    let page =
        b"<html><div>1</div><div><tr><td>99999994</td></tr><tr><td>2</td><td>99999986</td></tr>\
        <tr><td>99999978</td></tr></div></html>";
    let expected = "<html><div>1</div><div><tr><td>99999994</td></tr><tr><td>2</td>\
        <td>99999986</td><td>99999986</td></tr>\
        <tr><td>99999978</td></tr></div></html>";
    assert_eq!(odd(page, Damage::Form).as_deref(), Some(expected));
    let cell = "<html><div>1</div><div><tr><td>99999994</td></tr><tr><td>2</td></tr>\
        <tr><td>99999978</td></tr></div></html>";
    assert_eq!(odd(page, Damage::Cell).as_deref(), Some(cell));
    let without_numbers = b"<html><ul><li>a</li><li>b</li><li>c</li></ul></html>";
    assert_eq!(damaged(without_numbers, &numbers(), Damage::Form), None);
    for no_list in ["<a><i>99999986</i></a>", "<a>99999986", "<p>none</p>", ""] {
        assert_eq!(damaged(no_list.as_bytes(), &numbers(), Damage::Form), None);
    }
}

#[test]
fn packed_answer_stays_packed() {
    let rows = br#"[{"ico":"99999994"},{"ico":"99999986"}]"#.to_vec();
    let expected = br#"[{"ico":"99999994"},7]"#;
    let zip = zipped(&[("a.json".to_owned(), rows.clone())]).expect("it packs");
    let zip = damaged(&zip, &numbers(), Damage::Form).expect("it has a list");
    assert_eq!(unzipped(&zip.body).expect("it unpacks")[0].1, expected);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&rows).expect("it packs");
    let gzip = gzip.finish().expect("it packs");
    let gzip = damaged(&gzip, &numbers(), Damage::Form).expect("it has a list");
    let mut text = Vec::new();
    let mut unpacked = GzDecoder::new(gzip.body.as_slice());
    unpacked.read_to_end(&mut text).expect("it unpacks");
    assert_eq!(text, expected);
}
