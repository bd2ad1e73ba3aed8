//! Company search: `/search/autocomplete`, `/search/name`, `/search/ico`, `/search/advanced`.

use std::collections::HashMap;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;
use super::auth::LookUp;
use super::charging::Call;
use super::error::{ApiError, ErrorBody};
use super::head;
use super::openapi::Company;
use super::query::{Gathered, Parameters};
use crate::companies::base_json;
use crate::names;
use crate::search::{Filters, Found, Hit, Page, Wanted};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(autocomplete))
        .routes(routes!(by_name))
        .routes(routes!(by_ico))
        .routes(routes!(advanced))
}

/// Maximum `limit` of autocomplete.
const MOST_SUGGESTIONS: u64 = 20;
/// Maximum `offset` of a search: the maximum of the signed 64-bit integer that the OpenAPI document declares.
pub(super) const MOST_OFFSET: u64 = i64::MAX.unsigned_abs();
/// Maximum `limit` of a search.
const MOST_COMPANIES: u64 = 100;

/// Companies to choose from, as select boxes want them.
#[derive(Debug, Serialize, ToSchema)]
pub struct Suggestions {
    results: Vec<Suggestion>,
    pagination: Pagination,
}

/// A company to choose.
#[derive(Debug, Serialize, ToSchema)]
pub struct Suggestion {
    /// What is chosen: the registration number.
    id: String,
    /// What is shown: the company's name.
    text: String,
    /// Registration number.
    ico: String,
    /// City of the seat; empty where the register gives none.
    city: String,
}

/// Whether there are more.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pagination {
    /// Whether there is a next page.
    more: bool,
}

/// Companies that were found.
#[derive(Serialize, ToSchema)]
pub struct CompanyList {
    data: Vec<Company>,
    meta: ListMeta,
}

/// Which part of a list this is.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListMeta {
    /// How many there are in all.
    total: u64,
    /// The most that were wanted.
    limit: u64,
    /// How many were left out before these.
    offset: u64,
    /// Whether there are more behind these.
    more: bool,
}

impl ListMeta {
    /// Metadata of one page of a list.
    pub(super) fn of(total: u64, limit: u64, offset: u64, given: u64) -> Self {
        Self {
            total,
            limit,
            offset,
            more: offset.saturating_add(given) < total,
        }
    }

    /// Metadata of a complete list.
    pub(super) fn whole(total: u64) -> Self {
        Self {
            total,
            limit: total,
            offset: 0,
            more: false,
        }
    }
}

/// The parameters of autocomplete, shared with the sandbox.
pub(super) struct Typing {
    pub(super) wanted: Wanted,
    pub(super) page: Page,
}

impl Typing {
    /// Reads the parameters, including those that Select2 adds.
    pub(super) fn read(query: Option<&str>, longest: usize) -> Result<Self, ApiError> {
        let known = ["q", "limit", "page", "term", "_type"];
        let mut parameters = Parameters::gather(query, &known);
        let q = name(&mut parameters, "q", 2, longest);
        let limit = parameters.number("limit", 10, 1..=MOST_SUGGESTIONS);
        let page = parameters.number("page", 1, 1..=u64::from(u32::MAX));
        if parameters.text("term").is_some() && parameters.text("term") != parameters.text("q") {
            parameters.refuse("term", "it must be the same as q");
        }
        parameters.one_of("_type", &["query", "query:append"]);
        parameters.finish()?;
        Ok(Self {
            wanted: Wanted {
                name: q,
                ..Wanted::default()
            },
            page: page_of(limit, (page - 1).saturating_mul(limit)),
        })
    }
}

fn page_of(limit: u64, offset: u64) -> Page {
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Page {
        limit: size(limit),
        offset: size(offset),
    }
}

