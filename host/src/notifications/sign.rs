//! Webhook headers: Lustra's own signature and that of Standard Webhooks 1.0.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;
use time::OffsetDateTime;

use super::secrets::key_bytes;
use crate::config::Secret;
use crate::connectors::cache::hex;

/// Hex HMAC-SHA256 of the body. The key is the secret's text as the account received it.
pub const SIGNATURE: HeaderName = HeaderName::from_static("x-webhook-signature");
pub const EVENT: HeaderName = HeaderName::from_static("x-webhook-event");
/// The delivery's id, identical for all attempts.
pub const DELIVERY_ID: HeaderName = HeaderName::from_static("x-webhook-delivery-id");

/// Standard Webhooks: message id, timestamp and signatures.
const STANDARD: [HeaderName; 3] = [
    HeaderName::from_static("webhook-id"),
    HeaderName::from_static("webhook-timestamp"),
    HeaderName::from_static("webhook-signature"),
];

pub struct Message<'a> {
    pub id: &'a str,
    pub kind: &'a str,
    pub body: &'a [u8],
    /// Time of sending. Receivers reject old timestamps to prevent replays.
    pub at: OffsetDateTime,
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length is a key");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// The headers of an attempt. The first secret is the current one. Former secrets also sign, in the header that
/// allows several signatures.
#[must_use]
pub fn headers(message: &Message<'_>, secrets: &[Secret]) -> HeaderMap {
    let time = message.at.unix_timestamp().to_string();
    let own = secrets
        .first()
        .map(|secret| hex(&hmac(secret.reveal().as_bytes(), &[message.body])));
    let standard: Vec<String> = secrets
        .iter()
        .map(|secret| {
            let signed = [
                message.id.as_bytes(),
                b".",
                time.as_bytes(),
                b".",
                message.body,
            ];
            let digest = hmac(&key_bytes(secret.reveal()), &signed);
            format!("v1,{}", BASE64_STANDARD.encode(digest))
        })
        .collect();
    let [id, timestamp, signature] = STANDARD;
    let values = [
        (SIGNATURE, own.unwrap_or_default()),
        (EVENT, message.kind.to_owned()),
        (DELIVERY_ID, message.id.to_owned()),
        (id, message.id.to_owned()),
        (timestamp, time),
        (signature, standard.join(" ")),
    ];
    values
        .into_iter()
        .filter_map(|(name, value)| Some((name, HeaderValue::from_str(&value).ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn signature_matches_the_standard_webhooks_example() {
        // The example of the Standard Webhooks reference libraries.
        let message = Message {
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            kind: "company.updated",
            body: br#"{"test": 2432232314}"#,
            at: datetime!(2021-02-25 15:02:10 UTC),
        };
        let secrets = [Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")];
        assert_eq!(message.at.unix_timestamp(), 1_614_265_330);
        let headers = headers(&message, &secrets);
        assert_eq!(
            headers["webhook-signature"],
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn former_secret_also_signs() {
        let message = Message {
            id: "dlv_1",
            kind: "company.updated",
            body: b"{}",
            at: datetime!(2026-01-15 08:00 UTC),
        };
        let (new, old) = (Secret::new("new"), Secret::new("old"));
        let both = headers(&message, &[new.clone(), old]);
        let one = headers(&message, &[new]);
        assert_eq!(both["x-webhook-signature"], one["x-webhook-signature"]);
        let signatures = both["webhook-signature"].to_str().expect("ASCII");
        assert!(signatures.starts_with(one["webhook-signature"].to_str().expect("ASCII")));
        assert_eq!(signatures.split(' ').count(), 2);
    }
}
