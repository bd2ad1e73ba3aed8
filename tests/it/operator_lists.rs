//! Lists that operators send on the pages: check, use, put back.

use std::path::{Path, PathBuf};

use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::operator::HEADER;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::{Builder, DatabaseKind, World};

use crate::account_support::Visitor;
use crate::faults_support::on_each_kind;
use crate::workers::until;

pub const FORM: &str = "/sources/security-licences/lists/licences";
const SOURCE: &str = "/sources/security-licences";

fn list(rows: &[(&str, &str)]) -> Vec<u8> {
    let mut text = "IČO;Číslo licencie;Platnosť do;Stav\n".to_owned();
    for (ico, until) in rows {
        text.push_str(&format!("{ico};PS {ico};{until};platná\n"));
    }
    text.into_bytes()
}

/// Ten companies with licences until a day.
pub fn rows(until: &str) -> Vec<(String, String)> {
    let icos = (0..10).map(|number| format!("5000000{number}"));
    icos.map(|ico| (ico, until.to_owned())).collect()
}

pub fn list_of(rows: &[(String, String)]) -> Vec<u8> {
    let rows: Vec<(&str, &str)> = rows
        .iter()
        .map(|(ico, until)| (ico.as_str(), until.as_str()))
        .collect();
    list(&rows)
}

/// A world whose connector reads its list from a file of the world's folder.
pub fn with_file(kind: DatabaseKind) -> Builder {
    let world = World::new().on(kind).companies(12).nothing_imported();
    let world = world.connectors(&["employers", "rpo", "security-licences"]);
    world.without_index().settings(|config| {
        let file = path(&config.data);
        let address = format!("file:{}", file.display());
        let own = config.connector.get_mut("security-licences");
        let own = own.expect("the world has it");
        own.grants.push(address.clone());
        let upstream = own.upstreams.get_mut("list").expect("the demo sets it");
        upstream.address = Some(address);
        let other = config.connector.get_mut("employers");
        let other = other.expect("the world has it");
        other.upstreams.clear();
        other.datasets.clear();
        config.operator.upload_mib = 1;
    })
}

fn path(data: &Path) -> PathBuf {
    data.join("lists/own.csv")
}

fn file(world: &World) -> PathBuf {
    path(&world.config().data)
}

/// Sends a file and waits for the result of its check. Returns the page.
pub async fn sent(visitor: &Visitor, list: &[u8]) -> String {
    let answer = visitor.upload(FORM, &[], list).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    settled(visitor).await
}

/// The page when neither a check nor an import is under way.
async fn settled(visitor: &Visitor) -> String {
    until(|| visitor.page(SOURCE), |page| !page.contains("data-live")).await
}

pub fn digest(page: &str) -> &str {
    let value = page.split("name=\"digest\" value=\"").nth(1);
    value
        .and_then(|value| value.split('"').next())
        .expect("a form to take it")
}

/// Waits until so many records are published.
pub async fn published(world: &World, records: i64, runs: usize) {
    let (datasets, source) = (world.store.datasets(), connector_id("security-licences"));
    let ended = until(
        || datasets.history(&source, "licences", 10),
        |history| {
            let history = history.as_ref().expect("the store is there");
            history
                .iter()
                .filter(|run| run.finished_at.is_some())
                .count()
                == runs
        },
    );
    let newest = ended.await.expect("the store is there").remove(0);
    assert_eq!(
        (newest.records, &newest.failure),
        (records, &None),
        "{newest:?}"
    );
}

