//! Third-party code verifies webhooks: Python's hmac, Node's crypto, and the packages of Standard Webhooks.
//!
//! Needs `python3` with `venv`, `node` with `npm`, and, on the first run, `PyPI` and npm. Unavailable ones are
//! reported and skipped. Installed packages are kept below `target`.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use lustra_tests::{DatabaseKind, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::on_each_kind;
use crate::foreign::{done, folder, python_with, runs, say};
use crate::notifications_support::{deliveries, officer_replaced, small, text, watch_officers};

/// The packages on `PyPI` and npm.
const OF_PYTHON: &str = "standardwebhooks==1.1.0";
const OF_NODE: [&str; 3] = [
    "standardwebhooks@1.1.1",
    "@stablelib/base64@1.0.1",
    "fast-sha256@1.3.0",
];

/// A verifier: a program, its script and its arguments.
struct Verifier {
    name: &'static str,
    command: Vec<String>,
    has_package: bool,
}

fn script(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/notifications_signed");
    folder.join(name).display().to_string()
}

fn python() -> Option<Verifier> {
    if !runs("python3") {
        say("SKIPPED: webhooks are not verified in Python, because there is no python3");
        return None;
    }
    let environment = python_with("standardwebhooks-python", OF_PYTHON);
    let has_package = environment.is_some();
    let mut command = vec!["python3".to_owned(), script("verify.py")];
    if let Some(python) = environment {
        command[0] = python.display().to_string();
    } else {
        command.push("alone".to_owned());
    }
    Some(Verifier {
        name: "Python",
        command,
        has_package,
    })
}

fn node() -> Option<Verifier> {
    if !runs("node") {
        say("SKIPPED: webhooks are not verified in Node, because there is no node");
        return None;
    }
    let packages = OF_NODE.join(" ");
    let (folder, installed, mut has_package) = folder("standardwebhooks-node", &packages);
    if !has_package {
        say("installing standardwebhooks from npm (once)");
        has_package = done(
            "standardwebhooks of npm",
            Command::new("npm")
                .args(["install", "--silent", "--no-audit", "--no-fund"])
                .args(["--ignore-scripts", "--no-save", "--prefix"])
                .arg(&folder)
                .args(OF_NODE),
        );
        if has_package {
            std::fs::write(installed, &packages).expect("a folder of our own");
        }
    }
    let mut command = vec![
        "node".to_owned(),
        script("verify.js"),
        folder.display().to_string(),
    ];
    if !has_package {
        command.push("alone".to_owned());
    }
    Some(Verifier {
        name: "Node",
        command,
        has_package,
    })
}

/// The verifiers available here, detected once.
fn verifiers() -> &'static [Verifier] {
    static VERIFIERS: OnceLock<Vec<Verifier>> = OnceLock::new();
    VERIFIERS.get_or_init(|| python().into_iter().chain(node()).collect())
}

/// A received message, and the secret and time for its verification.
#[derive(Clone)]
struct Case {
    headers: HashMap<String, String>,
    body: Vec<u8>,
    secret: String,
    now: i64,
}

impl Case {
    /// A message that has just arrived.
    fn of(received: &Received, secret: &str) -> Self {
        let sent_at = received.headers["webhook-timestamp"].parse();
        Self {
            headers: received.headers.clone(),
            body: received.body.clone(),
            secret: secret.to_owned(),
            now: sent_at.expect("seconds"),
        }
    }

    fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut changed = self.clone();
        change(&mut changed);
        changed
    }

    fn json(&self) -> Value {
        let body: String = self.body.iter().map(|byte| format!("{byte:02x}")).collect();
        json!({ "headers": self.headers, "body": body, "secret": self.secret, "now": self.now })
    }
}

