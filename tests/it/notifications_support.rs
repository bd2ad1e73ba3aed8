//! Shared helpers for tests of notifications.
//!
//! The clock runs and is advanced by days. Delays between attempts are days, so a slow machine makes nothing due.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::store::ClaimedDelivery;
use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::{
    Answer, Builder, DatabaseKind, Received, ReceivedEmail, Receiver, START, World, answered,
    client,
};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The seconds of a day.
pub const DAY: u64 = 86_400;

pub fn small(kind: DatabaseKind) -> Builder {
    World::new().on(kind).companies(12).without_index()
}

/// A small world with these delays between attempts.
pub fn retrying(kind: DatabaseKind, waits: &[u64]) -> Builder {
    let waits = waits.to_vec();
    small(kind).settings(move |config| config.notifications.retry_seconds = waits)
}

/// Watches a company and reads its baseline, which raises no events. Returns the subscription's id.
pub async fn watch(world: &World, body: &Value) -> String {
    let created = world.post("/v1/notifications", body).await;
    assert_eq!(created.status, 201, "{}", created.body);
    world.refresh_watched().await;
    assert_eq!(world.fan_out().await, 0, "a baseline raises no events");
    text(&created, "/id")
}

/// Watches all event kinds of a company. Discards the first hits that the first reading raises.
pub async fn follow(world: &World, ico: &str, receiver: &Receiver) {
    let body = json!({ "ico": ico, "webhook_url": receiver.url() });
    let put = world.post("/v1/notifications", &body).await;
    assert!([200, 201].contains(&put.status), "{}", put.body);
    world.propagate_changes().await;
    drop(receiver.take());
}

/// The fields of the events `company.updated` that a receiver got since the last call, in order.
pub fn updated_fields(receiver: &Receiver) -> Vec<String> {
    let received = receiver.take();
    let notices = received.iter().map(Received::json);
    notices
        .filter(|notice| notice["event"] == "company.updated")
        .filter_map(|notice| Some(notice["data"]["field"].as_str()?.to_owned()))
        .collect()
}

/// Like [`watch`], for a webhook that gets officer changes only: one event per replacement.
pub async fn watch_officers(world: &World, ico: &str, webhook: &str) -> String {
    let body = json!({ "ico": ico, "webhook_url": webhook, "events": ["officers.changed"] });
    watch(world, &body).await
}

/// Replaces an officer on the next day and fans out the events, so that deliveries are pending.
pub async fn officer_replaced(world: &World, ico: &str) {
    world.happens(ico, ChangeKind::OfficerReplaced);
    world.refresh_watched().await;
    assert!(world.fan_out().await > 0, "it is noticed");
}

/// A text of an answer.
pub fn text(answer: &Answer, pointer: &str) -> String {
    let text = answer.at(pointer).as_str();
    text.unwrap_or_else(|| panic!("no text at {pointer}: {answer:?}"))
        .to_owned()
}

/// The deliveries of a subscription, the oldest first.
pub async fn deliveries(world: &World, subscription: &str) -> Vec<Value> {
    let path = format!("/v1/notifications/{subscription}/deliveries");
    let listed = world.get(&path).await;
    let mut found = listed
        .at("/data")
        .as_array()
        .cloned()
        .unwrap_or_else(|| panic!("no deliveries: {listed:?}"));
    assert_eq!(listed.at("/meta/total"), found.len(), "{listed:?}");
    found.reverse();
    found
}

/// Status and number of attempts of each delivery of a subscription, oldest first.
pub async fn states(world: &World, subscription: &str) -> Vec<(String, u64)> {
    let state = |delivery: Value| {
        let status = delivery["status"].as_str().expect("a word").to_owned();
        (status, delivery["attempts"].as_u64().expect("a number"))
    };
    let found = deliveries(world, subscription).await;
    found.into_iter().map(state).collect()
}

/// Expected value for [`states`].
pub fn are(states: &[(&str, u64)]) -> Vec<(String, u64)> {
    let owned = states
        .iter()
        .map(|(status, tried)| ((*status).to_owned(), *tried));
    owned.collect()
}

/// The outcome of each attempt of a delivery.
pub fn outcomes(delivery: &Value) -> Vec<&str> {
    let attempts = delivery["attempt_log"].as_array().expect("attempts");
    let words = attempts.iter().map(|attempt| &attempt["outcome"]);
    words.map(|word| word.as_str().expect("a word")).collect()
}

/// Claims due deliveries without finishing them, like a crashed host.
pub async fn claim(world: &World) -> Vec<ClaimedDelivery> {
    let lease = std::time::Duration::from_secs(3_600);
    let deliveries = world.store.deliveries();
    let claimed = deliveries.claim(&[], 64, &|_| 16, lease, world.now()).await;
    claimed.expect("the store is there")
}

/// The subscription's entry in the list.
pub async fn subscription(world: &World, id: &str) -> Value {
    let listed = world.get("/v1/notifications?limit=100").await;
    let all = listed.at("/data").as_array().cloned().unwrap_or_default();
    let found = all.into_iter().find(|one| one["id"] == id);
    found.unwrap_or_else(|| panic!("no subscription {id}: {listed:?}"))
}

