//! Registers that answer another request than the host's, for every scope.
//!
//! The expectations follow from the manifests and not from the connectors, so they also apply to new connectors. The
//! faults under which no register answers correctly are rows of `outages_table`.

use lustra_tests::register_simulator::{Company, Fault, Register};
use lustra_tests::{Answer, World, client};
use serde_json::Value;

use crate::outages::{fail, register_state};
use crate::truth::{reported, truth_in};

/// Answers to other requests look different for each company, so several companies are requested.
const COMPANIES: usize = 6;

/// Members that describe the reading and not the company.
const OF_READING: [&str; 5] = ["until", "checked_at", "as_of", "since", "sources"];

/// A scope of a manifest.
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
        // The members of such a section stand in `data` itself.
        .filter(|scope| !scope.extends_details)
        .map(|scope| Scope {
            name: scope.scope.to_string(),
            key: scope.key.clone(),
            // Name matches: imports cannot tell which sections become stale, so the section is rebuilt from records
            // by age.
            is_live: scope.live && scope.scope != *"sanctions",
        })
        .collect()
}

/// Some companies that every register may be asked about.
pub async fn well_known(world: &World, count: usize) -> Vec<Company> {
    let population = world.simulator.population();
    let all = (12..population.len()).map(|index| population.company(index, 0));
    let wanted = all.filter(|company| {
        company.orsr.is_some() && company.ic_dph().is_some() && company.ending.is_none()
    });
    let mut found = Vec::new();
    for company in wanted {
        if found.len() == count {
            break;
        }
        // VIES never answers for some companies, even without a fault.
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

/// Removes a member at every depth.
pub fn without(value: &mut Value, member: &str) {
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

/// The unfounded facts in a response about a company that was never requested before.
fn claims(scope: &Scope, answer: &Answer) -> Option<String> {
    let section = answer.body.pointer(&format!("/data/{}", scope.key));
    let state = &answer.at("/meta/scopes")[&scope.name];
    match section {
        None => {
            let is_unread = state["state"] == "unread" && state["reason"].is_string();
            let is_said = is_unread || state["state"] == "not_applicable";
            (!is_said).then(|| format!("{} is missing without a reason: {state}", scope.name))
        }
        // Imported data is still known.
        Some(_) if !scope.is_live => None,
        Some(section) => (!has_unread(section)).then(|| format!("{} claims {section}", scope.name)),
    }
}

/// Repeats the request until no refresh is running, like a client that follows `retry_at`.
pub async fn asked_again(world: &World, ico: &str) -> Answer {
    world.company(ico, "all").await;
    world.wait_idle().await;
    world.company(ico, "all").await
}

/// Whether a response under the fault equals that of working registers. A register that is not asked by the company's
/// number answers correctly under this fault.
fn is_true(pointer: &str, answer: &Answer, healthy: &Answer) -> bool {
    let reported = |answer: &Answer| {
        let mut reported = answer.body.pointer(pointer).cloned().unwrap_or_default();
        for member in OF_READING {
            without(&mut reported, member);
        }
        reported
    };
    reported(answer) == reported(healthy)
}

/// The wrong sections and details of a response under the fault, compared with one of working registers.
fn wrong(scopes: &[Scope], answer: &Answer, healthy: &Answer) -> Vec<String> {
    let mut wrong: Vec<String> = scopes
        .iter()
        .filter(|scope| !is_true(&format!("/data/{}", scope.key), answer, healthy))
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
async fn answers_to_other_requests_are_not_taken_over() {
    let world = World::new().companies(200).start().await;
    let scopes = scopes(&world);
    assert!(scopes.len() >= 15, "{}", scopes.len());
    let (mut mistakes, mut sections) = (Vec::new(), 0);
    for company in well_known(&world, COMPANIES).await {
        fail(&world, &Register::ALL, Fault::EchoOther);
        let answer = world.company(&company.ico, "all").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        fail(&world, &Register::ALL, Fault::Off);
        world.advance(1);
        world.import_due().await;
        let healthy = asked_again(&world, &company.ico).await;
        let population = world.simulator.population();
        let company = population.company(company.index, world.simulator.clock().day());
        let (mut reported, mut truth) = (reported(&healthy), truth_in(&world, &company));
        // A section that was built before the last import keeps its list's reading time, if the import changed
        // nothing about the company.
        without(&mut reported, "until");
        without(&mut truth, "until");
        assert_eq!(reported, truth);
        sections += scopes.len() + 1;
        let wrong = wrong(&scopes, &answer, &healthy);
        mistakes.extend(
            wrong
                .into_iter()
                .map(|why| format!("{}: {why}", company.ico)),
        );
    }
    println!("wrong sections: {} of {sections}", mistakes.len());
    assert!(mistakes.is_empty(), "{mistakes:#?}");
    world.end().await;
}
