//! Bodies of the requests and answers about keys.

use std::net::IpAddr;

use serde::Serialize;
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use crate::api::App;
use crate::api::auth::Caller;
use crate::api::search::ListMeta;
use crate::clock::{iso_date, rfc3339};
use crate::config::Network;
use crate::store::OwnedKey;

/// A key to create.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
pub(super) struct NewKeyBody {
    /// Name of the key, 1 to 100 characters.
    #[schema(example = "web shop")]
    name: String,
    /// Whether the key may manage the account: keys, people and the plan. Default false.
    manage: Option<bool>,
    /// Scopes that the key may request. Null: every scope of the plan.
    #[schema(example = json!(["tax", "debtor_status"]))]
    scopes: Option<Vec<String>>,
    /// Client addresses or networks in CIDR form that may use the key. Null: every address.
    #[schema(example = json!(["192.0.2.0/24"]))]
    addresses: Option<Vec<String>>,
    /// Last day (UTC) on which the key is valid, `YYYY-MM-DD`. Null: it does not expire.
    #[schema(example = "2099-12-31")]
    last_day: Option<String>,
}

/// A change of a key. What is not named stays as it is; null removes a limit.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
pub(super) struct KeyChangeBody {
    /// Name of the key, 1 to 100 characters.
    name: Option<String>,
    /// Scopes that the key may request.
    scopes: Option<Vec<String>>,
    /// Client addresses or networks in CIDR form that may use the key.
    addresses: Option<Vec<String>>,
    /// Last day (UTC) on which the key is valid, `YYYY-MM-DD`.
    last_day: Option<String>,
}

/// Options of a rotation.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
pub(super) struct KeyRotationBody {
    /// Hours for which the former secret stays valid, 0 to 168. Default 0.
    #[schema(example = 24)]
    overlap_hours: Option<u64>,
}

/// The keys of the account.
#[derive(Serialize, ToSchema)]
pub(super) struct Keys {
    pub(super) data: Vec<KeyState>,
    pub(super) meta: ListMeta,
}

/// A key without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub(super) struct KeyState {
    /// Number of the key.
    id: i64,
    /// Name of the key.
    name: String,
    /// The first characters of the secret.
    prefix: String,
    /// `valid`, `expired` or `revoked`.
    state: &'static str,
    /// Whether the request used this key.
    current: bool,
    /// Whether the key may manage the account.
    manage: bool,
    limits: Limits,
    /// When the key was created, RFC 3339.
    created_at: String,
    /// When the key was last used, to the minute, RFC 3339; null if never.
    #[schema(required)]
    last_used_at: Option<String>,
    /// When the key expires, RFC 3339; null if it does not.
    #[schema(required)]
    expires_at: Option<String>,
    /// When the key was revoked, RFC 3339; null if it was not.
    #[schema(required)]
    revoked_at: Option<String>,
    /// When the secret before the last rotation ends, RFC 3339; null if it has ended.
    #[schema(required)]
    former_secret_ends_at: Option<String>,
}

/// Limits of a key; null means no limit.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = KeyLimits)]
pub(super) struct Limits {
    /// Scopes that the key may request.
    #[schema(required)]
    scopes: Option<Vec<String>>,
    /// Networks in CIDR form that may use the key.
    #[schema(required)]
    addresses: Option<Vec<String>>,
    /// Last day (UTC) on which the key is valid, `YYYY-MM-DD`.
    #[schema(required)]
    last_day: Option<String>,
}

/// A key after a change.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KeyAnswer {
    pub(super) data: KeyState,
    /// What the change means for the key of the request and for the account; usually empty.
    pub(super) warnings: Vec<&'static str>,
}

/// A key with its secret, which is shown once.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KeyWithSecret {
    data: KeyState,
    /// The secret: the API key to send with requests. Missing in a repeated answer that cannot be decrypted.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// What the change means for the key of the request and for the account; usually empty.
    warnings: Vec<&'static str>,
}

impl KeyWithSecret {
    pub(super) fn of(answer: KeyAnswer, key: Option<String>) -> Self {
        Self {
            data: answer.data,
            key,
            warnings: answer.warnings,
        }
    }
}

/// Where a request about keys comes from.
pub(super) struct Origin {
    /// `None` for a person who is signed in.
    key_id: Option<i64>,
    address: Option<IpAddr>,
    now: OffsetDateTime,
}

impl Origin {
    pub(super) fn of(app: &App, caller: &Caller) -> Self {
        Self {
            key_id: caller.key_id,
            address: caller.address,
            now: app.context.now(),
        }
    }

    /// What a key's new state means for the caller. `keys` are all keys of the account.
    pub(super) fn warnings(&self, key: &OwnedKey, keys: &[OwnedKey]) -> Vec<&'static str> {
        let mut warnings = Vec::new();
        if Some(key.id) == self.key_id {
            let networks = key.addresses.as_deref();
            let is_excluded = networks.is_some_and(|networks| {
                self.address
                    .is_none_or(|address| !Network::any_contains(networks.split(' '), address))
            });
            if !key.is_valid(self.now) {
                warnings.push("the key of this request is no longer valid");
            } else if is_excluded {
                warnings.push("the key of this request may not be used from this address any more");
            }
        }
        let manages = |key: &OwnedKey| key.manage && key.is_valid(self.now);
        if !keys.iter().any(manages) {
            warnings.push(
                "no key of the account can manage it any more; only people and the operator can",
            );
        }
        warnings
    }
}

impl KeyState {
    pub(super) fn of(key: OwnedKey, origin: &Origin) -> Self {
        let state = match (key.revoked_at.is_some(), key.is_valid(origin.now)) {
            (true, _) => "revoked",
            (false, true) => "valid",
            (false, false) => "expired",
        };
        let words = |text: String| text.split(' ').map(str::to_owned).collect();
        let last_day = key.expires_at.map(|at| (at - Duration::MILLISECOND).date());
        let former = key.former_ends_at.filter(|at| *at > origin.now);
        Self {
            id: key.id,
            current: Some(key.id) == origin.key_id,
            state,
            name: key.name,
            prefix: key.prefix,
            manage: key.manage,
            limits: Limits {
                scopes: key.scopes.map(words),
                addresses: key.addresses.map(words),
                last_day: last_day.map(iso_date),
            },
            created_at: rfc3339(key.created_at),
            last_used_at: key.last_used_at.map(rfc3339),
            expires_at: key.expires_at.map(rfc3339),
            revoked_at: key.revoked_at.map(rfc3339),
            former_secret_ends_at: former.map(rfc3339),
        }
    }
}