/// A number of a check, by its label.
fn fact(page: &str, label: &str) -> String {
    let after = page.split(&format!("<dt>{label}</dt><dd>")).nth(1);
    let value = after.and_then(|after| after.split('<').next());
    value
        .unwrap_or_else(|| panic!("{label}: {page}"))
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn accepted_list_replaces_the_file_and_is_imported() {
    on_each_kind(with_file, async |world| {
        let visitor = Visitor::at(world.operator_url());
        let first = list_of(&rows("31.12.2027"));
        let page = sent(&visitor, &first).await;
        assert!(page.contains("The list can be used"), "{page}");
        assert_eq!(
            ["Records", "Added", "Removed"].map(|label| fact(&page, label)),
            ["10", "10", "0"]
        );
        assert!(!file(world).exists(), "nothing is used before it is taken");
        let (datasets, source) = (world.store.datasets(), connector_id("security-licences"));
        let history = datasets.history(&source, "licences", 1).await;
        assert!(
            history.expect("the store is there").is_empty(),
            "nothing was imported"
        );
        let other = visitor
            .post(&format!("{FORM}/take"), &[("digest", "00")])
            .await;
        assert_eq!(other.status, 409, "{other:?}");
        let digest_of_first = digest(&page).to_owned();
        let fields = [("digest", digest_of_first.as_str())];
        let taken = visitor.post(&format!("{FORM}/take"), &fields).await;
        assert_eq!(taken.status, 303, "{taken:?}");
        assert_eq!(std::fs::read(file(world)).ok(), Some(first.clone()));
        published(world, 10, 1).await;
        let again = visitor.post(&format!("{FORM}/take"), &fields).await;
        assert_eq!(again.status, 409, "{again:?}");
        // One licence changes, one is gone, one is new.
        let mut later = rows("31.12.2027");
        later[0].1 = "31.12.2028".to_owned();
        later[9].0 = "50000099".to_owned();
        let second = list_of(&later);
        let page = sent(&visitor, &second).await;
        assert_eq!(
            ["Added", "Changed", "Removed"].map(|label| fact(&page, label)),
            ["1", "1", "1"]
        );
        let fields = [("digest", digest(&page))];
        visitor.post(&format!("{FORM}/take"), &fields).await;
        published(world, 10, 2).await;
        let page = settled(&visitor).await;
        let tag = page.split_once("name=\"tag\" value=\"").expect("a form").1;
        let tag = tag.split('"').next().unwrap_or_default();
        let back = visitor
            .post(&format!("{FORM}/previous"), &[("tag", tag)])
            .await;
        assert_eq!(back.status, 303, "{back:?}");
        assert_eq!(std::fs::read(file(world)).ok().as_ref(), Some(&first));
        let again = visitor
            .post(&format!("{FORM}/previous"), &[("tag", tag)])
            .await;
        assert_eq!(
            again.status, 409,
            "the file before is another one: {again:?}"
        );
        assert_eq!(std::fs::read(file(world)).ok(), Some(first));
        published(world, 10, 3).await;
        let log = visitor.page("/audit").await;
        for text in [
            "list sent",
            "list taken",
            "list put back",
            "firmy.csv",
            &digest_of_first,
        ] {
            assert!(log.contains(text), "{text}: {log}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unusable_list_is_rejected_with_the_reason() {
    let world = with_file(DatabaseKind::Sqlite).start().await;
    let visitor = Visitor::at(world.operator_url());
    let page = sent(&visitor, &list_of(&rows("31.12.2027"))).await;
    let fields = [("digest", digest(&page))];
    visitor.post(&format!("{FORM}/take"), &fields).await;
    published(&world, 10, 1).await;
    let before = std::fs::read(file(&world)).ok();
    for (list, reason) in [
        (b"\xff\xfe<script>alert(1)</script>".to_vec(), "malformed"),
        (list(&[]), "a row with an IČO"),
        (list_of(&rows("31.12.2027")[..5]), "shrank from 10 to 5"),
    ] {
        let page = sent(&visitor, &list).await;
        assert!(page.contains("The list cannot be used"), "{reason}: {page}");
        assert!(page.contains(reason), "{reason}: {page}");
        assert!(!page.contains("name=\"digest\"") && !page.contains("<script>alert"));
    }
    let discarded = visitor.post(&format!("{FORM}/discard"), &[]).await;
    assert_eq!(discarded.status, 303, "{discarded:?}");
    assert!(!settled(&visitor).await.contains("cannot be used"));
    assert_eq!(std::fs::read(file(&world)).ok(), before);
    let names = std::fs::read_dir(file(&world).parent().expect("a folder"));
    assert_eq!(
        names.expect("it is there").count(),
        1,
        "no file is left over"
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_do_not_fit_the_form_are_refused() {
    let world = with_file(DatabaseKind::Sqlite).start().await;
    let visitor = Visitor::at(world.operator_url());
    let large = vec![b'x'; (1 << 20) + 1];
    for (path, file, expected, text) in [
        (FORM, large.as_slice(), 413, "The file is too large"),
        (FORM, b"", 422, "missing or empty"),
        (
            "/sources/rpo/lists/companies",
            b"x",
            404,
            "This list is not sent here",
        ),
        (
            "/sources/nothing/lists/licences",
            b"x",
            404,
            "no such connector",
        ),
    ] {
        let answer = visitor.upload(path, &[], file).await;
        assert_eq!(answer.status, expected, "{path}: {answer:?}");
        assert!(answer.body.to_string().contains(text), "{path}: {answer:?}");
    }
    let plain = visitor.post(FORM, &[("file", "x")]).await;
    assert_eq!(plain.status, 422, "{plain:?}");
    for (action, header) in [
        ("", "cross-site"),
        ("/take", "same-site"),
        ("/previous", "none"),
    ] {
        let request = visitor.request(reqwest::Method::POST, &format!("{FORM}{action}"));
        let request = request.header("sec-fetch-site", header).header(HEADER, "1");
        let refused = visitor.send(request).await;
        assert_eq!(refused.status, 403, "{action}: {refused:?}");
    }
    let none = visitor.post(&format!("{FORM}/previous"), &[]).await;
    assert_eq!(none.status, 409, "{none:?}");
    assert!(!settled(&visitor).await.contains("class=\"box"));
    world.end().await;
}

#[tokio::test]
async fn source_without_a_file_says_which_lines_to_add() {
    let world = with_file(DatabaseKind::Sqlite).start().await;
    let visitor = Visitor::at(world.operator_url());
    let page = visitor.page("/sources/employers").await;
    assert!(!page.contains("type=\"file\""), "{page}");
    let code = page.split("<code>").skip(1);
    let mut lines = code.filter_map(|code| code.split("</code>").next());
    let grants = lines.find(|line| line.starts_with("employers.grants"));
    let (grants, tables) = (grants.expect("the grants"), lines.next());
    let lines = format!("[connector]\n{grants}\n{}", tables.expect("the tables"));
    let lines = lines.replace("&#34;", "\"");
    let config = Config::read(&lines, |_| None).expect("they are settings");
    let own = &config.connector["employers"];
    assert_eq!(own.datasets["employers"].on, Some(true));
    assert!(own.grants.len() > 1, "the grants before stay: {lines}");
    world.end().await;
}
