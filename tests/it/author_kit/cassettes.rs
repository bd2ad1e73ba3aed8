//! Recording and replaying calls.

use lustra_tests::guests;

use super::{Author, change, kit};

#[tokio::test(flavor = "multi_thread")]
async fn call_is_recorded_replayed_and_blessed() {
    let author = Author::new().await;
    author.record_orsr("99999994", "one.toml").await;
    let file = author.folder.path().join("one.toml");
    let text = std::fs::read_to_string(&file).expect("it was recorded");
    assert!(
        text.contains("Čučoriedka"),
        "pages in windows-1250 are readable: {text}"
    );
    assert!(
        author
            .test("orsr", &[])
            .await
            .printed()
            .contains("passed   one.toml")
    );
    // The cassette expects something other than the connector returns.
    change(
        &file,
        "\"court\": \"Okresný súd Trnava\"",
        "\"court\": \"Okresný súd Žilina\"",
    );
    let said = author.test("orsr", &[]).await.failed();
    for line in [
        "FAILED   one.toml",
        "-     \"court\": \"Okresný súd Žilina\"",
        "+     \"court\": \"Okresný súd Trnava\"",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert!(
        author
            .test("orsr", &["--bless"])
            .await
            .printed()
            .contains("blessed")
    );
    assert!(author.test("orsr", &[]).await.printed().contains("passed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn good_cassette_is_replaced_only_on_request() {
    let author = Author::new().await;
    author.record_orsr("99999994", "one.toml").await;
    let file = author.folder.path().join("one.toml");
    let recorded = std::fs::read_to_string(&file).expect("it was recorded");
    let component = Author::component("orsr");
    let works = author.upstream("orsr", "orsr");
    let record = async |upstream: &str, name: &str, more: &[&str]| {
        let cassette = author.folder.path().join(name).display().to_string();
        let arguments = [
            "record",
            &component,
            "--ico",
            "99999994",
            "--upstream",
            upstream,
        ];
        kit(&[&arguments[..], &["--cassette", &cassette], more].concat()).await
    };
    let unchanged = || std::fs::read_to_string(&file).is_ok_and(|text| text == recorded);
    let said = record(&works, "one.toml", &[]).await.failed();
    assert!(
        said.contains("one.toml exists; --force replaces it"),
        "{said}"
    );
    assert!(unchanged());
    // Nothing listens at the port 1.
    let broken = "orsr=http://127.0.0.1:1";
    for (name, more) in [("one.toml", &["--force"][..]), ("two.toml", &[][..])] {
        let said = record(broken, name, more).await.failed();
        assert!(said.contains("no cassette was written"), "{said}");
        assert!(said.contains("--failure records"), "{said}");
    }
    assert!(unchanged() && !author.folder.path().join("two.toml").exists());
    record(broken, "two.toml", &["--failure"]).await.printed();
    record(&works, "one.toml", &["--force"]).await.printed();
    author.test("orsr", &[]).await.printed();
}

#[tokio::test(flavor = "multi_thread")]
async fn unrecorded_and_unused_requests_are_named() {
    let author = Author::new().await;
    author.record_orsr("99999994", "one.toml").await;
    let file = author.folder.path().join("one.toml");
    change(
        &file,
        "path = \"/vypis.asp?ID=1000&SID=7&P=1\"",
        "path = \"/vypis.asp?ID=1000&SID=7&P=9\"",
    );
    let said = author.test("orsr", &[]).await.failed();
    assert!(
        said.contains("not recorded: GET orsr /vypis.asp?ID=1000&SID=7&P=1; the nearest is GET orsr /vypis.asp?ID=1000&SID=7&P=9"),
        "{said}"
    );
    assert!(
        said.contains("recorded but not requested: GET orsr /vypis.asp?ID=1000&SID=7&P=9"),
        "{said}"
    );
    let said = author.test("orsr", &["--bless"]).await.failed();
    assert!(said.contains("record the missing requests first"), "{said}");
    // The error names the place of a mistake in the file.
    change(&file, "charset = \"windows-1250\"", "charset = \"klingon\"");
    let said = author.test("orsr", &[]).await.failed();
    assert!(
        said.contains("one.toml: exchange 1: charset: there is no charset klingon"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cassette_without_secrets_still_replays() {
    let author = Author::new().await;
    let component = Author::component("tax-authority");
    let cassette = author.folder.path().join("tax.toml").display().to_string();
    let upstreams = ["fs-reports", "fs-api", "vies"].map(|name| author.upstream(name, name));
    let mut arguments = vec!["record", &component, "--ico", "99999994", "--scope", "tax"];
    arguments.extend(
        upstreams
            .iter()
            .flat_map(|upstream| ["--upstream", upstream]),
    );
    arguments.extend(["--setting", "api_key=demo-key", "--import", "reliability"]);
    arguments.extend(["--name", "Vzorostav", "--cassette", &cassette, "--json"]);
    let recorded = kit(&arguments).await;
    let objects = recorded.objects();
    recorded.printed();
    // The search key of the list, the row, and VIES.
    assert_eq!(objects[0]["requests"], 3, "{objects:?}");
    assert_eq!(objects[0]["secret"][0], "api_key");
    let text = std::fs::read_to_string(&cassette).expect("it was recorded");
    assert!(
        !text.contains("demo-key") && text.contains("***api_key***"),
        "{text}"
    );
    assert!(
        author
            .test("tax-authority", &[])
            .await
            .printed()
            .contains("passed")
    );
    let tested = author.test("tax-authority", &["--fault", "--json"]).await;
    let faults = tested.objects();
    tested.printed();
    assert!(faults.len() > 30, "{faults:?}");
    assert!(faults.iter().any(|fault| fault["made"] == "unread"));
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_cassette_shows_what_the_guest_logged() {
    let guests = tokio::task::spawn_blocking(guests)
        .await
        .expect("they build");
    let component = guests.join("guest-crash.wasm").display().to_string();
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let cassette = "format = 1\nconnector = \"guest-crash\"\nversion = \"0.1.0\"\n\
        now = \"2026-01-15T08:00:00Z\"\n[call]\nkind = \"enrich\"\nscope = \"crash_panic\"\n\
        [call.subject]\nico = \"99999994\"\nname = \"Vzor\"\n\
        [expected]\ngave = '{ \"section\": { \"fine\": true }, \"unread\": {} }'\n";
    std::fs::write(folder.path().join("panic.toml"), cassette).expect("the folder is ours");
    let cassettes = folder.path().display().to_string();
    let words = "the author did not think of this company";
    for command in ["test", "check"] {
        let said = kit(&[command, &component, "--cassettes", &cassettes])
            .await
            .failed();
        assert!(said.contains(words), "{command}: {said}");
    }
}
