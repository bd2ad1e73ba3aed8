//! What answers say against what the registers publish.

use std::collections::BTreeMap;

use lustra_tests::lustra::store::RunState;
use lustra_tests::register_simulator::Company;
use lustra_tests::{Answer, DatabaseKind};
use serde_json::Value;

use crate::clients::Day;
use crate::invariants::{
    IMPORTED_ONCE, LISTS_DO_NOT_SHRINK, NO_FALSE_NOT_FOUND, NO_SECRET_IN_THE_DATABASE,
    NOTHING_READ_IS_LOST,
};
use crate::stage::Stage;

/// Attempts at a fresh answer. The first one may be old, and starts the refresh.
const ATTEMPTS: usize = 3;

/// Compares each company's base record and details with the registers, on a day without faults.
pub async fn check_companies(stage: &Stage, day: &mut Day<'_>) {
    let population = stage.world.simulator.population();
    for ico in stage.icos() {
        let index = population.by_ico(&ico).expect("a company of the registers");
        let company = population.company(index, stage.world.simulator.clock().day());
        let answer = fresh(stage, &ico).await;
        day.findings
            .check(day.day, NO_FALSE_NOT_FOUND, answer.status == 200, || {
                format!("{ico}: {answer:?}")
            });
        let differs = difference(&company, &answer);
        day.findings
            .check(day.day, NOTHING_READ_IS_LOST, differs.is_none(), || {
                format!("{ico}: {}", differs.unwrap_or_default())
            });
    }
}

async fn fresh(stage: &Stage, ico: &str) -> Answer {
    let mut answer = stage.world.company(ico, "tax").await;
    for _ in 1..ATTEMPTS {
        if answer.at("/meta/stale") == false {
            break;
        }
        stage.world.wait_idle().await;
        answer = stage.world.company(ico, "tax").await;
    }
    answer
}

fn difference(company: &Company, answer: &Answer) -> Option<String> {
    let seat = company.seat();
    let wanted: [(&str, Value); 3] = [
        ("/data/name", company.name().into()),
        ("/data/address/city", seat.city.into()),
        ("/data/terminated_date", ended(company)),
    ];
    let wrong = wanted
        .into_iter()
        .find(|(pointer, value)| answer.at(pointer) != value);
    wrong.map(|(pointer, value)| format!("{pointer} is {}, not {value}", answer.at(pointer)))
}

fn ended(company: &Company) -> Value {
    company
        .ending
        .as_ref()
        .map_or(Value::Null, |ending| ending.date.to_string().into())
}

/// The sizes of published lists, and how often each was imported.
#[derive(Default)]
pub struct Lists {
    records: BTreeMap<String, i64>,
    runs: BTreeMap<String, i64>,
}

impl Lists {
    /// The lists as they are.
    pub async fn of(stage: &Stage) -> Self {
        let (mut lists, datasets) = (Self::default(), stage.world.store.datasets());
        for state in datasets.states().await.expect("the store is there") {
            let runs = datasets.history(&state.connector, &state.dataset, 1).await;
            let runs = runs.expect("the store is there");
            let name = format!("{}/{}", state.connector, state.dataset);
            lists.records.insert(name.clone(), state.records);
            lists
                .runs
                .insert(name, runs.first().map_or(0, |run| run.id));
        }
        lists
    }

    /// No list was imported twice since the day before, and none lost more than half of its records.
    pub async fn check(&mut self, stage: &Stage, day: &mut Day<'_>) {
        let datasets = stage.world.store.datasets();
        for state in datasets.states().await.expect("the store is there") {
            let name = format!("{}/{}", state.connector, state.dataset);
            let before = self.records.insert(name.clone(), state.records);
            let is_kept = before.is_none_or(|before| before < 4 || state.records * 2 >= before);
            day.findings
                .check(day.day, LISTS_DO_NOT_SHRINK, is_kept, || {
                    format!("{name}: {before:?} records, then {}", state.records)
                });
            let runs = datasets.history(&state.connector, &state.dataset, 10).await;
            let runs = runs.expect("the store is there");
            let newest = self.runs.get(&name).copied().unwrap_or(0);
            let succeeded = runs
                .iter()
                .filter(|run| run.id > newest && run.state == RunState::Succeeded)
                .count();
            day.findings
                .check(day.day, IMPORTED_ONCE, succeeded <= 1, || {
                    format!("{name}: imported {succeeded} times in a day")
                });
            if let Some(run) = runs.first() {
                self.runs.insert(name, run.id);
            }
        }
    }
}

/// No key of a customer is in the files of the database.
pub fn check_secrets(stage: &Stage, secrets: &[String], day: &mut Day<'_>) {
    if stage.world.kind() == DatabaseKind::Postgres {
        return;
    }
    let url = stage.store_url();
    let main = url.trim_start_matches("sqlite:").trim_start_matches("//");
    let main = main.split('?').next().unwrap_or_default();
    let folder = std::path::Path::new(main).parent();
    let files = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let mut read = 0_usize;
    for file in files.into_iter().flatten().flatten() {
        let Ok(bytes) = std::fs::read(file.path()) else {
            continue;
        };
        read += bytes.len();
        for secret in secrets {
            let is_there = memchr::memmem::find(&bytes, secret.as_bytes()).is_some();
            day.findings
                .check(day.day, NO_SECRET_IN_THE_DATABASE, !is_there, || {
                    format!("a key is in {}", file.path().display())
                });
        }
    }
    assert!(read > 100_000, "the database was not found at {url}");
}
