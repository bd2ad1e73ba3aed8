//! Batches of names: the matched company, its confidence, and the result if no company matches.

use insta::assert_json_snapshot;
use lustra::batches::Batches;
use lustra::search::Search;
use lustra::store::{BaseCompany, BatchKind, CompanyStatus};
use lustra_tests::lustra::companies::AllowedScopes;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{Answer, World, answered};
use serde_json::{Value, json};

use crate::faults_support::on_each_kind;
use crate::support::{keys, reading, shown, shown_part};

const NAMES: &str = "/v1/batch/names";

async fn asked(world: &World, names: &[&str]) -> Answer {
    world.post(NAMES, &json!({ "names": names })).await
}

/// A stored company with this name.
fn company(ico: &str, name: &str, city: &str, status: CompanyStatus) -> BaseCompany {
    BaseCompany {
        ico: ico.to_owned(),
        name: name.to_owned(),
        name_key: lustra::names::name_key(name),
        city_key: Some(lustra::names::fold(city)),
        legal_form: None,
        legal_form_code: None,
        street: None,
        city: Some(city.to_owned()),
        postal_code: None,
        country: None,
        country_code: None,
        established_date: None,
        terminated_date: None,
        status,
        nace_code: None,
        nace_description: None,
        source_register: connector_id("rpo"),
        register_id: None,
        details: "{}".to_owned(),
        facts: "{}".to_owned(),
        preference: String::new(),
        content_hash: ico.to_owned(),
        connector_version: "0.1.0".to_owned(),
        evidence: "[]".to_owned(),
    }
}

async fn with_companies(world: &World, companies: &[BaseCompany]) {
    let stored = world.store.companies();
    let stored = stored.upsert(companies, true, world.now()).await;
    stored.expect("the store is there");
    world.indexed().await;
}

#[test]
fn every_spelling_of_a_name_finds_the_company() {
    reading(async |world| {
        let company = world.company("99999994", "").await;
        let name = company
            .at("/data/name")
            .as_str()
            .expect("a name")
            .to_owned();
        assert_eq!(name, "Vzorostav Čučoriedka, s. r. o.");
        for (written, confidence) in [
            (name.as_str(), 1.0),
            ("VZOROSTAV CUCORIEDKA SPOL. S R.O.", 1.0),
            ("Vzorostav Čučoriedka, spoločnosť s ručením obmedzeným", 1.0),
            ("vzorostav   čučoriedka", 0.97),
        ] {
            let answer = asked(world, &[written]).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            let entry = &answer.body["data"][written];
            assert_eq!(
                keys(entry),
                ["confidence", "data", "found", "meta"],
                "{entry}"
            );
            assert_eq!(
                (&entry["found"], &entry["confidence"]),
                (&json!(true), &json!(confidence))
            );
            assert_eq!(&entry["data"], company.at("/data"), "{written}");
            assert_eq!(answer.at("/meta/found"), 1);
        }
    });
}

#[test]
fn name_without_similar_company_is_not_found() {
    reading(async |world| {
        let names = [
            "Qwxyz Žabokľuk",
            "Vzorostav Čučoriedkár, a. s.",
            "Vzor\u{0}\n\"1\"",
        ];
        let answer = asked(world, &names).await;
        let order: Vec<&String> = answer
            .at("/data")
            .as_object()
            .expect("entries")
            .keys()
            .collect();
        assert_eq!(order, names);
        assert_json_snapshot!("names that mean nothing", shown(&answer));
    });
}

#[tokio::test]
async fn ambiguous_name_returns_its_candidates() {
    on_each_kind(
        |kind| World::new().nothing_imported().on(kind),
        async |world| {
            let companies = [
                company(
                    "30000001",
                    "Dvojník, s. r. o.",
                    "Nitra",
                    CompanyStatus::Active,
                ),
                company(
                    "30000002",
                    "DVOJNÍK s.r.o.",
                    "Senica",
                    CompanyStatus::Active,
                ),
                company(
                    "30000003",
                    "Dvojník spol. s r.o.",
                    "Senica",
                    CompanyStatus::Terminated,
                ),
                company(
                    "30000004",
                    "Jedináčik, s. r. o.",
                    "Nitra",
                    CompanyStatus::Terminated,
                ),
                company(
                    "30000005",
                    "Jedináčik, s. r. o.",
                    "Senica",
                    CompanyStatus::Active,
                ),
            ];
            with_companies(world, &companies).await;
            let names = ["Dvojník s. r. o.", "Jedináčik s. r. o.", "Dvojnik"];
            let answer = asked(world, &names).await;
            let mut body = answer.body.clone();
            let found = body["data"]["Jedináčik s. r. o."].take();
            assert_eq!(
                (&found["data"]["ico"], &found["confidence"]),
                (&json!("30000005"), &json!(1.0))
            );
            assert_json_snapshot!("ambiguous names", shown_part(&body));
        },
    )
    .await;
}

