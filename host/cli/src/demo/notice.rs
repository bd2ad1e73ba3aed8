//! Shows notifications in the demo: subscribes to a company, advances the date, replaces an officer, and prints the
//! webhook.

use std::time::Duration;

use register_simulator::{ChangeKind, Simulator};
use serde_json::{Value, json};

use crate::{CliError, say};
use lustra::config::Secret;
use lustra_demo::Receiver;

/// Timeout for the webhook after the date was advanced.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Index of the company to change: a limited company, which has officers.
const COMPANY_INDEX: usize = 0;

/// Subscribes the receiver to a company; returns the host's response.
///
/// # Errors
/// The host does not respond, or refuses.
pub async fn subscribe(
    base_url: &str,
    key: &str,
    receiver: &Receiver,
    icos: &[String],
) -> Result<Value, CliError> {
    let client = reqwest::Client::new();
    let failed = |error: reqwest::Error| CliError::caused("the demo's host", &error);
    let ico = icos.get(COMPANY_INDEX).map_or("", String::as_str);
    // Read all scopes first, so that there is a state to compare with.
    let known = client.get(format!("{base_url}/company/ico/{ico}?scope=all"));
    known
        .header("x-api-key", key)
        .send()
        .await
        .map_err(failed)?;
    let body = json!({ "ico": ico, "webhook_url": receiver.url() });
    let subscribed = client
        .post(format!("{base_url}/notifications"))
        .header("x-api-key", key)
        .json(&body);
    let answer: Value = subscribed
        .send()
        .await
        .map_err(failed)?
        .json()
        .await
        .map_err(failed)?;
    match answer["secret"].as_str() {
        Some(secret) => {
            receiver.verify_with(Secret::new(secret));
            Ok(answer)
        }
        None => Err(CliError(format!("the demo could not subscribe: {answer}"))),
    }
}

/// Advances the date to one on which an officer of that company is replaced, and prints its notice and all later ones
/// as long as the demo runs.
pub async fn show(simulator: &Simulator, mut receiver: Receiver, icos: &[String]) {
    let ico = icos.get(COMPANY_INDEX).map_or("", String::as_str);
    let population = simulator.population();
    let tomorrow = simulator.clock().day() + 1;
    let changed = population
        .by_ico(ico)
        .is_some_and(|index| population.force(index, tomorrow, ChangeKind::OfficerReplaced));
    if !changed {
        return;
    }
    say(&format!(
        "· advancing the date by a day; company {ico} gets another officer"
    ));
    simulator.advance(1);
    let first = tokio::time::timeout(TIMEOUT, receiver.next()).await;
    if first.is_err() {
        say("· the receiver got no webhook within two minutes; see the log");
    }
    let mut next = first.ok().flatten();
    tokio::spawn(async move {
        loop {
            let Some(notice) = next else { return };
            let (event, data) = (&notice.body["event"], &notice.body["data"]);
            let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            let verified = if notice.verified {
                "signature valid"
            } else {
                "signature invalid"
            };
            say(&format!(
                "· webhook received: {}: {} of {} was {} and is {} ({verified})",
                text(event),
                text(&data["field"]),
                text(&data["company"]["name"]),
                text(&data["old_value"]),
                text(&data["new_value"]),
            ));
            next = receiver.next().await;
        }
    });
}
