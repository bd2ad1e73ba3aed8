//! Incidents of sources: recorded states, `/v1/status/incidents` and the status page.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::context::Context;
use lustra_tests::lustra::status::Recorder;
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{START, World};
use serde_json::{Value, json};

use crate::pages::{SLOVAK, page};

const ENGLISH: [(&str, &str); 2] = [("accept", "text/html"), ("accept-language", "en")];

/// A recorder with a clock of its own, in minutes after the start.
struct Recording {
    recorder: Recorder,
    minute: Arc<AtomicI64>,
}

impl Recording {
    fn of(world: &World, host: &str) -> Self {
        let minute = Arc::new(AtomicI64::new(0));
        let shown = Arc::clone(&minute);
        let clock =
            Clock::from_fn(move || START + time::Duration::minutes(shown.load(Ordering::Relaxed)));
        let own = world.importer.context();
        let context = Context::new(world.store.clone(), clock, &own.config());
        let companies = world.importer.companies().clone();
        Self {
            recorder: Recorder::new(context, companies, START, host.to_owned()),
            minute,
        }
    }

    async fn at(&self, minute: i64) -> bool {
        self.minute.store(minute, Ordering::Relaxed);
        let recorded = self.recorder.step().await;
        recorded.expect("the store is there")
    }
}

async fn incidents(world: &World) -> Value {
    let answer = world.get_with("/v1/status/incidents", &[]).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

/// The incidents of one source.
fn of_source(incidents: &Value, source: &str) -> Vec<Value> {
    let all = incidents["incidents"].as_array().expect("a list");
    let of_source = all.iter().filter(|one| one["source"] == source);
    of_source.cloned().collect()
}

async fn english(world: &World) -> String {
    let answer = world.get_with("/status", &ENGLISH).await;
    answer.body.as_str().expect("a page").to_owned()
}

#[tokio::test]
async fn fresh_installation_does_not_claim_no_incidents() {
    let world = World::new().nothing_imported().start().await;
    let fresh = incidents(&world).await;
    assert_eq!(fresh["recorded_since"], Value::Null);
    assert_eq!(fresh["kept_days"], 90);
    assert!(english(&world).await.contains("nothing can be said"));
    assert!(page(&world, "/status").await.contains("nedá nič povedať"));
    assert!(Recording::of(&world, "one").at(0).await);
    let recorded = incidents(&world).await;
    assert_eq!(recorded["recorded_since"], "2026-01-15T08:00:00Z");
    assert_eq!(recorded["incidents"], json!([]), "no source was asked");
    assert!(english(&world).await.contains("No incident was recorded"));
    world.end().await;
}

#[tokio::test]
async fn failing_source_is_an_incident_until_it_answers() {
    let world = World::new().companies(12).start().await;
    let recording = Recording::of(&world, "one");
    assert!(recording.at(0).await);
    assert!(
        !Recording::of(&world, "two").at(0).await,
        "one host records"
    );
    world.fault(Register::Orsr, Fault::Error500);
    world.company(&world.icos[0], "").await;
    recording.at(5).await;
    let lasting = of_source(&incidents(&world).await, "orsr");
    assert_eq!(lasting.len(), 1, "{lasting:?}");
    assert_eq!(lasting[0]["state"], "degraded");
    assert_eq!(lasting[0]["reason"], "unavailable");
    assert_eq!(lasting[0]["to"], Value::Null);
    assert!(english(&world).await.contains("<td>lasts</td>"));
    world.fault(Register::Orsr, Fault::Off);
    world.company(&world.icos[1], "").await;
    recording.at(9).await;
    let ended = of_source(&incidents(&world).await, "orsr");
    let expected = json!({
        "source": "orsr",
        "title": lasting[0]["title"],
        "state": "degraded",
        "reason": "unavailable",
        "part": null,
        "from": "2026-01-15T08:05:00Z",
        "to": "2026-01-15T08:09:00Z",
        "ended_as": "operational",
        "seconds": 240,
    });
    assert_eq!(ended, [expected]);
    let slovak = page(&world, "/status").await;
    assert!(slovak.contains("register neodpovedá"), "{slovak}");
    assert!(slovak.contains("<td>4 min</td>"), "{slovak}");
    assert!(
        english(&world)
            .await
            .contains("the register does not answer")
    );
    world.end().await;
}

#[tokio::test]
async fn late_import_is_an_incident_and_a_pause_ends_it() {
    let world = World::new().start().await;
    let recording = Recording::of(&world, "one");
    let days = |days: i64| days * 1_440;
    recording.at(0).await;
    assert_eq!(incidents(&world).await["incidents"], json!([]));
    recording.at(days(60)).await;
    recording.at(days(61)).await;
    let late = of_source(&incidents(&world).await, "tax-authority");
    let of = |name: &str| late.iter().map(|one| one[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("state"), ["late", "late"]);
    assert_eq!(of("reason"), ["import_late", "import_late"]);
    assert!(late[0]["part"].is_string(), "{late:?}");
    assert_eq!(of("ended_as"), [Value::Null, Value::Null]);
    assert_eq!(late[0]["to"], late[0]["from"], "it was seen once");
    let answer = world.get_with("/status", &SLOVAK).await;
    let shown = answer.body.as_str().expect("a page");
    assert!(shown.contains("načítanie zoznamu sa nezačalo včas"));
    assert!(shown.contains("potom sa stav nezaznamenal"));
    recording.at(days(400)).await;
    let store = world.store.source_states();
    let left = store.spans(&["late"], START, 100).await.expect("a store");
    let is_new = |at| at == START + time::Duration::days(400);
    assert!(
        left.iter().all(|span| is_new(span.from_at)),
        "older are swept"
    );
    world.end().await;
}
