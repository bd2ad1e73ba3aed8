//! The OpenAPI document and its browsable reference.
//!
//! Paths and the host's types come from the handlers. Sections and details come from the JSON Schemas in the
//! manifests of the serving connectors, so a new connector documents itself. [`operations`] adds what many
//! operations share, [`bounds`] adds what handlers check, and [`webhooks`] adds the events.

mod bounds;
mod collections;
mod operations;
mod sections;
mod webhooks;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{OpenApi, ToSchema};

use super::App;
use crate::changes::WebhookEvent;
use crate::connectors::catalogue::Catalogue;
use crate::sandbox_companies::Sandbox;
use collections::Described;

/// The document before the routes and the connectors add theirs.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lustra",
        description = "Data on Slovak companies from public registers: base data, sections by scope, and the register and date of every part.",
        license(name = "Apache-2.0"),
        contact()
    ),
    tags(
        (name = "Companies", description = "One company with the requested sections."),
        (name = "Batches", description = "Many companies in one request, by number or by name."),
        (name = "Search", description = "Companies by name, registration number and other filters."),
        (name = "Collections", description = "Lists of registers' subjects that the connectors of this host offer."),
        (name = "Notifications", description = "Notifications about changes: subscriptions, deliveries and the event log."),
        (name = "Account", description = "The account of the API key: usage, credits, ledger, plan, keys, people, alert thresholds."),
        (name = "Sandbox", description = "Fictitious companies with complete data."),
        (name = "Service", description = "State of the service; no key is required.")
    ),
    components(schemas(CompanyAnswer, Company, CompanyAddress, CompanyMeta, RegisterOrigin, WebhookEvent))
)]
struct Base;

pub(super) fn base() -> utoipa::openapi::OpenApi {
    let mut document = Base::openapi();
    let components = document.components.get_or_insert_default();
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key."))
        .build();
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    let api_key = ApiKeyValue::with_description("X-API-Key", "An API key.");
    components.add_security_scheme("api_key", SecurityScheme::ApiKey(ApiKey::Header(api_key)));
    document
}

/// A company, and the freshness of its data.
#[derive(Serialize, ToSchema)]
pub struct CompanyAnswer {
    data: Company,
    meta: CompanyMeta,
}

/// A company's base data, with the details of further registers and the requested sections.
#[derive(Serialize, ToSchema)]
pub struct Company {
    /// Id in this database.
    id: i64,
    /// Registration number (IČO), 8 digits.
    ico: String,
    /// Business name of the company.
    name: String,
    /// Legal form in words.
    #[schema(required)]
    legal_form: Option<String>,
    /// Code of the legal form in the register.
    #[schema(required)]
    legal_form_code: Option<String>,
    address: CompanyAddress,
    /// Date of establishment, `YYYY-MM-DD`.
    #[schema(required)]
    established_date: Option<String>,
    /// Date of termination, `YYYY-MM-DD`; null while the company exists.
    #[schema(required)]
    terminated_date: Option<String>,
    /// `orsr` for companies in the commercial register, `rpo` for others in the register of legal persons.
    source_register: String,
    /// `active`, `terminated` or `deleted`.
    status: String,
    /// NACE code of the main economic activity.
    #[schema(required)]
    nace_code: Option<String>,
    /// Main economic activity in words.
    #[schema(required)]
    nace_description: Option<String>,
}

/// Address of the seat.
#[derive(Serialize, ToSchema)]
pub struct CompanyAddress {
    /// Street with house numbers.
    #[schema(required)]
    street: Option<String>,
    /// Name of the city.
    #[schema(required)]
    city: Option<String>,
    /// Postal code of the seat.
    #[schema(required)]
    postal_code: Option<String>,
    /// Name of the country in Slovak.
    #[schema(required)]
    country: Option<String>,
    /// Country code, ISO 3166-1 alpha-2.
    #[schema(required)]
    country_code: Option<String>,
}

/// Sources and freshness of a response. All times are RFC 3339.
#[derive(Serialize, ToSchema)]
pub struct CompanyMeta {
    /// When the register of legal persons last confirmed the base data.
    #[schema(required)]
    rpo_updated_at: Option<String>,
    /// When the commercial register was last read.
    #[schema(required)]
    orsr_synced_at: Option<String>,
    /// Date of the oldest section in the response.
    #[schema(required)]
    enriched_at: Option<String>,
    /// When any part of the response was last read from its source.
    synced_at: String,
    /// When the response was assembled.
    profile_built_at: String,
    /// `database`, `cache` or `live`.
    source: String,
    /// Whether the response came from the cache. Cached responses are free.
    cached: bool,
    /// Whether a part is out of date. If so, a refresh has started, unless an attempt failed within the last minute or
    /// the part waits for the next import of its list.
    stale: bool,
    /// When to request the company again; only if `stale`.
    retry_at: Option<String>,
    /// `orsr_data_outdated`, `enrichment_data_outdated` or `orsr_and_enrichment_data_stale`; only if `stale`. For
    /// companies outside the commercial register always `enrichment_data_outdated`.
    stale_reason: Option<String>,
    /// Sources of the base data and details.
    registers: Option<Vec<RegisterOrigin>>,
    /// Source of each section, by scope.
    scopes: Option<std::collections::HashMap<String, RegisterOrigin>>,
}

