//! Watched companies: subscriptions that begin and end, what arrives at their receiver, and what should have.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lustra_tests::lustra::store::{AccountId, DeliveryFilter, ScopeName, State, Store};
use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::{Behaviour, Receiver, answered, client};
use reqwest::Method;
use serde_json::json;

use crate::clients::Day;
use crate::dice::Dice;
use crate::invariants::{
    CHANGES_ARE_FOUND, DELIVERED_ONCE, LOG_HAS_NO_GAPS, NOTHING_AFTER_THE_END, SAME_BYTES,
};
use crate::stage::Stage;

/// A change that a register published about a watched company.
struct Published {
    day: u32,
    ico: String,
    kind: ChangeKind,
}

/// The subscriptions of one account.
pub struct Watching {
    account: AccountId,
    key: String,
    receiver: Receiver,
    /// Numbers of the subscriptions by company.
    current: BTreeMap<String, i64>,
    /// Companies whose subscription ended, with the day.
    ended: BTreeMap<String, u32>,
    /// Every number that a subscription ever had.
    numbers: BTreeSet<i64>,
    /// The bytes of each delivery's first attempt.
    bytes: HashMap<String, Vec<u8>>,
    published: Vec<Published>,
    last_event: i64,
}

impl Watching {
    /// Watches a third of the companies.
    pub async fn start(stage: &Stage, account: AccountId, key: &str, dice: &mut Dice) -> Self {
        let mut watching = Self {
            account,
            key: key.to_owned(),
            receiver: Receiver::start().await,
            current: BTreeMap::new(),
            ended: BTreeMap::new(),
            numbers: BTreeSet::new(),
            bytes: HashMap::new(),
            published: Vec::new(),
            last_event: 0,
        };
        for ico in stage.icos() {
            if dice.chance(33) {
                watching.begin(stage, &ico).await;
            }
        }
        watching
    }

    /// The key of the account may be replaced.
    pub fn set_key(&mut self, key: &str) {
        key.clone_into(&mut self.key);
    }

    async fn begin(&mut self, stage: &Stage, ico: &str) {
        let body = json!({ "ico": ico, "webhook_url": self.receiver.url() });
        let url = format!("{}/v1/notifications", stage.world.url());
        let request = client().post(url).header("x-api-key", &self.key);
        let answer = answered(request.json(&body)).await;
        assert!([200, 201].contains(&answer.status), "{answer:?}");
        let of = stage.world.store.subscriptions_of(self.account);
        let stored = of.find(ico).await.expect("the store is there");
        let number = stored.expect("it was just created").number;
        self.current.insert(ico.to_owned(), number);
        self.numbers.insert(number);
        self.ended.remove(ico);
    }

    async fn end(&mut self, stage: &Stage, ico: &str, day: u32) {
        let url = format!("{}/v1/notifications/{ico}", stage.second().url());
        let request = client().request(Method::DELETE, url);
        let answer = answered(request.header("x-api-key", &self.key)).await;
        assert_eq!(answer.status / 100, 2, "{answer:?}");
        self.current.remove(ico);
        self.ended.insert(ico.to_owned(), day);
        self.published.retain(|published| published.ico != ico);
    }

    /// Begins and ends subscriptions, and publishes changes of watched companies.
    pub async fn work(&mut self, stage: &Stage, dice: &mut Dice, day: &mut Day<'_>) {
        let icos = stage.icos();
        let ico = dice.pick(&icos).clone();
        if dice.chance(5) && !self.current.contains_key(&ico) {
            self.begin(stage, &ico).await;
            day.log.add(day.day, &format!("watching {ico} began"));
        } else if dice.chance(5) && self.current.len() > 4 && self.current.contains_key(&ico) {
            self.end(stage, &ico, day.day).await;
            day.log.add(day.day, &format!("watching {ico} ended"));
        }
        let mood = if day.is_disturbed && dice.chance(40) {
            *dice.pick(&[500, 503, 404])
        } else {
            200
        };
        self.receiver.behave(move |_| Behaviour::Status(mood));
    }

