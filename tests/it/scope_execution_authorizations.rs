//! Responses and events about execution authorizations.

use lustra_tests::lustra::config::{ConnectorConfig, SecretMap};
use lustra_tests::register_simulator::population::{Happening, executions};
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Builder, Connectors, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{RequestCounter, dataset, source};
use crate::notifications_support::{follow, updated_fields};
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["executions", "rpo"];

const SCOPE: &str = "execution_authorizations";

/// Faults that end when the register recovers.
const FAULTS: [Fault; 7] = [
    Fault::Down,
    Fault::Error500,
    Fault::Html200,
    Fault::Empty,
    Fault::Truncated,
    Fault::Garbage,
    Fault::RedirectAway,
];

fn section(answer: &Answer) -> &Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.at("/data/execution_authorizations")
}

fn eclis(section: &Value) -> Vec<&str> {
    let all = section["authorizations"].as_array().into_iter().flatten();
    let mut eclis: Vec<&str> = all.filter_map(|one| one["ecli"].as_str()).collect();
    eclis.sort_unstable();
    eclis
}

/// A world whose operator chose another source than the demo's.
fn with_source(word: &'static str, change: fn(&mut ConnectorConfig)) -> Builder {
    World::new().connectors(CONNECTORS).settings(move |config| {
        let own = config.connector.get_mut("executions").expect("the demo's");
        let settings = json!({ "source": word });
        own.settings = SecretMap::new(settings.as_object().cloned().unwrap_or_default());
        change(own);
    })
}

/// A world whose operator supplies the file and has enabled its dataset.
fn with_file() -> Builder {
    with_source("file", |own| {
        own.datasets
            .entry("authorizations".to_owned())
            .or_default()
            .on = Some(true);
    })
}

#[test]
fn section_has_the_companys_authorizations() {
    reading(async |world| {
        for (index, has_active, count) in [(0, false, 0), (5, true, 7), (7, true, 1), (8, false, 1)]
        {
            let answer = world.company(&world.icos[index], SCOPE).await;
            let section = section(&answer);
            assert_eq!(
                section["has_active_authorizations"], has_active,
                "{section}"
            );
            assert_eq!(section["total_count"], count, "{section}");
            assert_eq!(section["unread"], json!([]));
            assert_eq!(
                answer.at("/meta/scopes/execution_authorizations/state"),
                "fresh"
            );
        }
        let several = world.company(&world.icos[5], SCOPE).await;
        let second = &section(&several)["authorizations"][1];
        let named = json!(["fyzická osoba", "Vymyslená zdravotná poisťovňa, a. s."]);
        assert_eq!(second["creditors"], named, "persons are not named");
        assert!(!several.body.to_string().contains("Hroznák"), "{several:?}");
    });
}

#[tokio::test]
async fn missing_source_is_not_requested_and_stays_unread() {
    let world = with_source("off", |_| ()).start().await;
    let asked = RequestCounter::from_now(&world);
    let answer = world.company(&world.icos[5], SCOPE).await;
    let section = section(&answer);
    assert_eq!(section["has_active_authorizations"], Value::Null);
    assert_eq!(section["total_count"], Value::Null);
    assert_eq!(section["unread"][0]["since"], Value::Null);
    let why = section["unread"][0]["why"].as_str().unwrap_or_default();
    assert!(why.starts_with("off: "), "{why}");
    assert_eq!(asked.of(Register::ObcanJustice), 0);
    let list = dataset(&world, "executions", "authorizations").await;
    assert_eq!(list["state"], "off", "{list}");
    let needs = list["needs"].as_str().unwrap_or_default();
    assert!(needs.contains("executions-list"), "{list}");
    assert_eq!(source(&world, "executions").await["state"], "operational");
    world.end().await;
}

#[tokio::test]
async fn operator_list_equals_the_service() {
    let (service, file) = (
        World::new().connectors(CONNECTORS).start().await,
        with_file().start().await,
    );
    let asked = RequestCounter::from_now(&file);
    for index in 0..40 {
        let company = file.simulator.population().company(index, 0);
        let by_file = file.company(&company.ico, SCOPE).await;
        let by_service = service.company(&company.ico, SCOPE).await;
        let (by_file, by_service) = (section(&by_file), section(&by_service));
        for same in [
            "has_active_authorizations",
            "total_count",
            "as_of",
            "unread",
        ] {
            assert_eq!(by_file[same], by_service[same], "{index} {same}");
        }
        assert_eq!(eclis(by_file), eclis(by_service), "{index}");
        let truth = executions::authorizations(&company);
        assert_eq!(by_file["total_count"], truth.len(), "{index}");
    }
    assert_eq!(asked.of(Register::ObcanJustice), 0);
    service.end().await;
    file.end().await;
}

#[tokio::test]
async fn file_that_is_not_a_list_keeps_the_old_one() {
    let world = with_file().start().await;
    let ico = world.icos[5].clone();
    let before = dataset(&world, "executions", "authorizations").await;
    assert_eq!(before["state"], "imported", "{before}");
    let said = world.company(&ico, SCOPE).await;
    for fault in FAULTS {
        world.advance(1);
        world.fault(Register::OperatorFiles, fault);
        world.import_due().await;
        let now = dataset(&world, "executions", "authorizations").await;
        assert_eq!(now["state"], "failed", "{fault:?}: {now}");
        assert!(now["reason"].is_string(), "{fault:?}: {now}");
        for kept in ["records", "last_success_at", "list_date"] {
            assert_eq!(now[kept], before[kept], "{fault:?}: {now}");
        }
        let kept = world.company(&ico, SCOPE).await;
        assert_eq!(section(&kept)["total_count"], section(&said)["total_count"]);
    }
    world.fault(Register::OperatorFiles, Fault::Off);
    world.advance(1);
    world.import_due().await;
    let now = dataset(&world, "executions", "authorizations").await;
    assert_eq!(now["state"], "imported", "{now}");
    world.end().await;
}

#[tokio::test]
async fn never_imported_list_is_unread() {
    let world = with_file().nothing_imported().start().await;
    world.fault(Register::OperatorFiles, Fault::Html200);
    world.import_due().await;
    world.advance(1);
    let answer = world.company(&world.icos[0], SCOPE).await;
    let section = section(&answer);
    assert_eq!(
        section["has_active_authorizations"],
        Value::Null,
        "{section}"
    );
    let why = section["unread"][0]["why"].as_str().unwrap_or_default();
    assert!(why.starts_with("never imported"), "{why}");
    world.end().await;
}

/// The `company.updated` fields received since the last call.
fn reported(receiver: &Receiver) -> Vec<String> {
    let mut fields = updated_fields(receiver);
    fields.retain(|field| field.starts_with(SCOPE));
    fields.sort();
    fields
}

#[tokio::test]
async fn authorization_and_its_end_raise_events() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let receiver = Receiver::start().await;
    let ico = world.icos[0].clone();
    follow(&world, &ico, &receiver).await;
    let all = ["execution_authorizations.authorizations"];
    for happening in [Happening::ExecutionAuthorized, Happening::ExecutionEnded] {
        world.happens(&ico, ChangeKind::Happened(happening));
        world.advance(4);
        world.propagate_changes().await;
        assert_eq!(reported(&receiver), all, "{happening:?}");
    }
    world.advance(4);
    world.propagate_changes().await;
    assert_eq!(reported(&receiver), [] as [String; 0], "nothing happened");
    world.end().await;
}
