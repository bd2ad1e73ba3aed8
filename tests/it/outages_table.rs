//! What every scope answers and notifies while its registers fail: one row of [`rows::ROWS`] for each scope and fault.
//!
//! Two worlds serve all rows. In the first nothing was ever imported, and each fault meets a company that was never
//! requested. In the second everything was read before and is due again each day. All registers fail at once, so one
//! response shows all scopes. The scopes come from the manifests, so a new scope fails here until it has rows.
//! `outages_each_scope` has the fault [`Fault::EchoOther`], under which some registers still answer correctly.

mod checks;
mod rows;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::connectors::manifest::AppliesTo;
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{Answer, Receiver, World};
use serde_json::Value;

use self::checks::{Imported, Mistakes};
use self::rows::{FAULTS, Moment, Outcome, ROWS, Row};
use crate::notifications_support::follow;
use crate::outages::fail;
use crate::outages_each_scope::{asked_again, well_known, without};
use crate::truth::{reported, truth_in};

/// The row name of the commercial register's details, which are no scope.
const DETAILS: &str = "details";

/// A scope of a manifest.
struct Scope {
    name: String,
    key: String,
    /// The only companies that it is used for.
    applies_to: AppliesTo,
    /// Whether it is built without any import.
    is_live_only: bool,
    /// Whether its members stand in `data` itself.
    extends_details: bool,
}

impl Scope {
    fn is_limited(&self) -> bool {
        self.applies_to.nace_prefixes.is_some()
    }

    /// A company that the scope is used for.
    fn example(&self, world: &World) -> String {
        let population = world.simulator.population();
        let mut all = (12..population.len()).map(|index| population.company(index, 0));
        let found = all.find(|company| {
            let nace = &company.nace;
            let code = if nace.is_old {
                nace.old_class
            } else {
                nace.class
            };
            company.is_active() && self.applies_to.includes(Some(code), &BTreeMap::new())
        });
        let found = found.unwrap_or_else(|| panic!("no company for {}", self.name));
        found.ico
    }
}

fn scopes(world: &World) -> Vec<Scope> {
    let connectors = world.importer.companies().connectors();
    let catalogue = connectors.catalogue();
    let manifests = catalogue.all_serving().map(|loaded| &loaded.manifest);
    manifests
        .flat_map(|manifest| &manifest.scopes)
        .map(|scope| Scope {
            name: scope.scope.to_string(),
            key: scope.key.clone(),
            applies_to: scope.applies_to.clone(),
            is_live_only: scope.live && scope.datasets.is_empty(),
            extends_details: scope.extends_details,
        })
        .collect()
}

/// The responses about one company of each kind under one fault.
struct Answers {
    /// Of a company that most scopes are used for.
    all: Answer,
    /// Of a company of the trade, by scope.
    of_trades: BTreeMap<String, Answer>,
}

impl Answers {
    fn of(&self, scope: &Scope) -> &Answer {
        self.of_trades.get(&scope.name).unwrap_or(&self.all)
    }
}

/// Waits for slow answers, so that a busy machine cannot change an outcome. A lower limit ends archive bombs sooner.
fn patient(config: &mut Config) {
    config.freshness.live_budget_ms = 120_000;
    config.requests.timeout_seconds = 180;
    for own in config.connector.values_mut() {
        own.limits.archive_ratio = Some(50);
        own.import_limits.archive_ratio = Some(50);
    }
}

fn manifests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../connectors")
}

/// Every section, the details and every import are due each day.
fn due_daily(config: &mut Config) {
    patient(config);
    config.freshness.details_days = Some(0.5);
    for (id, own) in &mut config.connector {
        let manifest = manifests_folder().join(id.as_str()).join("manifest.json");
        let manifest = std::fs::read_to_string(manifest).expect("each shipped connector has one");
        let manifest: Value = serde_json::from_str(&manifest).expect("it is JSON");
        let named = |list: &str, name: &str| -> Vec<String> {
            let all = manifest[list].as_array().into_iter().flatten();
            all.filter_map(|one| Some(one[name].as_str()?.to_owned()))
                .collect()
        };
        for scope in named("scopes", "scope") {
            own.scopes.entry(scope).or_default().max_age_days = Some(0.5);
        }
        for dataset in named("datasets", "id") {
            let dataset = own.datasets.entry(dataset).or_default();
            dataset.schedule = Some("daily 06:00".to_owned());
            // Short lists shrink by a large share.
            dataset.max_shrink_percent = Some(100.0);
        }
    }
}

