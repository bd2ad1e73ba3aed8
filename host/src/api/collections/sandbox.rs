//! Collections of the sandbox.

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::json;

use super::{Asked, CollectionRoute, page, tag};
use crate::api::App;
use crate::api::auth::SandboxCaller;
use crate::api::conditional::{has_current_tag, json_response};
use crate::api::error::ApiError;
use crate::api::head::without_body;
use crate::collections::CollectionError;

/// Answers like the collection of a connector, for nothing and with invented items.
pub(super) async fn answer(
    app: &App,
    parts: &mut Parts,
    route: &CollectionRoute,
) -> Result<Response, ApiError> {
    let _caller = SandboxCaller::from_request_parts(parts, app).await?;
    let mut offered = app.sandbox.collections();
    let found = offered.find(|(connector, fixed)| {
        **connector == route.connector && fixed.manifest.collection == route.collection
    });
    let (_, fixed) = found.ok_or_else(|| ApiError::from(CollectionError::NoSuchItem))?;
    let body = match Asked::read(app, parts, route, &fixed.manifest)? {
        Asked::Item(id) => {
            let item = fixed.item(&id).ok_or(CollectionError::NoSuchItem)?;
            json!({ "data": item })
        }
        Asked::Page { question, of } => {
            let company = of.as_ref().and_then(|of| of.company(&fixed.manifest));
            page(&question, company, fixed.list(&question, company))
        }
    };
    let body = body.to_string();
    let etag = tag(&body);
    let is_unchanged = has_current_tag(&parts.headers, &etag);
    let body = if parts.method == Method::HEAD {
        without_body()
    } else {
        Body::from(body)
    };
    Ok(json_response(&etag, is_unchanged, body))
}
