//! Inserts subscriptions and events directly into the store, without the API or a register.

use lustra_tests::World;
use lustra_tests::lustra::changes::{EventContent, WebhookFinding, Wording};
use lustra_tests::lustra::notifications::new_secret;
use lustra_tests::lustra::store::testing::{connector_id, scope_name};
use lustra_tests::lustra::store::{ChangeSet, FormerSection, NewEvent, NewSubscription, Section};

/// Subscribes the world's account to a company, with an unchecked webhook. Returns the subscription's number.
pub async fn subscribed_in_the_store(world: &World, ico: &str, target: &str) -> i64 {
    let new = NewSubscription {
        id: format!("sub_{ico}"),
        ico: ico.to_owned(),
        kinds: None,
        webhook_url: Some(target.to_owned()),
        webhook_endpoint: None,
        emails: Vec::new(),
        secret: world.notifier.seal(&new_secret()),
        most: None,
        confirm: false,
    };
    let account = world.account().await.id;
    let of = world.store.subscriptions_of(account);
    let put = of.put(&new, world.now()).await;
    put.expect("the store is there");
    let stored = of.find(ico).await.expect("the store is there");
    stored.expect("it was put").number
}

/// Inserts pending events with these ids for a company.
pub async fn found_in_the_store(world: &World, ico: &str, ids: &[String]) {
    let section = Section {
        ico: ico.to_owned(),
        scope: scope_name("tests"),
        content: None,
        content_hash: String::new(),
        unread: false,
        unread_sources: None,
        connector: connector_id("tests"),
        connector_version: "1.0.0".to_owned(),
        generation: 1,
        evidence: "[]".to_owned(),
    };
    let content = EventContent {
        finding: WebhookFinding::default(),
        wording: Wording::default(),
    };
    let event = |id: &String| NewEvent {
        id: id.clone(),
        ico: ico.to_owned(),
        kind: "company.updated".to_owned(),
        scope: None,
        reading: id.clone(),
        content: content.to_json(),
        detected_at: world.now(),
    };
    let found = ChangeSet {
        changes: Vec::new(),
        events: ids.iter().map(event).collect(),
    };
    let compare = |_: Option<&FormerSection>, _: &Section| found.clone();
    let sections = world.store.sections();
    let put = sections.put_compared(&section, &compare, world.now()).await;
    put.expect("the store is there");
}