/// The single row of a scope and a fault.
fn row(scope: &str, fault: Fault) -> Result<&'static Row, String> {
    let is_it = |row: &&Row| row.scopes.contains(&scope) && row.faults.contains(&fault);
    let found: Vec<&Row> = ROWS.iter().filter(is_it).collect();
    match found.as_slice() {
        [row] => Ok(row),
        rows => Err(format!("{fault:?}, {scope}: {} rows", rows.len())),
    }
}

/// Compares the responses under a fault with the rows of all scopes.
fn compare(
    scopes: &[Scope],
    fault: Fault,
    moment: Moment,
    answers: &Answers,
    mistakes: &mut Mistakes,
) {
    let sections = scopes.iter().map(|scope| {
        (
            scope.name.as_str(),
            checks::section(answers.of(scope), scope),
        )
    });
    let details = (DETAILS, checks::details(&answers.all));
    for (name, found) in sections.chain([details]) {
        let expected = match row(name, fault) {
            Ok(row) => row.outcome(moment),
            Err(why) => {
                mistakes.add(&format!("{why}; {moment:?} is {found:?}"));
                continue;
            }
        };
        if !found.is(expected) {
            mistakes.add(&format!(
                "{fault:?}, {name}, {moment:?}: expected {expected:?}, found {found:?}"
            ));
        }
    }
}

/// Asks about a company that was never requested, and about one of each trade, while all registers fail.
async fn first_answers(
    world: &World,
    fault: Fault,
    scopes: &[Scope],
    ico: &str,
) -> (Answers, Answer) {
    fail(world, &Register::ALL, fault);
    // The base record is read before its register fails too.
    world.fault(Register::Rpo, Fault::Off);
    let base = world.company(ico, "").await;
    assert_eq!(base.status, 200, "{fault:?}: {base:?}");
    world.fault(Register::Rpo, fault);
    world.import_due().await;
    let all = world.company(ico, "all").await;
    assert_eq!(all.status, 200, "{fault:?}: {all:?}");
    let mut of_trades = BTreeMap::new();
    for scope in scopes.iter().filter(|scope| scope.is_limited()) {
        let answer = world.company(&scope.example(world), &scope.name).await;
        of_trades.insert(scope.name.clone(), answer);
    }
    (Answers { all, of_trades }, base)
}

#[tokio::test]
async fn first_answer_names_what_was_not_read() {
    let world = World::new().companies(200).nothing_imported();
    let world = world.settings(patient).start().await;
    let scopes = scopes(&world);
    let companies = well_known(&world, FAULTS.len()).await;
    assert_eq!(companies.len(), FAULTS.len());
    for scope in scopes.iter().filter(|scope| scope.is_limited()) {
        world.company(&scope.example(&world), "").await;
    }
    let mut mistakes = Mistakes::default();
    for (fault, company) in FAULTS.into_iter().zip(&companies) {
        let (answers, base) = first_answers(&world, fault, &scopes, &company.ico).await;
        assert_eq!(checks::details(&base), checks::details(&answers.all));
        assert_eq!(answers.all.at("/meta/stale"), true, "{fault:?}");
        compare(&scopes, fault, Moment::First, &answers, &mut mistakes);
        checks::nothing_is_claimed(fault, &scopes, &answers, &mut mistakes);
        if fault == Fault::Throttled {
            // Registers stay paused for half a minute of real time, whatever the simulated clock says.
            break;
        }
        Imported::nothing()
            .compare(&world, fault, &mut mistakes)
            .await;
        checks::failing_sources(&world, fault, &mut mistakes).await;
        fail(&world, &Register::ALL, Fault::Off);
        world.advance(1);
        let healthy = asked_again(&world, &company.ico).await;
        for scope in scopes.iter().filter(|scope| scope.is_live_only) {
            let state = &healthy.at("/meta/scopes")[&scope.name]["state"];
            if state != "fresh" {
                mistakes.add(&format!("{fault:?}, {}: {state} afterwards", scope.name));
            }
        }
    }
    mistakes.assert_none();
    world.end().await;
}

