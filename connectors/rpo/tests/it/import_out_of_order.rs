//! Imports from a bucket out of order: files and listings that are broken, gone or changed, records of no use.

use lustra_rpo::Rpo;
use lustra_sdk::testing::Answer;
use lustra_sdk::{Failure, Importer};

use crate::common::runs::{DATASET, batches, bucket, failure, ids};
use crate::common::{self, dump, ico, line, lines, listing, listing_path, packed};

#[test]
fn full_dump_deleted_while_reading_is_reported() {
    bucket().host().install();
    let changed =
        |failure: Failure| matches!(failure, Failure::Other((code, _)) if code == "list-changed");
    for cursor in [
        "history-3 init 2026-09-05 003 1000",
        "history-3 init 2026-11-07 007 0",
        "history-3 init 2026-11-07 002 500",
        "nonsense",
        "daily ../x 1",
    ] {
        assert!(changed(failure(Some(cursor))), "{cursor}");
    }
    // The older dump still exists, but not the days between it and the newer one.
    assert!(changed(failure(Some("history-3 init 2026-10-03 001 1"))));
    bucket()
        .without("batch-init/init_2026-11-07_001.json.gz")
        .host()
        .install();
    assert!(changed(failure(Some("history-3 init 2026-11-07 002 0"))));
}

#[test]
fn unusable_records_are_counted() {
    let mut day = lines(1, 2);
    day.insert(0, line(9_001, "Neuvedené", "Vzorový archív"));
    day.insert(2, line(9_002, &ico(9_990_002), " "));
    day.push(line(9_003, &ico(9_900_001), "Ten istý druhý raz, s. r. o."));
    bucket().daily("2026-11-10", &day).host().install();
    let batches = batches(Some("history-3 done daily 2026-11-09")).expect("an import");
    let notes: Vec<_> = batches[0]
        .notes
        .iter()
        .map(|note| (note.name.as_str(), note.value.as_str()))
        .collect();
    assert_eq!(
        notes,
        [("skipped-without-ico", "1"), ("skipped-without-name", "1")]
    );
    let companies = &batches[0].companies;
    assert_eq!(companies.len(), 3, "both records of one number are given");
    assert!(common::fact(&companies[2], "preference") > common::fact(&companies[0], "preference"));
}

#[test]
fn broken_file_fails() {
    let whole = dump("2026-11-10", &lines(1, 3));
    let cut = &whole[..whole.len() - 2];
    let mut broken = packed(&whole);
    broken.truncate(broken.len() / 2);
    let bodies: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"<html>\xc3\x9adr\xc5\xbeba</html>".to_vec(),
        whole.clone().into_bytes(),
        broken,
        packed(cut),
        packed(&whole[..60]),
        packed("<html></html>"),
        packed(""),
        packed(&format!("{whole}{whole}")),
    ];
    for body in bodies {
        let size = body.len();
        bucket()
            .file("batch-daily/actual_2026-11-10.json.gz", body)
            .host()
            .install();
        let mut run =
            Rpo::open(DATASET, Some("history-3 done daily 2026-11-09".to_owned())).expect("a run");
        for _ in 0..2 {
            let outcome = run.next();
            assert!(
                matches!(
                    outcome,
                    Err(Failure::Malformed(_) | Failure::Unavailable(_))
                ),
                "{size} bytes: {outcome:?}"
            );
        }
    }
}

#[test]
fn odd_records_are_skipped_and_counted() {
    let mut records = lines(1, 100);
    records[50] = "{".to_owned();
    bucket().daily("2026-11-10", &records).host().install();
    let mut run =
        Rpo::open(DATASET, Some("history-3 done daily 2026-11-09".to_owned())).expect("a run");
    let batch = run.next().expect("a batch").expect("a batch");
    assert_eq!(batch.companies.len(), 99);
    assert_eq!(batch.notes[0].name, "unreadable-records");
    for record in &mut records[..6] {
        "{".clone_into(record);
    }
    bucket().daily("2026-11-10", &records).host().install();
    let failed = failure(Some("history-3 done daily 2026-11-09"));
    assert!(matches!(failed, Failure::Malformed(drift) if drift.what.contains("odd rows")));
}

