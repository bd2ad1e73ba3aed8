//! Random sequences of batches, crashes, resumptions, failures, publications and sweeps, compared with plain maps.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use time::Duration;

use super::*;
use crate::db::on;
use crate::testing::TestDatabase;
use crate::{Differences, RunError};

const CASES: u32 = 40;

#[derive(Debug, Clone)]
enum Step {
    /// Key, content, and whether the record is removed.
    Batch(Vec<(u8, u8, bool)>),
    /// The host dies; another one resumes after the lease ends.
    Crash,
    Finish,
    FailAndKeep,
    FailForGood,
    Sweep(u64),
}

type List = BTreeMap<String, String>;

/// The expected content of the database.
#[derive(Default)]
struct Model {
    published: Option<(i64, List)>,
    previous: Option<(i64, List)>,
    /// The cursor at which the last finished run ended.
    cursor: Option<String>,
    /// Records and cursor of the unfinished run.
    unfinished: Option<(List, Option<String>)>,
    /// The newest claim, which may write.
    run: Option<Run>,
    /// An older claim, which may no longer write.
    lost: Option<Run>,
}

struct Case<'a> {
    store: &'a Store,
    dataset: String,
    kind: DatasetKind,
    now: OffsetDateTime,
    steps: u32,
    model: Model,
}

#[test]
fn any_sequence_of_steps_matches_the_model() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for database in runtime.block_on(TestDatabase::of_each_kind()) {
        let store = runtime.block_on(database.store());
        let config = Config {
            cases: CASES,
            failure_persistence: None,
            ..Config::default()
        };
        let count = std::cell::Cell::new(0);
        let outcome =
            TestRunner::new(config).run(&(any::<bool>(), steps()), |(snapshot, steps)| {
                count.set(count.get() + 1);
                let kind = if snapshot {
                    DatasetKind::Snapshot
                } else {
                    DatasetKind::Delta
                };
                let dataset = format!("list {}", count.get());
                runtime.block_on(async {
                    let case = Case {
                        store: &store,
                        dataset,
                        kind,
                        now: START,
                        steps: 0,
                        model: Model::default(),
                    };
                    case.run(steps).await;
                });
                Ok(())
            });
        runtime.block_on(store.close());
        assert!(outcome.is_ok(), "{:?}: {outcome:?}", database.kind());
        runtime.block_on(database.remove());
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let item = (
        0..14_u8,
        0..3_u8,
        prop_oneof![4 => Just(false), 1 => Just(true)],
    );
    let step = prop_oneof![
        8 => proptest::collection::vec(item, 0..10).prop_map(Step::Batch),
        2 => Just(Step::Crash),
        4 => Just(Step::Finish),
        1 => Just(Step::FailAndKeep),
        1 => Just(Step::FailForGood),
        2 => (1..9_u64).prop_map(Step::Sweep),
    ];
    proptest::collection::vec(step, 1..28)
}

