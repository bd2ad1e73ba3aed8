//! Each register's outage, its change of format and its garbage, seen from every scope there is.
//!
//! Nothing here knows a connector: what must hold follows from the manifests, so a new connector is held to it too.

use lustra_tests::register_simulator::{Company, Fault, Register};
use lustra_tests::{Answer, World, client};
use serde_json::Value;

use crate::faults_support::{DATASETS, dataset};
use crate::outages::{fail, register_state};
use crate::truth::{told, truth_in};

/// An outage in three ways, another format, bytes that mean nothing, and answers to other questions, which look
/// different for each company: one company is asked about under each.
const FAULTS: [Fault; 12] = [
    Fault::Down,
    Fault::Error500,
    Fault::Html200,
    Fault::Truncated,
    Fault::Renamed,
    Fault::Garbage,
    Fault::EchoOther,
    Fault::EchoOther,
    Fault::EchoOther,
    Fault::EchoOther,
    Fault::EchoOther,
    Fault::EchoOther,
];

/// Members that tell of the reading and not of the company.
const OF_READING: [&str; 5] = ["until", "checked_at", "as_of", "since", "sources"];

/// A scope as its manifest has it.
struct Scope {
    name: String,
    key: String,
    is_live: bool,
}

fn scopes(world: &World) -> Vec<Scope> {
    let connectors = world.importer.companies().connectors();
    let catalogue = connectors.catalogue();
    let served = catalogue.all_serving();
    served
        .flat_map(|loaded| &loaded.manifest.scopes)
        .map(|scope| Scope {
            name: scope.scope.clone(),
            key: scope.key.clone(),
            // Made anew from records alone: of names that are only alike no import says whose sections are outdated.
            is_live: scope.live && scope.scope != "sanctions",
        })
        .collect()
}

/// Companies about which every register may be asked.
async fn well_known(world: &World) -> Vec<Company> {
    let population = world.simulator.population();
    let all = (12..population.len()).map(|index| population.company(index, 0));
    let wanted = all.filter(|company| {
        company.orsr.is_some() && company.ic_dph().is_some() && company.ending.is_none()
    });
    let mut found = Vec::new();
    for company in wanted {
        if found.len() == FAULTS.len() {
            break;
        }
        // VIES never answers about some companies, whether it works or not.
        let number = company.ic_dph().unwrap_or_default();
        let number = number.trim_start_matches("SK");
        let url = format!("{}/vies/ms/SK/vat/{number}", world.simulator.url());
        let asked = client().get(url).send().await.expect("VIES is there");
        if asked.status().is_success() {
            found.push(company);
        }
    }
    found
}

fn has_unread(section: &Value) -> bool {
    section["unread"]
        .as_array()
        .is_some_and(|unread| !unread.is_empty())
}

