//! Collections: lists of registers' subjects that connectors offer, at `/v1/{connector}/{collection}`, and the items
//! of one company, at `/v1/company/ico/{ico}/{path}`.
//!
//! The addresses are those of the serving manifests, so they are no routes of the router: a request that no route
//! matches is resolved against the catalogue of the moment.

pub(super) mod parameters;
mod route;
mod sandbox;

use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::App;
use super::charging::{Call, Endpoint};
use super::conditional::{has_current_tag, json_response};
use super::error::{ApiError, Code};
use super::head::{self, without_body};
use crate::collections::{Company, Listed, Offered, Question};
use crate::connectors::manifest::CollectionManifest;
use parameters::NotPaged;
pub(super) use route::{CollectionRoute, CollectionTarget};

/// Finds the collection of a request that no route matches, and keeps it with the request.
pub(super) fn resolve(app: &App, request: &mut Request) {
    if request
        .extensions()
        .get::<axum::extract::MatchedPath>()
        .is_some()
    {
        return;
    }
    let catalogue = app.companies.connectors().catalogue();
    if let Some(route) = CollectionRoute::of_path(request.uri().path(), &catalogue, &app.sandbox) {
        request.extensions_mut().insert(route);
    }
}

/// Answers a request that no route matches.
pub(super) async fn fallback(State(app): State<App>, request: Request) -> Response {
    let (mut parts, _body) = request.into_parts();
    let Some(route) = parts.extensions.remove::<CollectionRoute>() else {
        return super::unknown_path().into_response();
    };
    if parts.method != Method::GET && parts.method != Method::HEAD {
        let allow = [(header::ALLOW, HeaderValue::from_static("GET,HEAD"))];
        return (allow, super::wrong_method().await).into_response();
    }
    let answer = if route.is_sandbox {
        sandbox::answer(&app, &mut parts, &route).await
    } else {
        answer(&app, &mut parts, &route).await
    };
    answer.unwrap_or_else(IntoResponse::into_response)
}

async fn answer(
    app: &App,
    parts: &mut Parts,
    route: &CollectionRoute,
) -> Result<Response, ApiError> {
    parts.extensions.insert(Endpoint(route.target.usage()));
    let call = Call::from_request_parts(parts, app).await?;
    let catalogue = app.companies.connectors().catalogue();
    let served = catalogue.collection(&route.connector, &route.collection);
    let served = served.and_then(|(loaded, _)| Offered::new(loaded, &route.collection));
    // It was replaced since the request arrived.
    let offered =
        served.ok_or_else(|| ApiError::new(Code::NotFound, "there is nothing at this path"))?;
    let manifest = offered.manifest();
    let asked = Asked::read(app, parts, route, manifest)?;
    if !call.caller().plan.has_feature(&manifest.feature) {
        let feature = &manifest.feature;
        let message =
            format!("this requires the feature {feature}, which the plan does not include");
        return Err(ApiError::new(Code::Forbidden, message));
    }
    call.caller().ensure_scope(&manifest.feature)?;
    let is_head = parts.method == Method::HEAD;
    let body = match asked {
        Asked::Item(id) => {
            if !is_head {
                call.ensure_credit().await?;
            }
            json!({"data": app.collections.item(&offered, &id).await?})
        }
        Asked::Page { .. } if is_head => return Ok(head::of_search(call)),
        Asked::Page { question, of } => {
            call.ensure_credit().await?;
            let company = of.as_ref().and_then(|of| of.company(manifest));
            let listed = app
                .collections
                .list(&offered, question.clone(), company)
                .await?;
            page(&question, company, listed)
        }
    };
    send(call, &parts.headers, is_head, &body).await
}

/// What a request asks for, checked.
enum Asked {
    Item(String),
    Page {
        question: Question,
        of: Option<OfCompany>,
    },
}

/// The company of a listing: the index of the listing in the manifest, and the company's number.
struct OfCompany {
    index: usize,
    ico: String,
}

impl OfCompany {
    fn company<'a>(&'a self, manifest: &'a CollectionManifest) -> Option<Company<'a>> {
        let listing = manifest.of_company.get(self.index)?;
        Some(Company {
            listing,
            ico: &self.ico,
        })
    }
}

impl Asked {
    fn read(
        app: &App,
        parts: &Parts,
        route: &CollectionRoute,
        manifest: &CollectionManifest,
    ) -> Result<Self, ApiError> {
        let (query, longest) = (parts.uri.query(), app.search.longest_query());
        match &route.target {
            CollectionTarget::Item(id) => {
                NotPaged::read(query)?;
                Ok(Self::Item(id.clone()))
            }
            CollectionTarget::List => Ok(Self::Page {
                question: parameters::of_list(query, manifest, longest)?,
                of: None,
            }),
            CollectionTarget::OfCompany { path, ico } => {
                let mut listings = manifest.of_company.iter();
                let index = listings.position(|listing| listing.path == *path);
                let gone = || ApiError::new(Code::NotFound, "there is nothing at this path");
                let index = index.ok_or_else(gone)?;
                let listing = &manifest.of_company[index];
                let question = parameters::of_company(query, manifest, listing, ico, longest)?;
                let ico = ico.clone();
                Ok(Self::Page {
                    question,
                    of: Some(OfCompany { index, ico }),
                })
            }
        }
    }
}

/// The body of a page.
fn page(question: &Question, company: Option<Company<'_>>, listed: Listed) -> Value {
    let mut meta = Map::new();
    meta.insert("limit".to_owned(), json!(question.limit));
    meta.insert("offset".to_owned(), json!(question.offset));
    meta.insert("has_more".to_owned(), json!(listed.has_more));
    if let Some(Company { listing, .. }) = company {
        meta.insert(listing.subject.clone(), listed.subject.unwrap_or_default());
    }
    if !listed.unread.is_empty() {
        meta.insert("unread".to_owned(), json!(listed.unread));
    }
    json!({"data": listed.data, "meta": meta})
}

/// Sends an answer with its tag. One that the client has already, and one without a body, are free.
async fn send(
    call: Call,
    headers: &HeaderMap,
    is_head: bool,
    body: &Value,
) -> Result<Response, ApiError> {
    let body = body.to_string();
    let etag = tag(&body);
    let is_unchanged = has_current_tag(headers, &etag);
    if is_head || is_unchanged {
        call.free();
    } else {
        call.charge().await?;
    }
    let body = if is_head {
        without_body()
    } else {
        Body::from(body)
    };
    Ok(json_response(&etag, is_unchanged, body))
}

fn tag(body: &str) -> String {
    let digest = crate::connectors::cache::digest(body.as_bytes());
    format!("W/\"{}\"", &digest[..32])
}
