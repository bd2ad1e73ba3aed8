//! The name index follows the store: on every host, after changes, crashes and damage.

use std::path::{Path, PathBuf};

use lustra_tests::lustra::config;
use lustra_tests::lustra::search::{NameIndex, Page, Search, SearchCriteria};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::lustra::store::testing::on_each_database;
use lustra_tests::lustra::store::{BaseCompany, CompanyStatus, Store};
use lustra_tests::{DatabaseKind, START, World};
use serde_json::json;

fn company(number: u32, name: &str) -> BaseCompany {
    BaseCompany {
        ico: format!("{number:08}"),
        name: name.to_owned(),
        name_key: name.to_lowercase(),
        city_key: None,
        legal_form: None,
        legal_form_code: None,
        street: None,
        city: Some("Nitra".to_owned()),
        postal_code: None,
        country: None,
        country_code: None,
        established_date: None,
        terminated_date: None,
        status: CompanyStatus::Active,
        nace_code: None,
        nace_description: None,
        source_register: connector_id("rpo"),
        register_id: None,
        details: "{}".to_owned(),
        facts: "{}".to_owned(),
        preference: "5".to_owned(),
        content_hash: name.to_owned(),
        connector_version: "1.0.0".to_owned(),
        evidence: "[]".to_owned(),
    }
}

async fn put(store: &Store, companies: &[BaseCompany]) {
    let put = store.companies().upsert(companies, false, START).await;
    put.expect("the store is there");
}

fn search(store: &Store, directory: &Path) -> Search {
    Search::new(
        store.clone(),
        directory.to_owned(),
        config::Search::default(),
    )
}

async fn found(search: &Search, name: &str) -> Vec<String> {
    let criteria = SearchCriteria {
        name: Some(name.to_owned()),
        ..SearchCriteria::default()
    };
    let page = Page {
        limit: 20,
        offset: 0,
    };
    let found = search.numbers(criteria, page).await;
    let hits = found.expect("the index answers").hits.into_iter();
    hits.map(|hit| hit.ico).collect()
}

#[tokio::test]
async fn renamed_company_is_found_by_its_new_name() {
    on_each_database(|store| async move {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let search = search(&store, folder.path());
        put(&store, &[company(1, "Alfa"), company(2, "Beta")]).await;
        let first = search.step().await.expect("the index is made");
        assert_eq!((first.companies, first.made), (2, true));
        assert_eq!(found(&search, "alfa").await, ["00000001"]);
        put(&store, &[company(1, "Gama")]).await;
        let second = search.step().await.expect("the index follows");
        assert_eq!((second.companies, second.made), (1, false));
        assert!(found(&search, "alfa").await.is_empty());
        assert_eq!(found(&search, "gama").await, ["00000001"]);
        let third = search.step().await.expect("the index follows");
        assert_eq!(third.companies, 0, "there was nothing new");
        assert_eq!(search.progress().companies, 2);
    })
    .await;
}

/// Company `number` with this name and former names.
fn renamed(number: u32, name: &str, former: &[&str]) -> BaseCompany {
    let former = json!(former).to_string();
    BaseCompany {
        facts: json!({ "commercial_register": "true", "former_names": former }).to_string(),
        content_hash: format!("{name} {former}"),
        ..company(number, name)
    }
}

