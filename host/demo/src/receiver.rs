//! The demo's webhook receiver: verifies signatures like a client would, and lists what it received.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Json, Router};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value, json};
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use lustra::config::Secret;

/// Most webhooks that are kept for the list.
const MAX_NOTICES: usize = 100;

#[derive(Debug, Clone)]
pub struct Notice {
    /// Whether the signature is valid for the receiver's secret.
    pub verified: bool,
    pub body: Value,
}

/// A webhook receiver on a free loopback port.
pub struct Receiver {
    address: SocketAddr,
    shared: Shared,
    notices: mpsc::UnboundedReceiver<Notice>,
    _task: tokio::task::JoinHandle<()>,
}

#[derive(Clone)]
struct Shared {
    secret: Arc<Mutex<Option<Secret>>>,
    received: Arc<Mutex<Vec<Value>>>,
    sender: mpsc::UnboundedSender<Notice>,
}

impl Receiver {
    /// Starts a receiver.
    ///
    /// # Errors
    /// It cannot listen.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let address = listener.local_addr()?;
        let (sender, notices) = mpsc::unbounded_channel();
        let shared = Shared {
            secret: Arc::default(),
            received: Arc::default(),
            sender,
        };
        let router = Router::new()
            .route("/", axum::routing::get(received).post(receive))
            .with_state(shared.clone());
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the demo's webhook receiver failed");
            }
        });
        Ok(Self {
            address,
            shared,
            notices,
            _task: task,
        })
    }

    /// URL of the receiver; `GET` lists what was received.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Verifies later webhooks with this secret.
    pub fn verify_with(&self, secret: Secret) {
        let mut current = self
            .shared
            .secret
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *current = Some(secret);
    }

    /// Waits for the next webhook.
    pub async fn next(&mut self) -> Option<Notice> {
        self.notices.recv().await
    }
}

/// Whether a body is signed with the secret; compares the HMAC in constant time.
fn is_signed(secret: &Secret, headers: &HeaderMap, body: &[u8]) -> bool {
    let digits = headers
        .get("x-webhook-signature")
        .map(|value| value.as_bytes().to_vec());
    let pair = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(text, 16).ok()
    };
    let signature: Option<Vec<u8>> = digits.and_then(|digits| digits.chunks(2).map(pair).collect());
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()) else {
        return false;
    };
    mac.update(body);
    signature.is_some_and(|signature| mac.verify_slice(&signature).is_ok())
}

async fn receive(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let secret = shared
        .secret
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let verified = secret.is_some_and(|secret| is_signed(&secret, &headers, &body));
    let shown: Map<String, Value> = headers
        .iter()
        .filter(|(name, _)| {
            name.as_str().starts_with("x-webhook") || name.as_str().starts_with("webhook-")
        })
        .map(|(name, value)| {
            let value = value.to_str().unwrap_or_default();
            (name.to_string(), Value::from(value))
        })
        .collect();
    let body = serde_json::from_slice(&body)
        .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&body)));
    let mut received = shared
        .received
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    received.push(json!({ "headers": shown, "verified": verified, "body": body }));
    if received.len() > MAX_NOTICES {
        received.remove(0);
    }
    // Sending fails if nothing waits for webhooks, which is not an error.
    drop(shared.sender.send(Notice { verified, body }));
    StatusCode::NO_CONTENT
}

async fn received(State(shared): State<Shared>) -> Json<Value> {
    let received = shared
        .received
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    Json(Value::from(received.clone()))
}