/// A required text whose length is within bounds and that contains at least one letter or digit.
fn name(parameters: &mut Gathered, parameter: &str, least: usize, most: usize) -> Option<String> {
    let text = parameters.text(parameter).map(str::to_owned);
    let characters = text.as_ref().map_or(0, |text| text.chars().count());
    if text.is_none() {
        parameters.refuse(parameter, format!("required, at least {least} characters"));
    } else if characters < least {
        parameters.refuse(parameter, format!("at least {least} characters"));
    }
    text.filter(|text| is_name(parameters, parameter, text, most))
}

/// Whether the text can be searched for. Records a mistake if not.
fn is_name(parameters: &mut Gathered, parameter: &str, text: &str, most: usize) -> bool {
    if text.chars().count() > most {
        parameters.refuse(parameter, format!("at most {most} characters"));
        return false;
    }
    if names::fold(text).is_empty() {
        parameters.refuse(parameter, "there must be a letter or a digit in it");
        return false;
    }
    true
}

pub(super) fn suggestions(found: Found<Hit>) -> Json<Suggestions> {
    let results = found.hits.into_iter().map(|hit| Suggestion {
        id: hit.ico.clone(),
        text: hit.name,
        ico: hit.ico,
        city: hit.city,
    });
    Json(Suggestions {
        results: results.collect(),
        pagination: Pagination { more: found.more },
    })
}

/// Companies for what somebody is typing.
///
/// Diacritics, case, the order of words and the way of writing a legal form do not matter; the last word may be
/// unfinished. Whole names and names that begin with the first word come first, active companies before ended ones.
/// Where little is found, names with one letter more, less, changed or swapped follow. The answer is what the select
/// box Select2 reads; the parameters that it sends by itself (`term`, `_type`, `page`) are taken.
#[utoipa::path(
    get,
    path = "/v1/search/autocomplete",
    tag = "Search",
    params(
        ("q" = String, Query, description = "What was typed, at least 2 characters."),
        ("limit" = Option<u64>, Query, description = "The most results, 1 to 20; 10 where it is left out."),
        ("page" = Option<u64>, Query, description = "Which page of that size, from 1.", extensions(("x-implementation-defined" = json!(true)))),
        ("term" = Option<String>, Query, description = "The same as `q`, as Select2 sends it.", extensions(("x-implementation-defined" = json!(true)))),
        ("_type" = Option<String>, Query, description = "`query` or `query:append`, as Select2 sends it; without effect.", extensions(("x-implementation-defined" = json!(true)))),
    ),
    responses(
        (status = 200, description = "The best companies.", body = Suggestions),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 402, description = "No credits are left.", body = ErrorBody),
        (status = 422, description = "A parameter is wrong.", body = ErrorBody),
        (status = 503, description = "The index is being built.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn autocomplete(
    State(app): State<App>,
    caller: LookUp,
    method: Method,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "search/autocomplete");
    let Typing { wanted, page } = Typing::read(query.as_deref(), app.search.longest_query())?;
    if method == Method::HEAD {
        return Ok(head::of_search(call));
    }
    call.ensure_credit().await?;
    let found = app.search.suggestions(wanted, page).await?;
    call.charge().await?;
    Ok(suggestions(found).into_response())
}

/// Companies by name.
#[utoipa::path(
    get,
    path = "/v1/search/name",
    tag = "Search",
    params(
        ("q" = String, Query, description = "The name or the beginning of it, at least 3 characters; see autocomplete."),
        ("exact" = Option<u8>, Query, description = "1: the whole name only, however it and its legal form are written. 0 where it is left out."),
        ("limit" = Option<u64>, Query, description = "The most companies, 1 to 100; 10 where it is left out."),
        ("offset" = Option<u64>, Query, description = "How many to leave out; 0 where it is left out."),
    ),
    responses(
        (status = 200, description = "The companies, best first.", body = CompanyList),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 402, description = "No credits are left.", body = ErrorBody),
        (status = 422, description = "A parameter is wrong.", body = ErrorBody),
        (status = 503, description = "The index is being built.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = [])),
    extensions(("x-implementation-defined" = json!(true)))
)]
async fn by_name(
    State(app): State<App>,
    caller: LookUp,
    method: Method,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "search/name");
    let known = ["q", "exact", "limit", "offset"];
    let mut parameters = Parameters::gather(query.as_deref(), &known);
    let q = name(&mut parameters, "q", 3, app.search.longest_query());
    let exact = parameters.one_of("exact", &["0", "1"]);
    let (limit, offset) = part(&mut parameters);
    parameters.finish()?;
    let wanted = Wanted {
        name: q,
        exact: exact.as_deref() == Some("1"),
        ..Wanted::default()
    };
    list(&app, call, &method, wanted, (limit, offset)).await
}

