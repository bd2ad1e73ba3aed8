//! What a request for a batch wants: its keys, its scopes, and the digest that binds an idempotency key to it.

use std::collections::{BTreeSet, HashSet};

use axum::body::Body;
use axum::http::HeaderMap;

use super::BatchQuery;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::{Fields, is_file};
use crate::api::error::ApiError;
use crate::api::files::lines_of;
use crate::api::idempotency;
use crate::api::parameters::Query;
use crate::companies::{AllowedScopes, Ico};
use crate::names;
use crate::store::{BatchKind, KeyedRequest};
use crate::tables::{Line, PreferredColumn, Value};

/// Stands for every scope of the plan.
const ALL: &str = "all";

/// Maximum length of a searched name, in characters.
const MAX_NAME_CHARS: usize = 500;

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
    /// Reads the scopes and the keys: a list in the body, or a file.
    ///
    /// # Errors
    /// 403 for scopes that the plan or the key lacks; 422 for mistakes in the body.
    pub(super) async fn read(
        app: &App,
        caller: &Caller,
        query: Query<BatchQuery>,
        kind: BatchKind,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, ApiError> {
        let scopes = Scopes::read(app, caller, query)?;
        let most = caller.plan.batch_items;
        let keys = Keys { kind, most };
        let keys = if is_file(headers) {
            let column = match kind {
                BatchKind::Ico => PreferredColumn::Ico,
                BatchKind::Names => PreferredColumn::Name,
            };
            keys.of_file(lines_of(app, headers, body, column).await?)?
        } else {
            keys.of_list(Fields::read_unless_file(headers, body, app.body_bounds()).await?)?
        };
        Ok(Self { kind, scopes, keys })
    }

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
    fn read(app: &App, caller: &Caller, Query(query): Query<BatchQuery>) -> Result<Self, ApiError> {
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

/// What a list or a file of this kind contains.
struct Keys {
    kind: BatchKind,
    /// The maximum of the plan.
    most: usize,
}

impl Keys {
    /// The keys of a list, in its order.
    fn of_list(&self, mut fields: Fields) -> Result<Vec<String>, ApiError> {
        let (field, keys) = match self.kind {
            BatchKind::Ico => ("icos", fields.list("icos", ico)),
            BatchKind::Names => ("names", fields.list("names", name)),
        };
        let keys = distinct(keys);
        if let Some(why) = self.too_many(&keys) {
            fields.wrong(field, why);
        }
        if keys.is_empty() && !fields.is_wrong(field) {
            fields.wrong(field, "expected at least one");
        }
        fields.end(&[field])?;
        Ok(keys)
    }

    /// The keys of a file, in the order of its lines. A line that cannot be used becomes an item with its text, and the
    /// item reports why it failed.
    fn of_file(&self, lines: Vec<Line>) -> Result<Vec<String>, ApiError> {
        let keys = lines.into_iter().map(|line| match line.value {
            Value::Ico { ico, .. } => ico.as_str().to_owned(),
            Value::Name(name) => name,
            Value::Rejected(_) => line.read,
        });
        let keys = distinct(keys.collect());
        match self.too_many(&keys) {
            Some(why) => Err(ApiError::invalid("file", why)),
            None => Ok(keys),
        }
    }

    fn too_many(&self, keys: &[String]) -> Option<String> {
        let (sent, most) = (keys.len(), self.most);
        (sent > most).then(|| format!("at most {most} on this plan, and there are {sent}"))
    }
}

/// The keys without repetitions, in the same order.
fn distinct(mut keys: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::with_capacity(keys.len());
    keys.retain(|key| seen.insert(key.clone()));
    keys
}

fn ico(text: &str) -> Result<String, String> {
    let ico = Ico::parse(text).map_err(|error| error.to_string())?;
    Ok(ico.as_str().to_owned())
}

fn name(text: &str) -> Result<String, String> {
    if text.chars().nth(MAX_NAME_CHARS).is_some() {
        return Err(format!("a name has at most {MAX_NAME_CHARS} characters"));
    }
    if names::name_key(text).is_empty() {
        return Err("a name has a letter or a digit".to_owned());
    }
    Ok(text.to_owned())
}