#[tokio::test]
async fn former_names_are_found_after_current_ones() {
    on_each_database(|store| async move {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let search = search(&store, folder.path());
        let ended = BaseCompany {
            status: CompanyStatus::Terminated,
            ..renamed(3, "Gama", &["Mlyn Alfa, s. r. o."])
        };
        let companies = [
            renamed(1, "Omega", &["Beta Mlyn, a. s.", "Alfa"]),
            company(2, "Alfa Mlyn"),
            ended,
        ];
        put(&store, &companies).await;
        search.step().await.expect("the index is made");
        let numbers = async |name: &str, exact: bool| {
            let criteria = SearchCriteria {
                name: Some(name.to_owned()),
                exact,
                ..SearchCriteria::default()
            };
            let page = Page {
                limit: 20,
                offset: 0,
            };
            let found = search.numbers(criteria, page).await;
            let found = found.expect("the index answers");
            assert_eq!(found.total, found.hits.len() as u64, "each is counted once");
            let hits = found.hits.into_iter();
            hits.map(|hit| (hit.ico, hit.former_name))
                .collect::<Vec<_>>()
        };
        let hit =
            |number: u32, former: Option<&str>| (format!("{number:08}"), former.map(str::to_owned));
        let cases = [
            // Current names, then former ones of active companies, then those of ended ones.
            (
                "alfa",
                vec![
                    hit(2, None),
                    hit(1, Some("Alfa")),
                    hit(3, Some("Mlyn Alfa, s. r. o.")),
                ],
            ),
            (
                "mlyn alfa spol. s r.o",
                vec![hit(3, Some("Mlyn Alfa, s. r. o."))],
            ),
            ("bet", vec![hit(1, Some("Beta Mlyn, a. s."))]),
            ("omega", vec![hit(1, None)]),
            // The words stand in two names.
            ("beta alfa", vec![]),
        ];
        for (name, expected) in cases {
            assert_eq!(numbers(name, false).await, expected, "{name}");
        }
        assert_eq!(numbers("alfa", true).await, [hit(1, Some("Alfa"))]);
        // The index follows a change of the facts alone.
        put(&store, &[renamed(2, "Alfa Mlyn", &["Delta"])]).await;
        let stepped = search.step().await.expect("the index follows");
        assert_eq!((stepped.companies, stepped.made), (1, false));
        assert_eq!(numbers("delta", false).await, [hit(2, Some("Delta"))]);
        assert_eq!(search.progress().companies, 3);
        // A batch resolves names by what companies are called now.
        let candidates = search.candidates("Beta Mlyn, a. s.", 10).await;
        assert_eq!(candidates.expect("the index answers"), []);
    })
    .await;
}

#[tokio::test]
async fn search_fails_until_the_index_has_caught_up() {
    let world = World::new().nothing_imported().start().await;
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let search = search(&world.store, folder.path());
    put(&world.store, &[company(1, "Alfa")]).await;
    let criteria = SearchCriteria::default();
    let page = Page {
        limit: 1,
        offset: 0,
    };
    let early = search.numbers(criteria, page).await;
    let early = early.expect_err("it is not there yet");
    assert_eq!(
        early.to_string(),
        "the search index is being built; 0 % is done"
    );
    search.step().await.expect("the index is made");
    assert_eq!(found(&search, "alfa").await, ["00000001"]);
    world.end().await;
}

#[tokio::test]
async fn restart_resumes_at_the_last_commit() {
    on_each_database(|store| async move {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        put(&store, &[company(1, "Alfa"), company(2, "Beta")]).await;
        let first = search(&store, folder.path());
        first.step().await.expect("the index is made");
        drop(first);
        put(&store, &[company(3, "Gama")]).await;
        let again = search(&store, folder.path());
        let stepped = again.step().await.expect("the index is opened");
        assert_eq!((stepped.companies, stepped.made), (1, false));
        assert_eq!(again.progress().companies, 3);
    })
    .await;
}

#[tokio::test]
async fn uncommitted_companies_are_indexed_again() {
    let world = World::new().nothing_imported().start().await;
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    put(&world.store, &[company(1, "Alfa"), company(2, "Beta")]).await;
    let first = search(&world.store, folder.path());
    first.step().await.expect("the index is made");
    drop(first);
    put(&world.store, &[company(2, "Gama"), company(3, "Delta")]).await;
    let changed = world
        .store
        .companies()
        .to_find_since(2, "former_names", 10)
        .await;
    let changed = changed.expect("the store is there");
    let open = NameIndex::open(&index_in(folder.path())).expect("it is there");
    let writer = open.writer(1, 15 << 20).expect("there is no other writer");
    open.put(&writer, &changed, 0).expect("they fit");
    drop((writer, open));
    let again = search(&world.store, folder.path());
    let stepped = again.step().await.expect("the index is opened");
    assert_eq!((stepped.companies, stepped.made), (2, false));
    assert_eq!(
        again.progress().companies,
        3,
        "no company is lost or duplicated"
    );
    assert!(found(&again, "beta").await.is_empty());
    assert_eq!(found(&again, "delta").await, ["00000003"]);
    world.end().await;
}

#[tokio::test]
async fn company_changed_during_a_build_is_indexed_once() {
    let world = World::new().nothing_imported().start().await;
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let many: Vec<BaseCompany> = (1..=6_000).map(|number| company(number, "Alfa")).collect();
    for part in many.chunks(1_000) {
        put(&world.store, part).await;
    }
    let search = search(&world.store, folder.path());
    let (stepped, ()) = tokio::join!(search.step(), async {
        // Written before, while or after the first companies are indexed; the result must be the same.
        put(&world.store, &[company(1, "Beta"), company(6_001, "Gama")]).await;
    });
    stepped.expect("the index is made");
    search.step().await.expect("the index follows");
    assert_eq!(search.progress().companies, 6_001);
    assert_eq!(found(&search, "beta").await, ["00000001"]);
    world.end().await;
}