/// Companies by a part of the registration number.
///
/// Numbers that begin with it come first.
#[utoipa::path(
    get,
    path = "/v1/search/ico",
    tag = "Search",
    params(
        ("q" = String, Query, description = "1 to 8 digits that stand together anywhere in the number; spaces do not matter."),
        ("limit" = Option<u64>, Query, description = "The most companies, 1 to 100; 10 where it is left out."),
        ("offset" = Option<u64>, Query, description = "How many to leave out; 0 where it is left out."),
    ),
    responses(
        (status = 200, description = "The companies, by number.", body = CompanyList),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 402, description = "No credits are left.", body = ErrorBody),
        (status = 422, description = "A parameter is wrong.", body = ErrorBody),
        (status = 503, description = "The index is being built.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = [])),
    extensions(("x-implementation-defined" = json!(true)))
)]
async fn by_ico(
    State(app): State<App>,
    caller: LookUp,
    method: Method,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "search/ico");
    let mut parameters = Parameters::gather(query.as_deref(), &["q", "limit", "offset"]);
    let digits: String = parameters
        .text("q")
        .unwrap_or_default()
        .chars()
        .filter(|c| *c != ' ')
        .collect();
    if digits.is_empty() {
        parameters.refuse("q", "required, 1 to 8 digits");
    } else if digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        parameters.refuse("q", "1 to 8 digits");
    }
    let (limit, offset) = part(&mut parameters);
    parameters.finish()?;
    let wanted = Wanted {
        ico: Some(digits),
        ..Wanted::default()
    };
    list(&app, call, &method, wanted, (limit, offset)).await
}

/// Companies by several facts, all of which must hold. One at least is needed.
#[utoipa::path(
    get,
    path = "/v1/search/advanced",
    tag = "Search",
    params(
        ("name" = Option<String>, Query, description = "The name or the beginning of it, at least 2 characters; see autocomplete."),
        ("city" = Option<String>, Query, description = "Words of the city."),
        ("legal_form" = Option<String>, Query, description = "The legal form: its code (`112`), its usual abbreviation (`s.r.o.`) or words of it (`družstvo`)."),
        ("status" = Option<String>, Query, description = "`active`, `terminated` or `deleted`.", extensions(("x-implementation-defined" = json!(true)))),
        ("nace_code" = Option<String>, Query, description = "The code of the main activity or the beginning of it, with dots or without.", extensions(("x-implementation-defined" = json!(true)))),
        ("established_from" = Option<String>, Query, description = "The first day of entry, `YYYY-MM-DD`.", extensions(("x-implementation-defined" = json!(true)))),
        ("established_to" = Option<String>, Query, description = "The last day of entry.", extensions(("x-implementation-defined" = json!(true)))),
        ("limit" = Option<u64>, Query, description = "The most companies, 1 to 100; 10 where it is left out."),
        ("offset" = Option<u64>, Query, description = "How many to leave out; 0 where it is left out."),
    ),
    responses(
        (status = 200, description = "The companies, best first.", body = CompanyList),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 402, description = "No credits are left.", body = ErrorBody),
        (status = 422, description = "A parameter is wrong, or no filter was given.", body = ErrorBody),
        (status = 503, description = "The index is being built.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = [])),
    extensions(("x-implementation-defined" = json!(true)))
)]
async fn advanced(
    State(app): State<App>,
    caller: LookUp,
    method: Method,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "search/advanced");
    let filters = [
        "name",
        "city",
        "legal_form",
        "status",
        "nace_code",
        "established_from",
        "established_to",
    ];
    let known: Vec<&str> = filters.into_iter().chain(["limit", "offset"]).collect();
    let mut parameters = Parameters::gather(query.as_deref(), &known);
    let wanted = facts(&mut parameters, app.search.longest_query());
    let (limit, offset) = part(&mut parameters);
    // A mistyped parameter name is the more likely mistake; report it alone.
    if parameters.is_right() && filters.iter().all(|name| !parameters.is_given(name)) {
        for name in filters {
            parameters.refuse(name, "one filter at least is required");
        }
    }
    parameters.finish()?;
    list(&app, call, &method, wanted, (limit, offset)).await
}