/// Takes a member out wherever it is.
fn without(value: &mut Value, member: &str) {
    match value {
        Value::Object(members) => {
            members.remove(member);
            for value in members.values_mut() {
                without(value, member);
            }
        }
        Value::Array(items) => {
            for value in items {
                without(value, member);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What is wrong with what an answer says of a company that nobody asked about before.
fn claims(scope: &Scope, answer: &Answer) -> Option<String> {
    let section = answer.body.pointer(&format!("/data/{}", scope.key));
    let state = &answer.at("/meta/scopes")[&scope.name];
    match section {
        None => {
            let is_unread = state["state"] == "unread" && state["reason"].is_string();
            let is_said = is_unread || state["state"] == "not_applicable";
            (!is_said).then(|| format!("{} is missing without a reason: {state}", scope.name))
        }
        // What was imported before is still known.
        Some(_) if !scope.is_live => None,
        Some(section) => (!has_unread(section)).then(|| format!("{} claims {section}", scope.name)),
    }
}

/// Asks until no refresh is under way any more, as a client does that comes back at `retry_at`.
async fn asked_again(world: &World, ico: &str) -> Answer {
    world.company(ico, "all").await;
    world.wait_idle().await;
    world.company(ico, "all").await
}

/// Whether an answer under a fault says the same of a company as the registers do when they work: a register that was
/// not asked with the company's number answers as it should.
fn is_true(pointer: &str, answer: &Answer, healthy: &Answer) -> bool {
    let told = |answer: &Answer| {
        let mut told = answer.body.pointer(pointer).cloned().unwrap_or_default();
        for member in OF_READING {
            without(&mut told, member);
        }
        told
    };
    told(answer) == told(healthy)
}

/// What is wrong with the sections and the details of an answer under a fault, beside one of the working registers.
fn wrong(scopes: &[Scope], fault: Fault, answer: &Answer, healthy: &Answer) -> Vec<String> {
    let may_be_true = fault == Fault::EchoOther;
    let mut wrong: Vec<String> = scopes
        .iter()
        .filter(|scope| !may_be_true || !is_true(&format!("/data/{}", scope.key), answer, healthy))
        .filter_map(|scope| claims(scope, answer))
        .collect();
    let state = &register_state(answer, "orsr")["state"];
    if state != "unread" {
        wrong.push(format!("details are {state}"));
    }
    wrong
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figure is read by people")]
async fn failed_registers_never_report_absence() {
    let world = World::new().companies(200).start().await;
    let companies = well_known(&world).await;
    let scopes = scopes(&world);
    assert!(scopes.len() >= 15, "{}", scopes.len());
    let (mut mistakes, mut sections) = (Vec::new(), 0);
    for (fault, company) in FAULTS.into_iter().zip(&companies) {
        fail(&world, &Register::ALL, fault);
        let answer = world.company(&company.ico, "all").await;
        assert_eq!(answer.status, 200, "{fault:?}: {answer:?}");
        fail(&world, &Register::ALL, Fault::Off);
        world.advance(1);
        world.import_due().await;
        let healthy = asked_again(&world, &company.ico).await;
        let population = world.simulator.population();
        let company = population.company(company.index, world.simulator.clock().day());
        let (mut told, mut truth) = (told(&healthy), truth_in(&world, &company));
        // A section that was made before the last import keeps until when its list was read, as long as the import
        // brought nothing new of the company.
        without(&mut told, "until");
        without(&mut truth, "until");
        assert_eq!(told, truth, "{fault:?}");
        sections += scopes.len() + 1;
        let wrong = wrong(&scopes, fault, &answer, &healthy);
        mistakes.extend(
            wrong
                .into_iter()
                .map(|why| format!("{fault:?}, {}: {why}", company.ico)),
        );
    }
    println!(
        "wrong sections over the simulator's population under every fault: {} of {sections}",
        mistakes.len()
    );
    assert!(mistakes.is_empty(), "{mistakes:#?}");
    world.end().await;
}

#[tokio::test]
async fn a_list_in_another_form_leaves_the_old_one_and_says_why() {
    let world = World::new().start().await;
    let ico = world.icos[0].clone();
    let before = asked_again(&world, &ico).await;
    for fault in [Fault::Renamed, Fault::Garbage, Fault::Error500] {
        // Behind every schedule.
        world.advance(32);
        fail(&world, &Register::ALL, fault);
        assert_eq!(world.import_due().await, DATASETS.len(), "{fault:?}");
        for (connector, id) in DATASETS {
            let now = dataset(&world, connector, id).await;
            assert_eq!(now["state"], "failed", "{fault:?} {connector}/{id}: {now}");
            let reason = now["reason"].as_str();
            assert!(
                reason.is_some_and(|reason| !reason.is_empty()),
                "{fault:?} {connector}/{id}: {now}"
            );
        }
        let after = world.company(&ico, "all").await;
        for scope in scopes(&world).iter().filter(|scope| !scope.is_live) {
            let section = |answer: &Answer| {
                let mut section = answer.at("/data")[&scope.key].clone();
                // That the list has become old may be said; nothing else changes.
                without(&mut section, "unread");
                without(&mut section, "sources");
                section
            };
            assert_eq!(
                section(&after),
                section(&before),
                "{fault:?}: {}",
                scope.name
            );
        }
    }
    world.end().await;
}