/// Creates another account on this plan. Returns its key.
pub async fn another_account(world: &World, plan: &str) -> String {
    let (keys, now) = (world.store.keys(), world.now());
    let account = keys.create_account("others", plan, now).await;
    let account = account.expect("the name is free").id;
    let key = NewKey::live();
    let hash = key.text.hash();
    let created = keys.create_key(account, "others", &key.prefix, &hash, None, now);
    created.await.expect("the store is there");
    key.text.reveal().to_owned()
}

/// `GET` with another key than the world's.
pub async fn get_as(world: &World, key: &str, path: &str) -> Answer {
    world.get_with(path, &[("x-api-key", key)]).await
}

/// `POST` of JSON with another key than the world's.
pub async fn post_as(world: &World, key: &str, path: &str, body: &Value) -> Answer {
    let request = client().post(format!("{}{path}", world.url()));
    answered(request.header("x-api-key", key).json(body)).await
}

/// A response prepared for a snapshot: ids, secrets, signatures, times and the receiver's port are checked and
/// redacted.
pub fn shown(answer: &Answer, receiver: &str) -> Value {
    json!({ "status": answer.status, "body": redacted("", &answer.body, receiver) })
}

fn redacted(name: &str, value: &Value, receiver: &str) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), redacted(name, value, receiver)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items
            .iter()
            .map(|item| redacted(name, item, receiver))
            .collect(),
        Value::Number(_) if name == "duration_ms" => json!("[ms]"),
        Value::String(text) => json!(named(name, text, receiver)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn named(name: &str, text: &str, receiver: &str) -> String {
    for (prefix, named) in [
        ("sub_", "[subscription]"),
        ("dlv_", "[delivery]"),
        ("evt_", "[event]"),
    ] {
        if let Some(rest) = text.strip_prefix(prefix) {
            assert!(is_hexadecimal(rest, 32), "an id: {text}");
            return named.to_owned();
        }
    }
    if let Some(rest) = text.strip_prefix("whsec_") {
        // 32 bytes in Base64.
        assert!(
            rest.len() == 44 && rest.ends_with('='),
            "{} characters",
            rest.len()
        );
        return "[secret]".to_owned();
    }
    match name {
        "x-webhook-signature" => {
            assert!(is_hexadecimal(text, 64), "a signature: {text}");
            "[signature]".to_owned()
        }
        "webhook-signature" => {
            assert!(text.starts_with("v1,") && text.len() == 47, "{text}");
            "[signature]".to_owned()
        }
        "webhook-timestamp" => {
            let seconds: i64 = text.parse().expect("seconds");
            assert!(seconds >= START.unix_timestamp(), "{text}");
            "[seconds]".to_owned()
        }
        // JSON within JSON.
        "body" if text.starts_with('{') => {
            let inner: Value = serde_json::from_str(text).expect("JSON");
            redacted("", &inner, receiver).to_string()
        }
        "body" => {
            // An e-mail's text.
            let lines = text
                .split_inclusive('\n')
                .map(|line| match line.split_once(": ") {
                    Some((label, at)) => {
                        format!("{label}: {}", named("", at.trim_end(), receiver)) + "\n"
                    }
                    None => line.to_owned(),
                });
            lines.collect()
        }
        _ if OffsetDateTime::parse(text, &Rfc3339).is_ok_and(|at| at >= START) => {
            "[time]".to_owned()
        }
        _ if receiver.is_empty() => text.to_owned(),
        _ => text.replace(receiver, "[receiver]"),
    }
}

fn is_hexadecimal(text: &str, length: usize) -> bool {
    let digits = text.bytes();
    text.len() == length
        && digits
            .into_iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub fn subject(message: &ReceivedEmail) -> String {
    decoded(&message.header("Subject").expect("a subject"))
}

/// The decoded quoted-printable text of an e-mail's parts.
pub fn plain(message: &ReceivedEmail) -> String {
    let joined = message.body().replace("=\r\n", "");
    let mut bytes = Vec::new();
    let mut rest = joined.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind
            .get(..2)
            .and_then(|two| std::str::from_utf8(two).ok());
        let encoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match encoded.filter(|_| *first == b'=') {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).expect("it is UTF-8")
}

/// A decoded header (RFC 2047).
pub fn decoded(header: &str) -> String {
    const BEGIN: &str = "=?utf-8?b?";
    // Spaces between two encoded words are not part of the text.
    let joined = header.replace("?= =?", "?==?");
    let (mut bytes, mut rest) = (Vec::new(), joined.as_str());
    while let Some((plain, word)) = rest.split_once(BEGIN) {
        let (encoded, after) = word.split_once("?=").expect("an encoded word ends");
        bytes.extend(plain.as_bytes());
        bytes.extend(BASE64_STANDARD.decode(encoded).expect("it is base64"));
        rest = after;
    }
    bytes.extend(rest.as_bytes());
    String::from_utf8(bytes).expect("it is UTF-8")
}
