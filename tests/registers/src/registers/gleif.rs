//! `/gleif`: the register of legal entity identifiers (`https://api.gleif.org/api/v1`), a JSON:API service.
//!
//! `/lei-records` is a paged list, filtered by number and country; without the country it also contains companies of
//! other countries with the same number. A record links to the available reports about its parents; any other report is
//! a 404.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use crate::World;
use crate::population::calendar::Iso;
use crate::population::leis::{
    Lei, Neighbour, Parent, group, group_of, leis, neighbours, number_of,
};
use crate::population::{Company, LegalForm, SourceRegister};

const API: &str = "https://api.gleif.org/api/v1";
/// Default and maximum number of records on a page.
const PAGES: (usize, usize) = (15, 200);

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/gleif/lei-records", get(list))
        .route("/gleif/lei-records/{lei}", get(one))
        .route("/gleif/lei-records/{lei}/{what}", get(related))
}

async fn list(
    State(world): State<Arc<World>>,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    let size = match asked.get("page[size]").map(|size| size.parse::<usize>()) {
        None => PAGES.0,
        Some(Ok(size)) if (1..=PAGES.1).contains(&size) => size,
        Some(_) => return error(StatusCode::BAD_REQUEST, "Invalid page size"),
    };
    let page = asked.get("page[number]").and_then(|page| page.parse().ok());
    let page: usize = page.unwrap_or(1).max(1);
    let Some(number) = asked.get("filter[entity.registeredAs]") else {
        return error(StatusCode::BAD_REQUEST, "Unknown filter");
    };
    let country = asked.get("filter[entity.legalAddress.country]");
    let found = records_of(&world, number);
    let found = found.into_iter().filter(|record| {
        let of_record = &record["attributes"]["entity"]["legalAddress"]["country"];
        country.is_none_or(|country| of_record == country.as_str())
    });
    let found: Vec<Value> = found.collect();
    let total = found.len();
    let shown: Vec<Value> = found
        .into_iter()
        .skip((page - 1) * size)
        .take(size)
        .collect();
    let first = (!shown.is_empty()).then_some((page - 1) * size + 1);
    let last = first.map(|first| first + shown.len() - 1);
    // Links repeat the filters of the query.
    let filters: String = [
        ("entity.registeredAs", Some(number)),
        ("entity.legalAddress.country", country),
    ]
    .into_iter()
    .filter_map(|(filter, value)| Some(format!("filter%5B{filter}%5D={}&", value?)))
    .collect();
    let of_page = |page: usize| {
        format!("{API}/lei-records?{filters}page%5Bnumber%5D={page}&page%5Bsize%5D={size}")
    };
    let pages = total.div_ceil(size).max(1);
    sent(&json!({
        "meta": {
            "goldenCopy": golden_copy(&world),
            "pagination": {
                "currentPage": page, "perPage": size, "from": first, "to": last, "total": total, "lastPage": pages,
            },
        },
        "links": { "first": of_page(1), "last": of_page(pages) },
        "data": shown,
    }))
}

async fn one(State(world): State<Arc<World>>, Path(lei): Path<String>) -> Response {
    document(&world, record_of(&world, &lei))
}

async fn related(
    State(world): State<Arc<World>>,
    Path((lei, what)): Path<(String, String)>,
) -> Response {
    let Some((_, own)) = company_of(&world, &lei) else {
        return not_found();
    };
    let (parent, category) = match what.split('-').next() {
        Some("direct") => (&own.direct, "DIRECT_ACCOUNTING_CONSOLIDATION_PARENT"),
        Some("ultimate") => (&own.ultimate, "ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT"),
        Some(_) | None => return not_found(),
    };
    let found = match (parent, what.as_str()) {
        (Parent::Record(parent, _), "direct-parent" | "ultimate-parent") => {
            record_of(&world, parent)
        }
        (
            Parent::Exception(reason),
            "direct-parent-reporting-exception" | "ultimate-parent-reporting-exception",
        ) => Some(json!({
            "type": "reporting-exceptions",
            "id": format!("{lei}|0|00|{category}|"),
            "attributes": {
                "validFrom": null, "validTo": null, "lei": lei, "category": category, "reason": reason, "reference": null,
            },
            "relationships": { "lei-record": { "links": { "related": format!("{API}/lei-records/{lei}") } } },
        })),
        _ => None,
    };
    document(&world, found)
}