/// The filters of the advanced search. An empty filter is rejected, because it would widen the result.
fn facts(parameters: &mut Gathered, longest: usize) -> Wanted {
    let mut texts = ["name", "city", "legal_form"].map(|parameter| {
        if parameters.is_given(parameter) {
            let least = if parameter == "name" { 2 } else { 1 };
            name(parameters, parameter, least, longest)
        } else {
            None
        }
    });
    let status = parameters.one_of("status", &["active", "terminated", "deleted"]);
    let nace_code = parameters.given("nace_code").map(str::to_owned);
    if let Some(code) = &nace_code {
        let digits = code.bytes().filter(u8::is_ascii_digit).count();
        let plain = code
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        if !plain || !(1..=6).contains(&digits) {
            parameters.refuse("nace_code", "1 to 6 digits, with dots or without");
        }
    }
    let [established_from, established_to] =
        ["established_from", "established_to"].map(|name| parameters.date(name));
    if let (Some(from), Some(to)) = (&established_from, &established_to)
        && from > to
    {
        parameters.refuse("established_to", "it lies before established_from");
    }
    Wanted {
        name: texts[0].take(),
        filters: Filters {
            city: texts[1].take(),
            legal_form: texts[2].take(),
            status,
            nace_code,
            established_from,
            established_to,
        },
        ..Wanted::default()
    }
}

/// Reads `limit` and `offset`.
fn part(parameters: &mut Gathered) -> (u64, u64) {
    let limit = parameters.number("limit", 10, 1..=MOST_COMPANIES);
    (limit, parameters.number("offset", 0, 0..=MOST_OFFSET))
}

/// The index selects and orders the companies; the store provides their data.
async fn list(
    app: &App,
    call: Call,
    method: &Method,
    wanted: Wanted,
    (limit, offset): (u64, u64),
) -> Result<Response, ApiError> {
    if method == Method::HEAD {
        return Ok(head::of_search(call));
    }
    call.ensure_credit().await?;
    let found = app.search.numbers(wanted, page_of(limit, offset)).await?;
    let stored = if found.hits.is_empty() {
        Vec::new()
    } else {
        app.companies
            .store()
            .companies()
            .find_by_icos(&found.hits)
            .await?
    };
    let by_ico: HashMap<&str, String> = stored
        .iter()
        .map(|company| (company.base.ico.as_str(), base_json(company)))
        .collect();
    let companies: Vec<&str> = found
        .hits
        .iter()
        .filter_map(|ico| by_ico.get(ico.as_str()).map(String::as_str))
        .collect();
    let meta = ListMeta {
        total: found.total,
        limit,
        offset,
        more: found.more,
    };
    let meta = serde_json::to_string(&meta).expect("numbers always become JSON");
    let body = format!("{{\"data\":[{}],\"meta\":{meta}}}", companies.join(","));
    call.charge().await?;
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, json)], body).into_response())
}