#[test]
fn failed_run_resumes_after_its_last_batch() {
    let key = "batch-daily/actual_2026-11-10.json.gz";
    let whole = dump("2026-11-10", &lines(1, 1_500));
    bucket()
        .file(key, packed(&whole[..whole.len() - 3]))
        .host()
        .install();
    let mut run =
        Rpo::open(DATASET, Some("history-3 done daily 2026-11-09".to_owned())).expect("a run");
    assert_eq!(
        run.next()
            .expect("a batch")
            .expect("a batch")
            .companies
            .len(),
        1_000
    );
    assert!(run.next().is_err());
    bucket()
        .daily("2026-11-10", &lines(1, 1_500))
        .host()
        .install();
    let rest = run.next().expect("a batch").expect("a batch");
    assert_eq!(
        rest.companies
            .first()
            .and_then(|company| company.register_id.as_deref()),
        Some("1001")
    );
    assert_eq!(rest.cursor, "history-3 done daily 2026-11-10");
}

#[test]
fn a_full_dump_without_records_is_malformed() {
    bucket().init("2026-12-05", &[vec![]]).host().install();
    assert!(matches!(failure(None), Failure::Malformed(_)));
}

#[test]
fn field_missing_in_all_records_is_drift() {
    let lines = lines(1, 150);
    for field in [
        "identifiers",
        "fullNames",
        "legalForms",
        "addresses",
        "sourceRegister",
    ] {
        let renamed: Vec<String> = lines
            .iter()
            .map(|line| line.replace(&format!("\"{field}\""), "\"renamed\""))
            .collect();
        bucket().daily("2026-11-10", &renamed).host().install();
        let drift = match failure(Some("history-3 done daily 2026-11-09")) {
            Failure::Malformed(drift) => Some(drift.expected),
            Failure::Unavailable(_)
            | Failure::Throttled(_)
            | Failure::Misconfigured(_)
            | Failure::Refused(_)
            | Failure::Other(_) => None,
        };
        assert_eq!(drift, Some(format!("/{field}")));
    }
}

#[test]
fn every_page_of_a_listing_is_read() {
    let page = |keys: &[&str], token: &str| {
        let rest = format!(
            "<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>"
        );
        Answer::ok(listing(keys).replace("<IsTruncated>false</IsTruncated>", &rest))
    };
    let path = listing_path("batch-daily/");
    let host = bucket()
        .daily("2026-11-10", &lines(5, 1))
        .host()
        .answer(
            "rpo-dumps",
            &path,
            page(&["batch-daily/actual_2026-11-09.json.gz"], "1/z="),
        )
        .answer(
            "rpo-dumps",
            &format!("{path}&continuation-token=1%2Fz%3D"),
            Answer::ok(listing(&["batch-daily/actual_2026-11-10.json.gz"])),
        );
    host.clone().install();
    assert_eq!(
        ids(Some("history-3 done daily 2026-11-09"))
            .expect("an import")
            .0,
        ["5"]
    );
    host.answer(
        "rpo-dumps",
        &format!("{path}&continuation-token=1%2Fz%3D"),
        page(&[], "1/z="),
    )
    .install();
    assert!(
        matches!(
            failure(Some("history-3 done daily 2026-11-09")),
            Failure::Malformed(_)
        ),
        "pages without end"
    );
}

#[test]
fn broken_listing_fails() {
    for body in [
        "",
        "<html>Údržba</html>",
        "garbage",
        "<ListBucketResult><Contents><Key>batch-daily/actual_2026",
    ] {
        bucket()
            .host()
            .answer("rpo-dumps", &listing_path("batch-daily/"), Answer::ok(body))
            .install();
        assert!(
            matches!(
                failure(None),
                Failure::Malformed(_) | Failure::Unavailable(_)
            ),
            "{body}"
        );
    }
    let none = Answer::ok(listing(&[]));
    bucket()
        .host()
        .answer("rpo-dumps", &listing_path("batch-daily/"), none.clone())
        .install();
    assert!(
        matches!(
            failure(Some("history-3 done daily 2026-11-09")),
            Failure::Malformed(_)
        ),
        "the days are gone"
    );
    bucket()
        .host()
        .answer("rpo-dumps", &listing_path("batch-init/"), none)
        .install();
    assert!(matches!(failure(None), Failure::Malformed(_)));
    bucket()
        .host()
        .answer(
            "rpo-dumps",
            "/batch-daily/actual_2026-11-09.json.gz",
            Answer::status(503, ""),
        )
        .install();
    assert!(matches!(
        failure(Some("history-3 done daily 2026-11-08")),
        Failure::Unavailable(_)
    ));
}

#[test]
fn another_dataset_is_not_offered() {
    assert!(matches!(Rpo::open("owners", None), Err(Failure::Other(_))));
}