/// Source of a part of a response.
#[derive(Serialize, ToSchema)]
pub struct RegisterOrigin {
    /// Name of the register.
    register: String,
    /// Connector that read it.
    connector: String,
    /// Version of the connector.
    #[schema(required)]
    version: Option<String>,
    /// Date or time for which the data are valid.
    #[schema(required)]
    as_of: Option<String>,
    /// `fresh`, `stale`, `unread` or `not_applicable`.
    state: String,
    /// Why it is unread: `unavailable`, `throttled`, `malformed`, `misconfigured`, `limit`, `busy`, `circuit_open`, `failed`
    /// or `not_in_time`.
    reason: Option<String>,
    /// Sources that could not be read, for sections that are a list or null. Entries missing from the section may exist
    /// in these sources.
    unread: Option<Vec<UnreadSource>>,
}

/// A source that could not be read.
#[derive(Serialize, ToSchema)]
pub struct UnreadSource {
    /// Name of the source.
    source: String,
    /// The reason in a few words.
    why: String,
}

/// Responds with the OpenAPI document of this host.
pub(super) async fn document(State(app): State<App>) -> Response {
    let document = with_connectors(&app.companies.connectors().catalogue(), &app.sandbox);
    let body = serde_json::to_vec(&document).unwrap_or_default();
    (
        [(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )],
        body,
    )
        .into_response()
}

/// The document with the sections, details and collections of the serving connectors, and those of the sandbox.
#[must_use]
pub fn with_connectors(catalogue: &Catalogue, sandbox: &Sandbox) -> Value {
    let (_, document) = super::documented_routes().split_for_parts();
    let mut document = serde_json::to_value(document).unwrap_or_default();
    let mut schemas = Map::new();
    let mut properties = Map::new();
    sections::add_details(catalogue, &mut properties, &mut schemas);
    let mut names = sections::add_sections(catalogue, &mut properties, &mut schemas);
    if let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) {
        add_collections(catalogue, sandbox, paths, &mut schemas);
    }
    if let Some(target) = document
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut)
    {
        target.extend(schemas);
    }
    if let Some(target) = document
        .pointer_mut("/components/schemas/Company/properties")
        .and_then(Value::as_object_mut)
    {
        target.extend(properties);
    }
    names.push(json!("all"));
    document["x-scopes"] = Value::Array(names.clone());
    // Later clients request this scope; the details are always included.
    if !names.contains(&json!("orsr")) {
        names.push(json!("orsr"));
    }
    operations::complete(&mut document, &names);
    document["components"]["headers"] = operations::header_components();
    let kinds = webhooks::kinds(catalogue);
    document["webhooks"] = webhooks::webhooks(&kinds);
    webhooks::list_kinds(&mut document, &kinds);
    bounds::bound_bodies(&mut document, &kinds);
    document
}

fn add_collections(
    catalogue: &Catalogue,
    sandbox: &Sandbox,
    paths: &mut Map<String, Value>,
    schemas: &mut Map<String, Value>,
) {
    let served = catalogue.collections().map(|(loaded, manifest)| Described {
        connector: &loaded.manifest.id,
        manifest,
        is_sandbox: false,
    });
    let of_sandbox = sandbox.collections().map(|(connector, fixed)| Described {
        connector,
        manifest: &fixed.manifest,
        is_sandbox: true,
    });
    for collection in served.chain(of_sandbox) {
        collection.add_to(paths, schemas);
    }
}

/// The reference needs inline styles; it loads nothing from other origins either.
const REFERENCE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; \
     img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The browsable reference; its assets are part of the program.
pub(super) fn reference() -> Router<App> {
    let config = utoipa_swagger_ui::Config::from("/v1/openapi.json")
        .try_it_out_enabled(true)
        // Otherwise every reader's browser reports this host's address to swagger.io.
        .validator_url("none");
    let address = super::docs::REFERENCE.trim_end_matches('/');
    let reference = Router::from(utoipa_swagger_ui::SwaggerUi::new(address).config(config));
    // A missing file gets the common form of errors.
    reference.layer(axum::middleware::map_response(
        async |mut response: Response| {
            if response.status() == StatusCode::NOT_FOUND {
                return super::unknown_path().into_response();
            }
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_SECURITY_POLICY, REFERENCE_POLICY);
            response
        },
    ))
}
