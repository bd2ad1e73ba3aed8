//! Whole runs of the import.

use lustra_commercial_bulletin::feed::UPSTREAM;
use lustra_commercial_bulletin::{CommercialBulletin, record};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Failure, Importer, records};

use super::world::{
    ICO, NOTICES, OTHER, batches, behind, entry, first, host, kept, keys, noted, page, pages, path,
    read_so_far, row, stamp,
};

/// 1,250 rows in pages of 100. Groups of three share a time. They name three companies and no company in turn.
fn many() -> Vec<Vec<Value>> {
    let icos = [ICO, OTHER, "", "00 000 124"];
    let rows: Vec<Value> = (0..1_250_u64)
        .map(|id| row(id, id / 3, icos[usize::try_from(id % 4).unwrap()]))
        .collect();
    rows.chunks(100).map(<[Value]>::to_vec).collect()
}

#[test]
fn all_pages_are_read_in_larger_batches() {
    pages(host(), NOTICES, &many()).install();
    let batches = batches(NOTICES, None).unwrap();
    assert_eq!(batches.len(), 3);
    // Three of four rows name a company.
    assert_eq!(keys(&batches).len(), 938);
    assert_eq!(noted(&batches, "without_company"), 312);
    assert_eq!(TestHost::requests().len(), 14, "13 pages and an empty one");
    let read = &kept(&batches)[record::READ_SO_FAR].1;
    let expected = json!({"since": "2016-01-01", "until": "2025-06-05", "is_at_end": true});
    assert_eq!(read, &expected);
    assert_eq!(batches[2].list_date.as_deref(), Some("2025-06-05"));
}

#[test]
fn resumed_run_equals_an_uninterrupted_one() {
    pages(host(), NOTICES, &many()).install();
    let whole = batches(NOTICES, None).unwrap();
    for number in 0..whole.len() {
        let rest = batches(NOTICES, Some(&whole[number].cursor)).unwrap();
        assert_eq!(rest.len(), whole.len() - number - 1);
        let mut together = kept(&whole[..=number]);
        together.extend(kept(&rest));
        assert_eq!(together, kept(&whole), "behind batch {number}");
    }
}

#[test]
fn lost_link_does_not_truncate_the_list() {
    let rows: Vec<Value> = (0..4).map(|id| row(id, id, ICO)).collect();
    let (one, two) = rows.split_at(2);
    host()
        .answer(UPSTREAM, &first(NOTICES), page(NOTICES, one, false))
        .answer(UPSTREAM, &behind(NOTICES, one), page(NOTICES, two, false))
        .answer(UPSTREAM, &behind(NOTICES, two), Answer::ok("[]"))
        .install();
    assert_eq!(keys(&batches(NOTICES, None).unwrap()).len(), 4);
}

#[test]
fn repeated_last_row_means_the_end() {
    let rows = [row(1, 1, ICO)];
    host()
        .answer(UPSTREAM, &first(NOTICES), page(NOTICES, &rows, false))
        .answer(
            UPSTREAM,
            &behind(NOTICES, &rows),
            page(NOTICES, &rows, false),
        )
        .install();
    assert_eq!(keys(&batches(NOTICES, None).unwrap()), ["1/99999994"]);
}

#[test]
fn empty_answer_fails_only_the_first_run() {
    host()
        .answer(UPSTREAM, &first(NOTICES), Answer::ok("[]"))
        .install();
    assert!(matches!(batches(NOTICES, None), Err(Failure::Malformed(_))));
    let rows = vec![vec![row(1, 1, ICO)]];
    pages(host(), NOTICES, &rows).install();
    let cursor = batches(NOTICES, None).unwrap().pop().unwrap().cursor;
    assert_eq!(batches(NOTICES, Some(&cursor)).unwrap().len(), 0);
    for broken in ["", "null", "{}", "<html></html>", "[null]"] {
        host()
            .answer(UPSTREAM, &behind(NOTICES, &rows[0]), Answer::ok(broken))
            .install();
        assert!(batches(NOTICES, Some(&cursor)).is_err(), "{broken}");
    }
}

#[test]
fn row_without_position_is_only_counted() {
    let rows = [row(1, 1, ICO), row(2, 2, OTHER), row(3, 3, ICO)];
    let mut unreadable_time = row(9, 2, ICO);
    unreadable_time["updated_at"] = json!("teraz");
    for (odd, of_row) in [
        (json!(7), None),
        (json!({}), None),
        (unreadable_time, Some("9/")),
    ] {
        for place in 0..=rows.len() {
            let mut page = rows.to_vec();
            page.insert(place, odd.clone());
            // The mirror repeats the rows after the last position.
            let rest = page.get(rows.len()..).filter(|_| place == rows.len());
            let rest = Value::from(rest.unwrap_or_default());
            host()
                .answer(
                    UPSTREAM,
                    &first(NOTICES),
                    Answer::ok(Value::from(page).to_string()),
                )
                .answer(
                    UPSTREAM,
                    &behind(NOTICES, &rows),
                    Answer::ok(rest.to_string()),
                )
                .install();
            let run = batches(NOTICES, None).unwrap();
            let mut expected = vec!["1/99999994", "2/99999986", "3/99999994"];
            expected.extend(of_row);
            assert_eq!(keys(&run), expected, "{odd} at {place}");
            assert_eq!(noted(&run, "odd_rows"), 1, "{odd} at {place}");
        }
    }
}

