//! What a request for a batch wants: its keys, its scopes, and the digest that binds an idempotency key to it.

use std::collections::{BTreeSet, HashSet};

use super::BatchQuery;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::ApiError;
use crate::api::idempotency;
use crate::api::parameters::Query;
use crate::companies::AllowedScopes;
use crate::store::{BatchKind, KeyedRequest};
use crate::tables::{Line, Value};

/// Stands for every scope of the plan.
const ALL: &str = "all";

/// What a request for a batch wants.
pub(super) struct BatchRequest {
    pub(super) kind: BatchKind,
    pub(super) scopes: Scopes,
    pub(super) keys: Vec<String>,
}

/// The scopes of a request.
pub(super) struct Scopes {
    /// The scopes of each look-up.
    pub(super) allowed: AllowedScopes,
    /// What was requested, and the limits of the key that requested it. `None`: the names in `allowed`, which do not
    /// depend on the connectors that serve now.
    requested: Option<String>,
}

/// A request with an idempotency key.
pub(super) struct Keyed {
    pub(super) request: KeyedRequest,
    /// The digest that earlier versions stored for the same request, if it is another one.
    pub(super) earlier: Option<String>,
}

impl BatchRequest {
    /// Binds an idempotency key to the request.
    pub(super) fn keyed(&self, app: &App, key: String) -> Keyed {
        let resolved = self.scopes.allowed.key();
        match &self.scopes.requested {
            None => Keyed {
                request: self.digested(app, key, "batch-scopes", &resolved),
                earlier: None,
            },
            Some(requested) => Keyed {
                request: self.digested(app, key.clone(), "batch-requested", requested),
                earlier: Some(self.digested(app, key, "batch-scopes", &resolved).request),
            },
        }
    }

    fn digested(&self, app: &App, key: String, label: &str, scopes: &str) -> KeyedRequest {
        // Keys of requests without scopes keep the digest that earlier versions stored.
        let scopes = (!scopes.is_empty()).then_some([label, scopes]);
        let scopes = scopes.into_iter().flatten();
        let parts = ["batch", self.kind.word()].into_iter();
        let keys = self.keys.iter().map(String::as_str);
        idempotency::keyed(app, key, scopes.chain(parts).chain(keys))
    }
}

impl Scopes {
    /// The requested scopes, within the plan and the limits of the key.
    ///
    /// # Errors
    /// 403 for scopes that the plan or the key lacks; 422 for unknown ones.
    pub(super) fn read(
        app: &App,
        caller: &Caller,
        Query(query): Query<BatchQuery>,
    ) -> Result<Self, ApiError> {
        let catalogue = app.companies.connectors().catalogue();
        let text = query.scope.as_deref();
        let allowed = caller.allowed_scopes(text, &catalogue)?;
        let names = text.unwrap_or_default().split(',').map(str::trim);
        let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
        let requested = names.contains(ALL).then(|| {
            let names: Vec<&str> = names.into_iter().collect();
            let limits = caller.key_scopes().unwrap_or_default();
            format!("{} {}", names.join(","), limits.join(","))
        });
        Ok(Self { allowed, requested })
    }
}

/// The requested keys without repetitions, in request order. `most` is the maximum of the plan.
pub(super) fn keys(
    mut fields: Fields,
    field: &str,
    most: usize,
    check: impl Fn(&str) -> Result<String, String>,
) -> Result<Vec<String>, ApiError> {
    let mut keys = fields.list(field, check);
    let mut seen = HashSet::with_capacity(keys.len());
    keys.retain(|key| seen.insert(key.clone()));
    if keys.len() > most {
        let sent = keys.len();
        fields.wrong(
            field,
            format!("at most {most} on this plan, and there are {sent}"),
        );
    }
    if keys.is_empty() && !fields.is_wrong(field) {
        fields.wrong(field, "expected at least one");
    }
    fields.end(&[field])?;
    Ok(keys)
}

/// The keys of a file without repetitions, in the order of its lines. A line that cannot be used becomes an item with
/// its text, and the item reports why it failed.
pub(super) fn file_keys(lines: Vec<Line>, most: usize) -> Result<Vec<String>, ApiError> {
    let keys = lines.into_iter().map(|line| match line.value {
        Value::Ico { ico, .. } => ico.as_str().to_owned(),
        Value::Name(name) => name,
        Value::Rejected(_) => line.read,
    });
    let mut keys: Vec<String> = keys.collect();
    let mut seen = HashSet::with_capacity(keys.len());
    keys.retain(|key| seen.insert(key.clone()));
    if keys.len() > most {
        let why = format!(
            "at most {most} companies on this plan, and there are {}",
            keys.len()
        );
        return Err(ApiError::invalid("file", why));
    }
    Ok(keys)
}