/// Compares the responses about some companies with the simulator's data.
async fn assert_all_is_true(world: &World) {
    for company in well_known(world, 3).await {
        let answer = asked_again(world, &company.ico).await;
        let population = world.simulator.population();
        let company = population.company(company.index, world.simulator.clock().day());
        let (mut reported, mut truth) = (reported(&answer), truth_in(world, &company));
        for value in [&mut reported, &mut truth] {
            without(value, "until");
        }
        assert_eq!(reported, truth, "{}", company.ico);
    }
}

/// Lets everything be read again. A second day follows, because only one probe is sent to each connector on the first.
async fn recover(world: &World) {
    fail(world, &Register::ALL, Fault::Off);
    for _ in 0..2 {
        world.advance(1);
        world.propagate_changes().await;
    }
}

/// The current responses about companies, after all refreshes have finished.
async fn asked(world: &World, icos: &[String]) -> Vec<Answer> {
    let mut answers = Vec::new();
    for ico in icos {
        answers.push(asked_again(world, ico).await);
    }
    answers
}

#[tokio::test]
async fn stored_answer_stays_without_notification() {
    // In a small population some lists become empty, and an empty list is not imported.
    let world = World::new().companies(200).settings(due_daily);
    let world = world.start().await;
    let scopes = scopes(&world);
    let receiver = Receiver::start().await;
    // A limited company, a debtor, and one company of each trade.
    let mut icos = vec![world.icos[0].clone(), world.icos[5].clone()];
    let trades: Vec<&Scope> = scopes.iter().filter(|scope| scope.is_limited()).collect();
    icos.extend(trades.iter().map(|scope| scope.example(&world)));
    for ico in &icos {
        follow(&world, ico, &receiver).await;
    }
    let mut before = asked(&world, &icos).await;
    let mut mistakes = Mistakes::default();
    for fault in FAULTS {
        if fault == Fault::Throttled {
            assert_all_is_true(&world).await;
        }
        drop(receiver.take());
        let imported = Imported::now(&world).await;
        world.advance(1);
        fail(&world, &Register::ALL, fault);
        world.propagate_changes().await;
        let kept = asked(&world, &icos).await;
        let mut of_trades = BTreeMap::new();
        for (scope, answer) in trades.iter().zip(&kept[2..]) {
            of_trades.insert(scope.name.clone(), answer.clone());
        }
        let answers = Answers {
            all: kept[0].clone(),
            of_trades,
        };
        compare(&scopes, fault, Moment::Stored, &answers, &mut mistakes);
        for (before, kept) in before.iter().zip(&kept) {
            checks::facts_stay(fault, before, kept, &mut mistakes);
        }
        checks::nothing_is_notified(fault, &receiver, &mut mistakes);
        imported.compare(&world, fault, &mut mistakes).await;
        if fault == Fault::Throttled {
            break;
        }
        checks::failing_sources(&world, fault, &mut mistakes).await;
        recover(&world).await;
        let after = asked(&world, &icos).await;
        checks::assert_operational(&world).await;
        checks::only_changes_are_notified(
            &scopes,
            fault,
            &receiver,
            (&before, &after),
            &mut mistakes,
        );
        before = after;
    }
    mistakes.assert_none();
    world.end().await;
}

#[test]
fn every_scope_and_fault_has_one_row() {
    let mut names = vec![DETAILS.to_owned()];
    let folders = std::fs::read_dir(manifests_folder()).expect("the connectors are there");
    for folder in folders.flatten() {
        let Ok(manifest) = std::fs::read_to_string(folder.path().join("manifest.json")) else {
            continue;
        };
        let manifest: Value = serde_json::from_str(&manifest).expect("it is JSON");
        let scopes = manifest["scopes"].as_array().into_iter().flatten();
        names.extend(scopes.filter_map(|scope| Some(scope["scope"].as_str()?.to_owned())));
    }
    assert!(names.len() > 25, "{names:?}");
    let pairs = names
        .iter()
        .flat_map(|name| FAULTS.map(|fault| row(name, fault)));
    let mut wrong: Vec<String> = pairs.filter_map(Result::err).collect();
    let unknown = ROWS.iter().flat_map(|row| row.scopes);
    let unknown = unknown.filter(|name| !names.iter().any(|known| known == *name));
    wrong.extend(unknown.map(|name| format!("{name} is not a scope")));
    let outcomes = ROWS.iter().map(|row| row.outcome(Moment::First));
    let read = outcomes.filter(|outcome| matches!(outcome, Outcome::Fresh([])));
    assert_eq!(read.count(), 0, "a register that fails cannot be read");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