/// The records with a number in any country.
fn records_of(world: &World, number: &str) -> Vec<Value> {
    let mut found: Vec<Value> = neighbours(&world.population)
        .iter()
        .filter(|neighbour| neighbour.number == number)
        .map(neighbour_record)
        .collect();
    if let Some(index) = world.population.by_ico(number) {
        let company = world.population.company(index, world.clock.day());
        let own = leis(&company);
        // The newest record comes first, which is not always the valid one.
        found.extend(own.iter().rev().map(|lei| record(&company, lei)));
    }
    found
}

fn company_of(world: &World, lei: &str) -> Option<(Company, Lei)> {
    let index = world.population.by_ico(number_of(lei)?)?;
    let company = world.population.company(index, world.clock.day());
    let own = leis(&company).into_iter().find(|one| one.lei == lei)?;
    Some((company, own))
}

fn record_of(world: &World, lei: &str) -> Option<Value> {
    if let Some((company, own)) = company_of(world, lei) {
        return Some(record(&company, &own));
    }
    if let Some((of_group, name, country)) = group_of(lei).and_then(group) {
        return (of_group == lei).then(|| foreign(lei, name, country, "RA000017", "FN 990001x"));
    }
    let neighbours = neighbours(&world.population);
    let neighbour = neighbours.iter().find(|neighbour| neighbour.lei == lei)?;
    Some(neighbour_record(neighbour))
}

fn neighbour_record(neighbour: &Neighbour) -> Value {
    foreign(
        &neighbour.lei,
        neighbour.name,
        "CZ",
        "RA000163",
        &neighbour.number,
    )
}

fn foreign(lei: &str, name: &str, country: &str, authority: &str, number: &str) -> Value {
    let mut record = skeleton(lei, name, country);
    let entity = &mut record["attributes"]["entity"];
    entity["registeredAt"] = json!({ "id": authority, "other": null });
    entity["registeredAs"] = json!(number);
    entity["legalForm"] = json!({ "id": "EQUJ", "other": null });
    record["attributes"]["registration"] = json!({
        "initialRegistrationDate": "2014-01-02T00:00:00Z", "lastUpdateDate": "2025-06-01T00:00:00Z", "status": "ISSUED",
        "nextRenewalDate": "2026-12-31T00:00:00Z", "managingLou": "999900L0000000000000",
        "corroborationLevel": "FULLY_CORROBORATED",
    });
    record
}

fn record(company: &Company, own: &Lei) -> Value {
    let mut record = skeleton(&own.lei, &own.name, "SK");
    let authority = match company.source_register {
        SourceRegister::Commercial => "RA000526",
        SourceRegister::Trades => "RA000670",
        SourceRegister::Associations | SourceRegister::FlatOwners => "RA000527",
    };
    let entity = &mut record["attributes"]["entity"];
    let former = own.former_name.iter();
    let former =
        former.map(|name| json!({ "name": name, "language": "sk", "type": "PREVIOUS_LEGAL_NAME" }));
    entity["otherNames"] = former.collect();
    entity["registeredAt"] = json!({ "id": authority, "other": null });
    entity["registeredAs"] = json!(company.ico);
    entity["legalForm"] = form(company.legal_form);
    entity["status"] = json!(if own.is_active { "ACTIVE" } else { "INACTIVE" });
    let at_midnight = |date| format!("{}T00:00:00Z", Iso(date));
    let attributes = &mut record["attributes"];
    attributes["registration"] = json!({
        "initialRegistrationDate": at_midnight(own.since), "lastUpdateDate": at_midnight(own.since),
        "status": own.registration, "nextRenewalDate": own.renewal.map(at_midnight),
        "managingLou": "999900L0000000000000", "corroborationLevel": "FULLY_CORROBORATED",
        "validatedAt": { "id": authority, "other": null }, "validatedAs": company.ico, "otherValidationAuthorities": [],
    });
    if !own.bic.is_empty() {
        attributes["bic"] = json!(own.bic);
    }
    attributes["ocid"] = json!(format!("sk/{}", company.ico));
    for (name, parent) in [
        ("direct-parent", &own.direct),
        ("ultimate-parent", &own.ultimate),
    ] {
        let to = |what: &str| format!("{API}/lei-records/{}/{name}{what}", own.lei);
        let links = match parent {
            Parent::Nothing => continue,
            Parent::Exception(_) => json!({ "reporting-exception": to("-reporting-exception") }),
            Parent::Record(..) | Parent::Gone => {
                json!({ "relationship-record": to("-relationship"), "lei-record": to("") })
            }
        };
        record["relationships"][name] = json!({ "links": links });
    }
    record
}