/// Asserts the verdicts of all verifiers for each case: for the service's own signature and for that of Standard
/// Webhooks.
fn assert_verdicts(cases: &[(&str, Case, bool, bool)]) {
    let asked: Vec<Value> = cases.iter().map(|(_, case, _, _)| case.json()).collect();
    let asked = Value::from(asked).to_string();
    for verifier in verifiers() {
        let mut running = Command::new(&verifier.command[0])
            .args(&verifier.command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it ran before");
        let mut stdin = running.stdin.take().expect("it is piped");
        stdin.write_all(asked.as_bytes()).expect("it reads");
        drop(stdin);
        let output = running.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", verifier.name);
        let verdicts: Vec<(bool, Option<bool>)> =
            serde_json::from_slice(&output.stdout).expect("a verdict for each");
        let wanted: Vec<_> = cases
            .iter()
            .map(|(name, _, own, standard)| {
                (*name, (*own, verifier.has_package.then_some(*standard)))
            })
            .collect();
        let said: Vec<_> = cases.iter().map(|case| case.0).zip(verdicts).collect();
        assert_eq!(said, wanted, "{}", verifier.name);
    }
}

/// The only webhook received since the last call.
async fn the_next(world: &World, receiver: &Receiver) -> Received {
    officer_replaced(world, &world.icos[0]).await;
    assert_eq!(world.send_due().await, 1);
    let received = receiver.take();
    let [one] = received.as_slice() else {
        panic!("one webhook: {received:?}");
    };
    one.clone()
}

#[tokio::test]
async fn third_party_code_verifies_webhooks() {
    let world = small(DatabaseKind::Sqlite).start().await;
    let receiver = Receiver::start().await;
    let body = json!({
        "ico": world.icos[0], "webhook_url": receiver.url(), "events": ["officers.changed"],
    });
    let created = world.post("/v1/notifications", &body).await;
    let (id, secret) = (text(&created, "/id"), text(&created, "/secret"));
    world.refresh_watched().await;
    let received = the_next(&world, &receiver).await;

    let delivery = &deliveries(&world, &id).await[0];
    for (name, value) in [
        ("x-webhook-event", &json!("officers.changed")),
        ("x-webhook-event", &received.json()["event"]),
        ("x-webhook-delivery-id", &delivery["id"]),
        ("webhook-id", &delivery["id"]),
        ("content-type", &json!("application/json")),
    ] {
        assert_eq!(&json!(received.headers[name]), value, "{name}");
    }
    assert_eq!(
        received.headers["content-length"],
        received.body.len().to_string()
    );
    // Non-ASCII text is signed as the bytes that are sent.
    assert!(!received.body.is_ascii());

    let right = Case::of(&received, &secret);
    let another = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let set = |name: &str, value: &str| {
        let (name, value) = (name.to_owned(), value.to_owned());
        right.with(|case| drop(case.headers.insert(name, value)))
    };
    let changed = right.with(|case| {
        let end = case.body.len() - 1;
        case.body.insert(end, b' ');
    });
    assert_verdicts(&[
        ("as it came", right.clone(), true, true),
        ("a changed body", changed, false, false),
        (
            "a wrong secret",
            right.with(|case| another.clone_into(&mut case.secret)),
            false,
            false,
        ),
        ("another id", set("webhook-id", "dlv_0"), true, false),
        (
            "six minutes later",
            right.with(|case| case.now += 360),
            true,
            false,
        ),
        (
            "a time that was not signed",
            set("webhook-timestamp", &(right.now + 1).to_string()),
            true,
            false,
        ),
    ]);
    world.end().await;
}

#[tokio::test]
async fn both_secrets_verify_during_the_grace_period() {
    on_each_kind(small, async |world| {
        let receiver = Receiver::start().await;
        let id = watch_officers(world, &world.icos[0], &receiver.url()).await;
        let path = format!("/v1/notifications/{id}/secret");
        let rotated = async |grace: Value| {
            let answer = world.post(&path, &grace).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(answer.at("/id"), id.as_str());
            text(&answer, "/secret")
        };
        let first = rotated(json!({ "grace_hours": 0 })).await;
        let second = rotated(json!({ "grace_hours": 48 })).await;
        assert_ne!(first, second);
        // After one day, and then three, when the grace period is over.
        let within = the_next(world, &receiver).await;
        world.advance(1);
        let after = the_next(world, &receiver).await;
        // Without a grace period the former secret becomes invalid at once.
        let third = rotated(json!({ "grace_hours": 0 })).await;
        let at_once = the_next(world, &receiver).await;
        let of = |received: &Received, secret: &str| Case::of(received, secret);
        assert_verdicts(&[
            ("new, within", of(&within, &second), true, true),
            ("former, within", of(&within, &first), false, true),
            ("new, after", of(&after, &second), true, true),
            ("former, after", of(&after, &first), false, false),
            ("newest", of(&at_once, &third), true, true),
            (
                "former, without a grace",
                of(&at_once, &second),
                false,
                false,
            ),
        ]);
        for (received, signatures) in [(&within, 2), (&after, 1), (&at_once, 1)] {
            let given = &received.headers["webhook-signature"];
            assert_eq!(given.split(' ').count(), signatures, "{given}");
        }
    })
    .await;
}
