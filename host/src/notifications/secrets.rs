//! Signing secrets of webhooks: generated, shown once and sealed before they are stored.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::config::Secret;

/// Prefix of a Standard Webhooks secret.
const PREFIX: &str = "whsec_";

/// Purpose that signing secrets of subscriptions are sealed for.
pub(super) const SEALED_FOR: &str = "webhook";

/// A new secret: 32 random bytes in Standard Webhooks form.
#[must_use]
pub fn new_secret() -> Secret {
    let bytes: [u8; 32] = rand::random();
    Secret::new(format!("{PREFIX}{}", BASE64_STANDARD.encode(bytes)))
}

/// The key bytes that Standard Webhooks signs with. A text in any other form is used as it is.
pub(super) fn key_bytes(secret: &str) -> Vec<u8> {
    let encoded = secret.strip_prefix(PREFIX).unwrap_or(secret);
    BASE64_STANDARD
        .decode(encoded)
        .unwrap_or_else(|_not_ours| secret.as_bytes().to_vec())
}
