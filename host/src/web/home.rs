//! The search and a company's page.

use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;

use super::account::session::is_signed_in;
use super::answer::CompanyAnswer;
use super::company::CompanyPage;
use super::frame::{Frame, page};
use super::problem::Problem;
use super::reader::{Reader, parameter, wants_page};
use super::texts::Texts;
use super::visitors::Client;
use super::{Web, WebParts};
use crate::companies::{AllowedScopes, CompanyKey, Ico};
use crate::config::Lookup;
use crate::search::{Found, Hit, Page, SearchCriteria, SearchError};

/// Results on a page, and suggestions while one types.
const RESULTS: usize = 20;
const SUGGESTIONS: usize = 8;

/// The last page of results. A longer part of the name has fewer results.
const LAST_PAGE: usize = 50;

/// The fewest letters of a name.
const FEWEST_LETTERS: usize = 2;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    frame: Frame,
    t: &'static Texts,
    has_lookup: bool,
    is_sandbox: bool,
    query: String,
    hint: &'static str,
    /// The results; `None` without a search.
    hits: Option<Vec<Hit>>,
    /// Companies to try, without a search.
    examples: Vec<Hit>,
    previous: Option<String>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "suggest.html")]
struct Suggestions {
    t: &'static Texts,
    query: String,
    hits: Vec<Hit>,
}

/// What a visitor searches for.
enum Sought {
    Nothing,
    TooShort,
    Company(Ico),
    Search(SearchCriteria),
}

impl Sought {
    fn of(query: &str) -> Self {
        let compact: String = query.chars().filter(|c| !c.is_whitespace()).collect();
        if compact.is_empty() {
            return Self::Nothing;
        }
        if let Ok(ico) = Ico::parse(&compact) {
            return Self::Company(ico);
        }
        let is_number = compact.len() <= 8 && compact.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            return Self::Search(SearchCriteria {
                ico: Some(compact),
                ..SearchCriteria::default()
            });
        }
        if compact.chars().count() < FEWEST_LETTERS {
            return Self::TooShort;
        }
        Self::Search(SearchCriteria {
            name: Some(query.trim().to_owned()),
            ..SearchCriteria::default()
        })
    }
}

/// `GET /`: the search, with the results of `q`.
pub(super) async fn home(
    State(web): State<Web>,
    reader: Reader,
    client: Client,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if !wants_page(&headers) {
        // Programs get what they got before there were pages.
        return Ok(not_a_page());
    }
    let raw = raw.unwrap_or_default();
    let query = parameter(&raw, "q").unwrap_or_default();
    let number = parameter(&raw, "page").and_then(|page| page.parse::<usize>().ok());
    let number = number.unwrap_or(1).clamp(1, LAST_PAGE);
    let (parts, lookup) = (web.parts(), web.lookup());
    let t = reader.texts();
    let mut home = HomePage {
        frame: Frame::new(&web, &reader, t.home_title),
        t,
        has_lookup: lookup != Lookup::Off,
        is_sandbox: lookup == Lookup::Sandbox,
        query,
        hint: t.search_hint,
        hits: None,
        examples: Vec::new(),
        previous: None,
        next: None,
    };
    if lookup != Lookup::Off {
        if !home.query.is_empty() {
            admit_visitor(&web, &headers).await?;
        }
        bounded(parts, &home.query)?;
        match Sought::of(&home.query) {
            Sought::Nothing => {}
            Sought::TooShort => home.hint = t.too_short,
            Sought::Company(ico) => {
                return Ok(Redirect::to(&format!("/company/{ico}")).into_response());
            }
            Sought::Search(criteria) => {
                admit_search(&web, &client)?;
                let page = Page {
                    limit: RESULTS,
                    offset: (number - 1) * RESULTS,
                };
                let found = found(parts, lookup, criteria, page).await?;
                let of_page = |number: usize| {
                    let mut query = url::form_urlencoded::Serializer::new(String::new());
                    query.append_pair("q", &home.query);
                    query.append_pair("page", &number.to_string());
                    format!("/?{}", query.finish())
                };
                home.next = (found.more && number < LAST_PAGE).then(|| of_page(number + 1));
                home.previous = (number > 1).then(|| of_page(number - 1));
                home.frame = home
                    .frame
                    .titled(&format!("{} – {}", home.query, t.look_up));
                home.hits = Some(found.hits);
            }
        }
        if home.is_sandbox && home.hits.is_none() {
            home.examples = parts.sandbox.companies().filter_map(example).collect();
        }
    }
    let cookie = home.frame.cookie();
    Ok(page(StatusCode::OK, &home, cookie))
}

/// `GET /suggest`: the best results of `q` as a fragment, for the search as one types.
pub(super) async fn suggest(
    State(web): State<Web>,
    reader: Reader,
    client: Client,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (parts, lookup) = (web.parts(), web.lookup());
    if lookup == Lookup::Off {
        return Err(Problem::NoSuchPage);
    }
    admit_visitor(&web, &headers).await?;
    let query = parameter(&raw.unwrap_or_default(), "q").unwrap_or_default();
    bounded(parts, &query)?;
    let criteria = match Sought::of(&query) {
        Sought::Nothing | Sought::TooShort => return Ok(StatusCode::NO_CONTENT.into_response()),
        Sought::Company(ico) => SearchCriteria {
            ico: Some(ico.to_string()),
            ..SearchCriteria::default()
        },
        Sought::Search(criteria) => criteria,
    };
    admit_search(&web, &client)?;
    let first = Page {
        limit: SUGGESTIONS,
        offset: 0,
    };
    let found = found(parts, lookup, criteria, first).await?;
    let suggestions = Suggestions {
        t: reader.texts(),
        query,
        hits: found.hits,
    };
    Ok(page(StatusCode::OK, &suggestions, None))
}