#[tokio::test]
async fn other_legal_form_is_only_a_candidate() {
    let world = World::new().connectors(&["rpo"]).companies(12);
    let world = world.nothing_imported().start().await;
    let active = CompanyStatus::Active;
    with_companies(
        &world,
        &[company("30000001", "Vzor Jeden, a. s.", "Nitra", active)],
    )
    .await;
    let answer = asked(&world, &["Vzor Jeden s.r.o."]).await;
    let entry = &answer.body["data"]["Vzor Jeden s.r.o."];
    assert_eq!(
        (
            &entry["found"],
            &entry["confidence"],
            &entry["candidates"][0]["ico"]
        ),
        (&json!(false), &json!(0.89), &json!("30000001")),
        "{entry}"
    );
    let id = answer.header("x-batch-id").expect("every batch has one");
    let table = format!("/v1/batch/{id}/results?format=csv&columns=requested,ico");
    let table = world.get(&table).await;
    let shown = "Vzor Jeden, a. s. (30000001)";
    assert!(
        table.body.as_str().is_some_and(|csv| csv.contains(shown)),
        "{table:?}"
    );
    world.end().await;
}

#[test]
fn number_among_the_names_is_looked_up() {
    reading(async |world| {
        let (known, unknown) = (world.icos[0].as_str(), "00000001");
        let answer = asked(world, &[known, unknown]).await;
        let entry = &answer.body["data"][known];
        assert_eq!(
            (&entry["found"], &entry["confidence"], &entry["data"]["ico"]),
            (&json!(true), &json!(1.0), &json!(known)),
            "{entry}"
        );
        let none = json!({"found": false, "data": null, "confidence": null});
        assert_eq!(answer.body["data"][unknown], none);
    });
}

#[test]
fn ndjson_lines_contain_the_requested_name() {
    reading(async |world| {
        let request = world
            .posting(NAMES)
            .header("accept", "application/x-ndjson");
        let names = ["vzorostav čučoriedka", "Qwxyz \"Žabokľuk\""];
        let answer = answered(request.json(&json!({ "names": names }))).await;
        let lines = answer.body.as_str().expect("lines").lines();
        let lines: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).expect("JSON in each line"))
            .collect();
        assert_eq!(
            (&lines[0]["name"], &lines[0]["data"]["ico"]),
            (&json!(names[0]), &json!("99999994"))
        );
        assert_eq!(
            (&lines[1]["name"], &lines[1]["found"]),
            (&json!(names[1]), &json!(false))
        );
        assert_eq!(lines[2]["meta"]["total"], 2);
    });
}

#[tokio::test]
async fn many_names_become_a_job() {
    on_each_kind(
        |kind| World::new().on(kind),
        async |world| {
            let mut names: Vec<String> = (0..120).map(|number| format!("Qwxyz {number}")).collect();
            names.push("Vzorostav Čučoriedka, s. r. o.".to_owned());
            let batch = world.post(NAMES, &json!({ "names": names })).await;
            assert_eq!(batch.status, 202, "{batch:?}");
            assert_eq!(world.batch_work().await, 5);
            let id = batch.header("x-batch-id").expect("every batch has one");
            let results = world.get(&format!("/v1/batch/{id}/results")).await;
            assert_eq!(results.at("/meta/found"), 1, "{results:?}");
            assert_eq!(results.body["data"][&names[120]]["data"]["ico"], "99999994");
        },
    )
    .await;
}

#[tokio::test]
async fn name_is_found_while_details_are_unreadable() {
    let world = World::new().nothing_imported().start().await;
    world.fault(Register::Rpo, Fault::Down);
    world.fault(Register::Orsr, Fault::Down);
    with_companies(
        &world,
        &[company(
            "30000001",
            "Dvojník, s. r. o.",
            "Nitra",
            CompanyStatus::Active,
        )],
    )
    .await;
    // As in a single look-up, an unread part is marked in `meta` and is not an error.
    let answer = asked(&world, &["Dvojník s. r. o."]).await;
    let entry = &answer.body["data"]["Dvojník s. r. o."];
    assert_eq!(
        (&entry["found"], &entry["data"]["ico"]),
        (&json!(true), &json!("30000001"))
    );
    world.end().await;
}

#[tokio::test]
async fn missing_index_never_reports_an_unknown_name() {
    on_each_kind(
        |kind| World::new().nothing_imported().on(kind),
        async |world| {
            let folder = tempfile::tempdir().expect("tests can write temporary files");
            let config = world.config();
            let search = Search::new(
                world.store.clone(),
                folder.path().to_owned(),
                config.search.clone(),
            );
            let context = world.importer.context().clone();
            let companies = world.importer.companies().clone();
            let mut settings = config.batch.clone();
            settings.item_seconds = 1;
            let host = Batches::new(context, companies, search, settings, "another".to_owned());
            let account = world.store.keys().find_account("tests").await;
            let account = account
                .expect("the store is there")
                .expect("every world has it")
                .id;
            let names = ["Vzorostav".to_owned()];
            let batch = host
                .create(
                    account,
                    BatchKind::Names,
                    &AllowedScopes::default(),
                    &names,
                    None,
                )
                .await;
            let batch = host
                .ended(
                    account,
                    batch.expect("the store is there").expect("it has no key"),
                )
                .await;
            let id = batch.expect("the store is there").id;
            let results = world.get(&format!("/v1/batch/{id}/results")).await;
            assert_json_snapshot!("a name without an index", shown(&results));
        },
    )
    .await;
}