#[test]
fn error_does_not_end_the_list() {
    let rows = [row(1, 1, ICO)];
    for (answer, is_right) in [
        (
            Answer::status(404, "gone"),
            (|f| matches!(f, Failure::Unavailable(_))) as fn(&Failure) -> bool,
        ),
        (Answer::status(500, ""), |f| {
            matches!(f, Failure::Unavailable(_))
        }),
        (
            Answer::status(429, "").with_header("retry-after", "30"),
            |f| matches!(f, Failure::Throttled(Some(30))),
        ),
        (Answer::ok("<!DOCTYPE html><p>Údržba</p>"), |f| {
            matches!(f, Failure::Unavailable(_))
        }),
        (Answer::ok("[{\"id\":1,"), |f| {
            matches!(f, Failure::Malformed(_))
        }),
    ] {
        host()
            .answer(UPSTREAM, &first(NOTICES), page(NOTICES, &rows, true))
            .answer(UPSTREAM, &behind(NOTICES, &rows), answer.clone())
            .install();
        let failure = batches(NOTICES, None).unwrap_err();
        assert!(is_right(&failure), "{answer:?}: {failure:?}");
    }
}

#[test]
fn link_without_progress_fails() {
    let rows = [row(1, 1, ICO)];
    let linked = |to: &str, rows: &[Value]| {
        page(NOTICES, rows, false)
            .with_header("link", &format!("<https://mirror.example{to}>; rel='next'"))
    };
    for answer in [
        linked("/elsewhere?since=2025-06-05&last_id=1", &rows),
        linked(&path(NOTICES, &stamp(1), Some(7)), &rows),
        linked(&path(NOTICES, &stamp(1), Some(1)), &[]),
    ] {
        host().answer(UPSTREAM, &first(NOTICES), answer).install();
        assert!(matches!(batches(NOTICES, None), Err(Failure::Malformed(_))));
    }
    // The page after the first row links to itself.
    host()
        .answer(UPSTREAM, &first(NOTICES), page(NOTICES, &rows, true))
        .answer(
            UPSTREAM,
            &behind(NOTICES, &rows),
            linked(&behind(NOTICES, &rows), &rows),
        )
        .install();
    assert!(matches!(batches(NOTICES, None), Err(Failure::Malformed(_))));
}

#[test]
fn row_no_longer_naming_a_company_removes_record() {
    let mut updated = row(7, 9, OTHER);
    updated["created_at"] = json!(stamp(1));
    let stored = vec![
        entry(7, ICO, "2025-06-05", "OV_LIKVIDATOR"),
        entry(70, ICO, "2025-06-05", "OV_LIKVIDATOR"),
        records::item(record::prefix(7), None, &json!({})).unwrap(),
        read_so_far(Some("2025-06-05"), true),
    ];
    let with = |rows: &[Value]| {
        let host = host().dataset(NOTICES, "2025-06-05T06:00:00Z", None, stored.clone());
        pages(host, NOTICES, &[rows.to_vec()]).install();
        let run = batches(NOTICES, None).unwrap();
        let removed = run[0].items.iter().filter(|item| item.removed);
        removed.map(|item| item.key.clone()).collect::<Vec<_>>()
    };
    assert_eq!(with(std::slice::from_ref(&updated)), ["7/", "7/99999994"]);
    // It may come again on the next page.
    assert_eq!(with(&[row(8, 1, ICO), row(8, 2, OTHER)]), ["8/99999994"]);
    let mut broken = updated.clone();
    broken["content"] = json!("<KonkurzARestrukt>");
    assert_eq!(with(&[broken]), [] as [&str; 0], "who knows what it says");
    updated["created_at"] = updated["updated_at"].clone();
    assert_eq!(with(&[updated]), [] as [&str; 0], "it was never changed");
}

#[test]
fn notices_all_unreadable_are_malformed() {
    let broken = |id: u64| {
        let mut row = row(id, id, ICO);
        row["content"] = json!("{\"json\": true}");
        row
    };
    let rows: Vec<Value> = (0..100).map(broken).collect();
    pages(host(), NOTICES, std::slice::from_ref(&rows)).install();
    assert!(matches!(batches(NOTICES, None), Err(Failure::Malformed(_))));
    let mut one_is_right = rows;
    one_is_right.push(row(200, 200, ICO));
    pages(host(), NOTICES, &[one_is_right]).install();
    let batches = batches(NOTICES, None).unwrap();
    assert_eq!(noted(&batches, "unreadable"), 100);
    assert_eq!(keys(&batches).len(), 101, "each is kept");
}

#[test]
fn run_stops_at_its_cursor_after_its_time() {
    let host = pages(host(), NOTICES, &many()).setting("minutes_of_a_run", &json!(0));
    host.install();
    assert_eq!(batches(NOTICES, None).unwrap().len(), 0, "no time at all");
}

#[test]
fn unknown_cursor_or_dataset_fails() {
    let failed = |dataset: &str, cursor: Option<&str>| {
        host().install();
        CommercialBulletin::open(dataset, cursor.map(str::to_owned)).err()
    };
    for cursor in ["", "12", "{\"since\":\"2025-06-05\"}"] {
        assert!(
            matches!(failed(NOTICES, Some(cursor)), Some(Failure::Other((code, _))) if code == "list-changed")
        );
    }
    assert!(
        matches!(failed("issues", None), Some(Failure::Other((code, _))) if code == "not-offered")
    );
}
