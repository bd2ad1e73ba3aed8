//! A register that answers another query: one about an unassigned number or about another company.
//!
//! The layer repeats the query with another number in place of each IČO or VAT number. It returns the first
//! answer that contains the new number, or that differs from the answer about an unassigned number. If there is
//! none, the register's answers do not show what they are about, and the fault returns the correct answer. The
//! same applies to registers with the number in the path, because routing has already happened.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{StatusCode, Uri, request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::World;
use crate::population::identifiers::{self, VatOwner};

/// Maximum size of a query or an answer in bytes. Larger ones fail, so that no test mistakes a correct answer
/// for a wrong one.
const LARGEST: usize = 16 << 20;
/// Number of other companies to try.
const CANDIDATES: u32 = 120;

/// The answer to another query, if the register's answers can be distinguished.
pub(super) async fn answer(world: &World, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let asked = NamedCompanies::of(world, &head.uri, &body);
    let mut indexes = (0..world.population.len().min(CANDIDATES)).map(Some);
    let others = std::iter::once(None).chain(&mut indexes);
    let mut nothing: Option<Bytes> = None;
    for other in others.filter(|_| !asked.is_empty()) {
        let Some((question, names)) = asked.about(world, other, &head, &body) else {
            continue;
        };
        let (answer, bytes) = match taken(next.clone().run(question).await).await {
            Ok(answer) => answer,
            Err(failed) => return failed,
        };
        let text = String::from_utf8_lossy(&bytes).replace([' ', '\u{a0}'], "");
        let is_told = nothing.as_ref().is_some_and(|nothing| *nothing != bytes);
        let is_named = names.iter().any(|name| text.contains(name));
        if is_named || (is_told && answer.status.is_success()) {
            return Response::from_parts(answer, Body::from(bytes));
        }
        nothing.get_or_insert(bytes);
    }
    next.run(Request::from_parts(head, Body::from(body))).await
}

/// *Nothing found* for the requested number: the answer about an unassigned number, with the requested number
/// in its place.
pub(super) async fn nothing(world: &World, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let asked = NamedCompanies::of(world, &head.uri, &body);
    let Some((question, names)) = asked.about(world, None, &head, &body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let (answer, mut bytes) = match taken(next.run(question).await).await {
        Ok((answer, bytes)) => (answer, bytes.to_vec()),
        Err(failed) => return failed,
    };
    for (name, (digits, _)) in names.iter().zip(&asked.0) {
        let places: Vec<usize> = bytes
            .windows(name.len())
            .enumerate()
            .filter(|(_, window)| *window == name.as_bytes())
            .map(|(at, _)| at)
            .collect();
        for at in places {
            bytes[at..at + name.len()].copy_from_slice(digits.as_bytes());
        }
    }
    Response::from_parts(answer, Body::from(bytes))
}

async fn taken(answer: Response) -> Result<(axum::http::response::Parts, Bytes), Response> {
    let (head, body) = answer.into_parts();
    match to_bytes(body, LARGEST).await {
        Ok(bytes) => Ok((head, bytes)),
        Err(error) => Err((StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response()),
    }
}

/// The companies named in a query, with the digits that name them.
struct NamedCompanies(Vec<(String, u32)>);

impl NamedCompanies {
    fn of(world: &World, uri: &Uri, body: &[u8]) -> Self {
        let mut named: Vec<(String, u32)> = Vec::new();
        let query = uri.query().unwrap_or_default();
        let text = format!("{query} {}", String::from_utf8_lossy(body));
        for digits in text.split(|c: char| !c.is_ascii_digit()) {
            let index = match digits.len() {
                8 => world.population.by_ico(digits),
                10 => match identifiers::vat_owner(digits) {
                    Some(VatOwner::Company(index) | VatOwner::Group(index)) => Some(index),
                    Some(VatOwner::Foreign(_)) | None => None,
                },
                _ => None,
            };
            if let Some(index) = index
                && index < world.population.len()
                && named.iter().all(|(known, _)| known != digits)
            {
                named.push((digits.to_owned(), index));
            }
        }
        Self(named)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The query about another company or about an unassigned number, with the numbers that it now contains.
    /// `None` if it already names that company, or if that company has no such number.
    fn about(
        &self,
        world: &World,
        other: Option<u32>,
        head: &request::Parts,
        body: &Bytes,
    ) -> Option<(Request, Vec<String>)> {
        if self.0.iter().any(|(_, index)| Some(*index) == other) {
            return None;
        }
        let company = other.map(|index| world.population.company(index, world.clock.day()));
        let (mut uri, mut text) = (head.uri.to_string(), body.to_vec());
        let mut names = Vec::new();
        for (digits, _) in &self.0 {
            let instead = match (&company, digits.len()) {
                (None, 8) => "12345679".to_owned(),
                (None, _) => "1234567890".to_owned(),
                (Some(company), 8) => company.ico.clone(),
                (Some(company), _) => company.ic_dph()?.trim_start_matches("SK").to_owned(),
            };
            uri = uri.replace(digits.as_str(), &instead);
            // Also replace grouped digits, because one register stores numbers that way.
            if let Some(spaced) = spaced(digits).zip(spaced(&instead)) {
                uri = uri.replace(&spaced.0.replace(' ', "%20"), &spaced.1.replace(' ', "%20"));
            }
            text = String::from_utf8_lossy(&text)
                .replace(digits.as_str(), &instead)
                .into_bytes();
            names.push(instead);
        }
        let mut head = head.clone();
        head.uri = uri.parse().ok()?;
        Some((Request::from_parts(head, Body::from(text)), names))
    }
}

fn spaced(digits: &str) -> Option<String> {
    (digits.len() == 8).then(|| format!("{} {} {}", &digits[..2], &digits[2..5], &digits[5..]))
}