impl Case<'_> {
    async fn run(mut self, steps: Vec<Step>) {
        for step in steps {
            self.steps += 1;
            self.now += Duration::SECOND;
            match step {
                Step::Batch(items) => self.batch(&items).await,
                Step::Crash => {
                    self.model.lost = self.model.run.take();
                    self.now += LEASE;
                }
                Step::Finish => self.finish().await,
                Step::FailAndKeep => self.fail(true).await,
                Step::FailForGood => self.fail(false).await,
                Step::Sweep(limit) => {
                    self.store.datasets().sweep(limit).await.unwrap();
                }
            }
            self.check().await;
        }
        while self.store.datasets().sweep(5).await.unwrap() > 0 {}
        self.check().await;
        self.check_rows().await;
    }

    /// The current claim, or a new one.
    async fn claimed(&mut self) -> Run {
        if let Some(run) = self.model.run.clone() {
            return run;
        }
        let datasets = self.store.datasets();
        let claimed = datasets
            .claim_run(
                &connector_id("model"),
                &self.dataset,
                self.kind,
                "host",
                LEASE,
                self.now,
            )
            .await
            .unwrap();
        let RunClaim::Run(run) = claimed else {
            panic!("no other host holds the dataset")
        };
        assert_eq!(run.resumed, self.model.unfinished.is_some());
        if self.model.unfinished.is_none() {
            let begun = match (self.kind, &self.model.published) {
                (DatasetKind::Delta, Some((_, list))) => (list.clone(), self.model.cursor.clone()),
                (DatasetKind::Delta, None) | (DatasetKind::Snapshot, _) => (List::new(), None),
            };
            self.model.unfinished = Some(begun);
        }
        let (_, cursor) = self.model.unfinished.as_ref().unwrap();
        assert_eq!(&run.cursor, cursor);
        let busy = datasets
            .claim_run(
                &connector_id("model"),
                &self.dataset,
                self.kind,
                "other",
                LEASE,
                self.now,
            )
            .await
            .unwrap();
        assert_eq!(busy, RunClaim::Busy);
        self.model.run = Some(run.clone());
        run
    }

    async fn batch(&mut self, items: &[(u8, u8, bool)]) {
        let run = self.claimed().await;
        let items: Vec<Record> = items
            .iter()
            .map(|(key, content, is_removed)| {
                let key = format!("key {key}");
                if *is_removed {
                    removed(&key)
                } else {
                    record(&key, &content.to_string())
                }
            })
            .collect();
        let cursor = format!("step {}", self.steps);
        if let Some(lost) = &self.model.lost {
            let late = self
                .store
                .datasets()
                .commit_batch(lost, &items, &at("late"), self.now)
                .await;
            assert!(matches!(late, Err(RunError::LeaseLost)), "{late:?}");
        }
        let committed = self
            .store
            .datasets()
            .commit_batch(&run, &items, &at(&cursor), self.now)
            .await
            .unwrap();
        let (list, reached) = self.model.unfinished.as_mut().unwrap();
        let before = list.clone();
        for item in items {
            if item.removed {
                list.remove(&item.key);
            } else {
                list.insert(item.key, item.content);
            }
        }
        *reached = Some(cursor);
        if self.kind == DatasetKind::Delta {
            assert_eq!(committed.differences, differences(&before, list));
            if let Some((generation, published)) = &mut self.model.published {
                assert_eq!(*generation, run.generation);
                published.clone_from(list);
            }
        }
    }

    async fn finish(&mut self) {
        let run = self.claimed().await;
        let datasets = self.store.datasets();
        let (list, cursor) = self.model.unfinished.take().unwrap();
        assert_eq!(
            usize::try_from(datasets.run_count(&run).await.unwrap()).unwrap(),
            list.len()
        );
        let published = match self.kind {
            DatasetKind::Snapshot => datasets.publish(&run, self.now, None).await.unwrap(),
            DatasetKind::Delta => datasets
                .finish_delta(&run, None, self.now, None)
                .await
                .unwrap(),
        };
        assert_eq!(
            published.previous,
            self.model
                .published
                .as_ref()
                .map(|(generation, _)| *generation)
        );
        let before = self.model.published.replace((run.generation, list));
        if before
            .as_ref()
            .is_some_and(|(generation, _)| *generation != run.generation)
        {
            self.model.previous = before;
            self.check_changes().await;
        }
        self.model.cursor = cursor;
        self.model.run = None;
        self.model.lost = Some(run);
    }

    async fn fail(&mut self, keep: bool) {
        let run = self.claimed().await;
        self.store
            .datasets()
            .fail(&run, &failure("failed"), self.now, None, keep)
            .await
            .unwrap();
        if !keep {
            self.model.unfinished = None;
        }
        self.model.run = None;
        self.model.lost = Some(run);
    }

    /// The pages of changes between the last two generations equal the difference of their maps.
    async fn check_changes(&self) {
        let (Some((old, old_list)), Some((new, new_list))) =
            (&self.model.previous, &self.model.published)
        else {
            return;
        };
        let (mut keys, mut after) = (BTreeSet::new(), None);
        loop {
            let datasets = self.store.datasets();
            let page = datasets
                .changed_keys(
                    &connector_id("model"),
                    &self.dataset,
                    Some(*old),
                    *new,
                    after.as_deref(),
                    3,
                )
                .await
                .unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.key.clone());
            keys.extend(page.into_iter().map(|changed| changed.key));
        }
        assert_eq!(keys, changed_keys(old_list, new_list));
    }

    /// Readers see the published list.
    async fn check(&self) {
        let found = self
            .store
            .records()
            .by_key_prefix(&connector_id("model"), &self.dataset, "", "", 1000)
            .await
            .unwrap();
        let found: List = found
            .into_iter()
            .map(|record| (record.key, record.content))
            .collect();
        let published = self
            .model
            .published
            .as_ref()
            .map(|(_, list)| list.clone())
            .unwrap_or_default();
        assert_eq!(found, published);
    }

    /// After a complete sweep, only rows that are still needed remain.
    async fn check_rows(&self) {
        const COUNT: &str = "select count(*) from dataset_record r join dataset d on d.id = r.dataset_id \
            where d.connector = 'model' and d.dataset = $1";
        let rows: i64 = on!(&self.store.reads, |pool| sqlx::query_scalar(COUNT)
            .bind(&self.dataset)
            .fetch_one(pool)
            .await)
        .unwrap();
        let published = self
            .model
            .published
            .as_ref()
            .map_or(0, |(_, list)| list.len());
        let previous = self
            .model
            .previous
            .as_ref()
            .map_or(0, |(_, list)| list.len());
        let own = self.kind == DatasetKind::Snapshot || self.model.published.is_none();
        let unfinished = self
            .model
            .unfinished
            .as_ref()
            .map_or(0, |(list, _)| if own { list.len() } else { 0 });
        assert_eq!(
            usize::try_from(rows).unwrap(),
            published + previous + unfinished
        );
    }
}

fn changed_keys(old: &List, new: &List) -> BTreeSet<String> {
    old.keys()
        .chain(new.keys())
        .filter(|key| old.get(*key) != new.get(*key))
        .cloned()
        .collect()
}

fn differences(old: &List, new: &List) -> Differences {
    let missing = |from: &List, of: &List| of.keys().filter(|key| !from.contains_key(*key)).count();
    let changed = old
        .iter()
        .filter(|(key, content)| new.get(*key).is_some_and(|now| now != *content));
    let count = |number: usize| i64::try_from(number).unwrap();
    Differences {
        added: count(missing(old, new)),
        changed: count(changed.count()),
        removed: count(missing(new, old)),
    }
}
