//! The conformance suite.

use lustra_tests::guests;
use serde_json::{Value, json};

use super::{Author, kit};

#[tokio::test(flavor = "multi_thread")]
async fn suite_numbers_findings_and_skips_unjudgeable_checks() {
    let author = Author::new().await;
    author.record_orsr("99999994", "one.toml").await;
    let (component, folder) = (Author::component("orsr"), author.folder());
    let checked = kit(&["check", &component, "--cassettes", &folder, "--json"]).await;
    let found = checked.objects();
    checked.printed();
    let numbers: Vec<u64> = found
        .iter()
        .filter_map(|check| check["number"].as_u64())
        .collect();
    assert_eq!(numbers, (1..=25).collect::<Vec<_>>());
    assert_eq!(found[4]["result"], "skipped");
    assert!(
        found[4]["why"]
            .as_str()
            .is_some_and(|why| why.contains("register-id")),
        "{found:?}"
    );
    assert_eq!(
        (&found[5]["result"], &found[16]["result"]),
        (&"passed".into(), &"skipped".into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn misbehaving_connector_fails_the_suite() {
    let guests = tokio::task::spawn_blocking(guests)
        .await
        .expect("they build");
    let component = guests.join("guest-answers.wasm").display().to_string();
    let said = kit(&["check", &component]).await.failed();
    assert!(
        said.contains("10 FAILED   hostile keys are handled"),
        "{said}"
    );
    assert!(said.contains("limit result too large"), "{said}");
    assert!(said.contains(" 6 skipped "), "{said}");
}

/// A recorded import of the three companies of a list.
fn rows_cassette(dataset: &str) -> String {
    let icos = ["99999978", "99999986", "99999994"];
    let rows: Vec<Value> = icos.iter().map(|ico| json!({ "ico": ico })).collect();
    let record = |ico: &&str| {
        json!({
            "key": ico, "ico": ico, "name": null, "city": null, "postal_code": null, "content": {}, "removed": false,
        })
    };
    let records: Vec<Value> = icos.iter().map(record).collect();
    let gave = json!({
        "list_date": null, "records": records, "companies": [], "notes": {}, "cursors": [],
    });
    format!(
        "format = 1\nconnector = \"guest-rows\"\nversion = \"0.1.0\"\nnow = \"2026-01-15T08:00:00Z\"\n\
         [call]\nkind = \"import\"\ndataset = \"{dataset}\"\n\
         [[exchange]]\nmethod = \"GET\"\nupstream = \"register\"\npath = \"/rows\"\nstatus = 200\n\
         headers = []\nbody = '{}'\n[expected]\ngave = '{gave}'\n",
        Value::from(rows)
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn list_lost_for_one_odd_row_fails_the_suite() {
    let guests = tokio::task::spawn_blocking(guests)
        .await
        .expect("they build");
    let component = guests.join("guest-rows.wasm").display().to_string();
    for (dataset, expected) in [
        ("rows-refused", Some("the whole list is refused")),
        (
            "rows-dropped",
            Some("the odd row is neither kept nor counted"),
        ),
        ("rows-counted", None),
    ] {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        std::fs::write(folder.path().join("rows.toml"), rows_cassette(dataset))
            .expect("the folder is ours");
        let cassettes = folder.path().display().to_string();
        let checked = kit(&["check", &component, "--cassettes", &cassettes, "--json"]).await;
        let found = checked.objects();
        let check = found.get(23).expect("there are checks");
        let result = if expected.is_some() {
            "failed"
        } else {
            "passed"
        };
        assert_eq!(
            (&check["number"], &check["result"]),
            (&24.into(), &result.into()),
            "{check}"
        );
        let mistakes = check["mistakes"].as_array().map_or(&[][..], Vec::as_slice);
        for mistake in mistakes {
            let why = mistake["why"].as_str().unwrap_or_default();
            assert!(
                expected.is_some_and(|expected| why.contains(expected)),
                "{check}"
            );
        }
    }
}