/// `GET /company/{ico}`: everything that the registers say about a company.
pub(super) async fn company(
    State(web): State<Web>,
    reader: Reader,
    client: Client,
    Path(raw): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (parts, lookup) = (web.parts(), web.lookup());
    if lookup == Lookup::Off {
        return Err(Problem::NoSuchPage);
    }
    admit_visitor(&web, &headers).await?;
    let compact: String = raw.chars().filter(|c| !c.is_whitespace()).collect();
    let ico = Ico::parse(&compact).map_err(|_invalid| Problem::InvalidIco)?;
    if compact != raw {
        return Ok(Redirect::to(&format!("/company/{ico}")).into_response());
    }
    let address = client.counted();
    let most = parts.settings.companies_per_minute;
    let admitted = web.0.visits.admit(address, most, parts.context.now());
    admitted.map_err(Problem::Busy)?;
    let catalogue = parts.companies.connectors().catalogue();
    let answer: CompanyAnswer = if lookup == Lookup::Sandbox {
        let answer = parts.sandbox.answer(&ico, parts.context.now());
        parsed(serde_json::from_value(
            answer.ok_or(Problem::NoSuchInvented)?,
        ))?
    } else {
        let scopes = AllowedScopes::all_served(&catalogue);
        let key = CompanyKey::Ico(ico.clone());
        let answer = parts.companies.answer(&key, &scopes).await?;
        parsed(serde_json::from_slice(&answer.profile.body))?
    };
    let frame = Frame::new(&web, &reader, "");
    let cookie = frame.cookie();
    let base = parts.base_url(&headers, &client);
    let company = CompanyPage::new(frame, &ico, &answer, &catalogue, &base);
    Ok(page(StatusCode::OK, &company, cookie))
}

fn parsed(answer: Result<CompanyAnswer, serde_json::Error>) -> Result<CompanyAnswer, Problem> {
    answer.map_err(|error| {
        tracing::error!(%error, "an answer has no form that a page can show");
        Problem::Internal
    })
}

/// The answer to a program that asks for the first page.
fn not_a_page() -> Response {
    let body = "{\"error\":\"not_found\",\"message\":\"there is nothing at this path\"}";
    let json = HeaderValue::from_static("application/json");
    (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, json)], body).into_response()
}

/// Refuses visitors without a session where the setting wants one.
async fn admit_visitor(web: &Web, headers: &HeaderMap) -> Result<(), Problem> {
    if web.lookup() != Lookup::SignedIn || is_signed_in(web, headers).await? {
        return Ok(());
    }
    Err(Problem::SignInFirst)
}

/// Refuses texts that are longer than the search allows.
fn bounded(parts: &WebParts, query: &str) -> Result<(), Problem> {
    if query.chars().count() > parts.search.longest_query() {
        return Err(Problem::TextTooLong);
    }
    Ok(())
}

fn admit_search(web: &Web, client: &Client) -> Result<(), Problem> {
    let parts = web.parts();
    let address = client.counted();
    let most = parts.settings.searches_per_minute;
    let admitted = web.0.searches.admit(address, most, parts.context.now());
    admitted.map_err(Problem::Busy)
}

async fn found(
    parts: &WebParts,
    lookup: Lookup,
    criteria: SearchCriteria,
    page: Page,
) -> Result<Found<Hit>, SearchError> {
    if lookup == Lookup::Sandbox {
        return Ok(parts.sandbox.index().suggestions(&criteria, page)?);
    }
    parts.search.suggestions(criteria, page).await
}

/// A company of the sandbox as a search result.
fn example(company: &Value) -> Option<Hit> {
    let text = |pointer: &str| company.pointer(pointer)?.as_str().map(str::to_owned);
    Some(Hit {
        ico: text("/ico")?,
        name: text("/name")?,
        city: text("/address/city").unwrap_or_default(),
        status: text("/status")?.try_into().ok()?,
        former_name: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_text_is_a_number_or_a_name() {
        let kind = |query: &str| match Sought::of(query) {
            Sought::Nothing => "nothing".to_owned(),
            Sought::TooShort => "too short".to_owned(),
            Sought::Company(ico) => format!("company {ico}"),
            Sought::Search(criteria) => criteria.ico.or(criteria.name).unwrap_or_default(),
        };
        for (query, expected) in [
            ("", "nothing"),
            ("  ", "nothing"),
            ("a", "too short"),
            ("36 421 928", "company 36421928"),
            ("364 21", "36421"),
            (" Vzor  ", "Vzor"),
            ("364219281", "364219281"),
        ] {
            assert_eq!(kind(query), expected, "{query:?}");
        }
    }
}
