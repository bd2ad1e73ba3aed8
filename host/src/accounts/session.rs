//! A browser that is signed in, as the API sees it.

use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use futures_util::future::BoxFuture;

use super::Actor;
use crate::store::{AccountId, Session, SessionOwner};

/// The session of a page's request. A request to the API that carries it as an extension acts for its owner; only the
/// pages add it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub account_id: AccountId,
    pub actor: Actor,
    /// The key that the session belongs to; `None` for a person's.
    pub key_id: Option<i64>,
    /// Digest of the session's token.
    pub digest: [u8; 32],
}

impl SignedIn {
    /// The session with this digest.
    #[must_use]
    pub fn of(session: &Session, digest: [u8; 32]) -> Self {
        let (actor, key_id) = match session.owner {
            SessionOwner::Member { role, .. } => (Actor::Member(role), None),
            SessionOwner::Key { id, manage } => (Actor::Key { manage }, Some(id)),
        };
        Self {
            account_id: session.account_id,
            actor,
            key_id,
            digest,
        }
    }
}

/// Calls the API within this process. Of the request's extensions, the session, the request's id and the client's
/// address count.
pub type ApiCalls = Arc<dyn Fn(Request<Body>) -> BoxFuture<'static, Response> + Send + Sync>;