/// The folder of the only index below a directory.
fn index_in(directory: &Path) -> PathBuf {
    directory.join("0")
}

fn files_of(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(index_in(directory)).expect("the index is there");
    files
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}

#[tokio::test]
async fn damaged_or_foreign_index_is_rebuilt() {
    on_each_database(|store| async move {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let directory = folder.path();
        put(&store, &[company(1, "Alfa"), company(2, "Beta")]).await;
        search(&store, directory).step().await.expect("it is made");
        for harm in [
            "gone",
            "incomplete",
            "cut off",
            "of other bytes",
            "without its list of files",
            "of another layout",
            "of another store",
        ] {
            do_harm(harm, directory);
            let again = search(&store, directory);
            let stepped = again.step().await;
            let stepped = stepped.unwrap_or_else(|error| panic!("{harm}: {error}"));
            assert_eq!((stepped.companies, stepped.made), (2, true), "{harm}");
            assert_eq!(found(&again, "beta").await, ["00000002"], "{harm}");
        }
    })
    .await;
}

fn do_harm(harm: &str, directory: &Path) {
    let list = index_in(directory).join("meta.json");
    let rewritten = |from: &str, to: &str| {
        let text = std::fs::read_to_string(&list).expect("it is there");
        let other = text.replace(from, to);
        assert_ne!(other, text);
        std::fs::write(&list, other).expect("it can be written");
    };
    let one = |extension: &str| files_of(directory, extension).swap_remove(0);
    match harm {
        "gone" => std::fs::remove_dir_all(index_in(directory)).expect("it was there"),
        "incomplete" => std::fs::remove_file(one("idx")).expect("it was there"),
        "cut off" => {
            let bytes = std::fs::read(one("store")).expect("it is there");
            std::fs::write(one("store"), &bytes[..bytes.len() / 2]).expect("it can be written");
        }
        "of other bytes" => {
            let mut bytes = std::fs::read(one("term")).expect("it is there");
            bytes[3] ^= 0xff;
            std::fs::write(one("term"), bytes).expect("it can be written");
        }
        "without its list of files" => std::fs::write(&list, "{").expect("it can be written"),
        "of another layout" => rewritten(r#"\"layout\":"#, r#"\"layout\":9"#),
        "of another store" => rewritten(r#"\"store\":\""#, r#"\"store\":\"x"#),
        _ => panic!("{harm}"),
    }
}

#[tokio::test]
async fn restored_store_is_indexed_again() {
    let world = World::new().nothing_imported().start().await;
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    put(&world.store, &[company(1, "Alfa"), company(2, "Beta")]).await;
    search(&world.store, folder.path())
        .step()
        .await
        .expect("it is made");
    let file = index_in(folder.path()).join("meta.json");
    let text = std::fs::read_to_string(&file).expect("it is there");
    let later = text.replace("\\\"revision\\\":", "\\\"revision\\\":9");
    assert_ne!(text, later);
    std::fs::write(file, later).expect("it can be written");
    let again = search(&world.store, folder.path());
    assert!(again.step().await.expect("it is made again").made);
    world.end().await;
}

#[tokio::test]
async fn processes_sharing_a_directory_have_separate_indexes() {
    let world = World::new().start().await;
    let neighbour = world.neighbour().await;
    let stepped = neighbour.indexed().await;
    assert!(stepped.made && stepped.companies > 50, "{stepped:?}");
    let path = "/v1/search/name?q=sro&limit=100";
    let (ours, theirs) = (world.get(path).await, neighbour.get(path).await);
    assert_eq!(ours.status, 200);
    assert_eq!(ours.body, theirs.body, "hosts agree, also on the order");
    world.end().await;
}

#[tokio::test]
async fn every_host_finds_what_one_host_writes() {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let Some(world) = World::new().on(kind).start_if_possible().await else {
            continue;
        };
        let neighbour = world.neighbour().await;
        neighbour.indexed().await;
        put(&world.store, &[company(77, "Úplne Nová Firma")]).await;
        world.indexed().await;
        neighbour.indexed().await;
        let path = "/v1/search/autocomplete?q=uplne+nov";
        let expected = json!([{"id": "00000077", "text": "Úplne Nová Firma", "ico": "00000077", "city": "Nitra"}]);
        assert_eq!(world.get(path).await.at("/results"), &expected);
        assert_eq!(neighbour.get(path).await.at("/results"), &expected);
        world.end().await;
    }
}