    /// Lets a register publish a change of a watched company tomorrow.
    pub fn publish(&mut self, stage: &Stage, dice: &mut Dice, day: &mut Day<'_>) {
        let kinds = [ChangeKind::SeatMoved, ChangeKind::NameChanged];
        let (kind, watched) = (
            *dice.pick(&kinds),
            self.current.keys().cloned().collect::<Vec<_>>(),
        );
        let ico = dice.pick(&watched).clone();
        let population = stage.world.simulator.population();
        let index = population.by_ico(&ico).expect("a company of the registers");
        let tomorrow = stage.world.simulator.clock().day() + 1;
        if population.force(index, tomorrow, kind) {
            day.log.add(day.day, &format!("{ico} will have {kind:?}"));
            self.published.push(Published {
                day: tomorrow,
                ico,
                kind,
            });
        }
    }

    /// Checks what arrived since the last call.
    pub fn check_arrived(&mut self, day: &mut Day<'_>) {
        for received in self.receiver.take() {
            let id = received.delivery().to_owned();
            let ico = received.json()["data"]["ico"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            let is_current = self.ended.get(&ico).is_none_or(|ended| *ended >= day.day);
            day.findings
                .check(day.day, NOTHING_AFTER_THE_END, is_current, || {
                    format!("{id} about {ico}")
                });
            let first = self
                .bytes
                .entry(id.clone())
                .or_insert_with(|| received.body.clone());
            let is_same = *first == received.body;
            day.findings.check(day.day, SAME_BYTES, is_same, || id);
        }
    }

    /// Checks that all events since the last check were delivered once, on a day on which nothing is pending.
    pub async fn check_delivered(&mut self, stage: &Stage, day: &mut Day<'_>) {
        let store = &stage.world.store;
        let catalogue = stage.world.importer.companies().connectors().catalogue();
        let scopes: Vec<ScopeName> = catalogue.scopes().cloned().collect();
        self.check_published(store, &scopes, day).await;
        let events = store.events();
        let logged = events
            .logged_after(self.account, &scopes, self.last_event, 10_000)
            .await;
        let (logged, _) = logged.expect("the store is there");
        let mut deliveries: HashMap<String, Vec<State>> = HashMap::new();
        for number in &self.numbers {
            let of = store.deliveries_of(self.account);
            let listed = of.list(&DeliveryFilter::of(*number), 2_000, 0).await;
            for delivery in listed.expect("the store is there").0 {
                deliveries
                    .entry(delivery.event_id)
                    .or_default()
                    .push(delivery.state);
            }
        }
        let mut before = self.last_event;
        let mut lines = BTreeSet::new();
        for event in logged {
            let is_after = event.seq > before;
            day.findings
                .check(day.day, LOG_HAS_NO_GAPS, is_after, || event.id.clone());
            before = event.seq;
            let payload: serde_json::Value =
                serde_json::from_str(&event.payload).expect("events are JSON");
            let ico = payload["data"]["ico"].as_str().unwrap_or_default();
            let field = payload["data"]["field"].as_str().unwrap_or_default();
            let states = deliveries.get(&event.id).cloned().unwrap_or_default();
            // The deliveries of an ended subscription are cancelled.
            let is_delivered =
                !self.current.contains_key(ico) || matches!(states[..], [State::Delivered]);
            day.findings
                .check(day.day, DELIVERED_ONCE, is_delivered, || {
                    format!("{} about {ico}: {states:?}", event.id)
                });
            lines.insert(format!("announced {} {ico} {field}", event.kind));
        }
        self.last_event = before;
        for line in lines {
            day.log.add(day.day, &line);
        }
    }

    /// Every change that a register published about a company watched since then is in its history.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other cases are treated alike"
    )]
    async fn check_published(&mut self, store: &Store, scopes: &[ScopeName], day: &mut Day<'_>) {
        let begun: Vec<Published> = std::mem::take(&mut self.published);
        for published in begun {
            let history = store.events().history(&published.ico, scopes, 500, 0).await;
            let rows = history.expect("the store is there").0;
            let field = match published.kind {
                ChangeKind::NameChanged => "name",
                _ => "address",
            };
            let is_found = rows.iter().any(|row| row.field.starts_with(field));
            day.findings
                .check(day.day, CHANGES_ARE_FOUND, is_found, || {
                    format!(
                        "{:?} of {} on day {}",
                        published.kind, published.ico, published.day
                    )
                });
        }
    }
}