fn skeleton(lei: &str, name: &str, country: &str) -> Value {
    let address = json!({
        "language": "sk", "addressLines": ["Vymyslená 1"], "addressNumber": null, "addressNumberWithinBuilding": null,
        "mailRouting": null, "city": "Vymyslené", "region": null, "country": country, "postalCode": "99901",
    });
    let of =
        |what: &str| json!({ "links": { "related": format!("{API}/lei-records/{lei}/{what}") } });
    json!({
        "type": "lei-records", "id": lei,
        "attributes": {
            "lei": lei,
            "entity": {
                "legalName": { "name": name, "language": "sk" }, "otherNames": [], "transliteratedOtherNames": [],
                "legalAddress": address, "headquartersAddress": address, "jurisdiction": country, "category": "GENERAL",
                "associatedEntity": { "lei": null, "name": null }, "status": "ACTIVE",
                "expiration": { "date": null, "reason": null }, "successorEntity": { "lei": null, "name": null },
                "successorEntities": [], "creationDate": null, "subCategory": null, "otherAddresses": [],
                "eventGroups": [],
            },
            "bic": null, "mic": null, "ocid": null, "spglobal": [], "conformityFlag": "CONFORMING",
        },
        "relationships": {
            "managing-lou": of("managing-lou"), "lei-issuer": of("lei-issuer"),
            "field-modifications": of("field-modifications"),
        },
        "links": { "self": format!("{API}/lei-records/{lei}") },
    })
}

/// The ELF code, or a text for forms without a code here.
fn form(form: LegalForm) -> Value {
    let code = match form {
        LegalForm::LimitedCompany => "VSZS",
        LegalForm::JointStockCompany => "2EEG",
        LegalForm::SimpleShareCompany => "D18J",
        LegalForm::Trader => "C4PZ",
        LegalForm::GeneralPartnership
        | LegalForm::LimitedPartnership
        | LegalForm::Cooperative
        | LegalForm::FlatOwners
        | LegalForm::Association => return json!({ "id": "8888", "other": form.text() }),
    };
    json!({ "id": code, "other": null })
}

fn golden_copy(world: &World) -> Value {
    let today = world.population.date(world.clock.day());
    json!({ "publishDate": format!("{}T00:00:00Z", Iso(today)) })
}

fn document(world: &World, data: Option<Value>) -> Response {
    match data {
        Some(data) => sent(&json!({ "meta": { "goldenCopy": golden_copy(world) }, "data": data })),
        None => not_found(),
    }
}

fn not_found() -> Response {
    error(StatusCode::NOT_FOUND, "Resource Not Found")
}

fn error(status: StatusCode, title: &str) -> Response {
    let body = json!({ "errors": [{ "status": status.as_u16().to_string(), "title": title }] });
    (status, sent(&body)).into_response()
}

/// The answer with escaped slashes, as the service writes them.
fn sent(body: &Value) -> Response {
    let text = body.to_string().replace('/', "\\/");
    ([(header::CONTENT_TYPE, "application/vnd.api+json")], text).into_response()
}
