//! The world of the whole calls: a company, its record, and the paths of requests.

use lustra_gleif::Gleif;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Section};

use super::manifest::manifest;

pub const ICO: &str = "99000024";
pub const LEI: &str = "0000FIKTIVNALEI00042";
pub const PARENT: &str = "0000VYMYSLENYHOLD077";
pub const TOP: &str = "0000BEISPIELHOLDI099";

const API: &str = "https://api.gleif.org/api/v1";

pub fn enrich() -> Result<Section, Failure> {
    Gleif::enrich("gleif", subject(ICO))
}

/// The content of the section, checked against the schema.
pub fn content() -> Value {
    manifest().content("gleif", &enrich().unwrap())
}

/// The path of the first request.
pub fn first() -> String {
    format!(
        "/lei-records?filter%5Bentity.registeredAs%5D={ICO}&filter%5Bentity.legalAddress.country%5D=SK&page%5Bsize%5D=200"
    )
}

/// The path of the data about a parent.
pub fn of(what: &str) -> String {
    format!("/lei-records/{LEI}/{what}")
}

/// A host whose service answers the first request.
pub fn host(answer: Answer) -> TestHost {
    TestHost::new().answer("gleif", &first(), answer)
}

/// Links to a parent that has a record.
pub fn has_record(which: &str) -> Value {
    json!({"links": {
        "relationship-record": format!("{API}/lei-records/{LEI}/{which}-relationship"),
        "lei-record": format!("{API}/lei-records/{LEI}/{which}"),
    }})
}

/// Links to a parent that is not reported, with a reason.
pub fn has_exception(which: &str) -> Value {
    json!({"links": {
        "reporting-exception": format!("{API}/lei-records/{LEI}/{which}-reporting-exception"),
    }})
}

/// A record with these relationships in addition to the usual ones.
pub fn record(lei: &str, relationships: &[(&str, Value)]) -> Value {
    let mut record = json!({
        "type": "lei-records", "id": lei,
        "attributes": {
            "lei": lei,
            "entity": {
                "legalName": {"name": "Fiktívne stavby, s.r.o.", "language": "sk"},
                "otherNames": [], "transliteratedOtherNames": [],
                "legalAddress": {"language": "sk", "addressLines": ["Neexistujúca 1"], "city": "Vymyslené", "country": "SK"},
                "registeredAt": {"id": "RA000526", "other": null}, "registeredAs": ICO, "jurisdiction": "SK",
                "category": "GENERAL", "legalForm": {"id": "VSZS", "other": null}, "status": "ACTIVE",
            },
            "registration": {
                "initialRegistrationDate": "2020-01-01T00:00:00Z", "lastUpdateDate": "2026-01-02T00:00:00Z",
                "status": "ISSUED", "nextRenewalDate": "2027-01-01T00:00:00Z",
            },
            "bic": null, "mic": null,
        },
        "relationships": {"managing-lou": {"links": {"related": format!("{API}/lei-records/{lei}/managing-lou")}}},
        "links": {"self": format!("{API}/lei-records/{lei}")},
    });
    for (name, links) in relationships {
        record["relationships"][*name] = links.clone();
    }
    record
}

/// The list of records of the company.
pub fn list(records: &[Value]) -> Answer {
    list_for(ICO, records)
}

/// The list of records of a number.
pub fn list_for(number: &str, records: &[Value]) -> Answer {
    let count = records.len();
    let first =
        format!("{API}/lei-records?filter%5Bentity.registeredAs%5D={number}&page%5Bnumber%5D=1");
    json_api(&json!({
        "meta": {
            "goldenCopy": {"publishDate": "2026-02-03T16:00:00Z"},
            "pagination": {"currentPage": 1, "perPage": 200, "from": 1, "to": count, "total": count, "lastPage": 1},
        },
        "links": {"first": first, "last": first},
        "data": records,
    }))
}

/// The service's answer for *none*.
pub fn not_found() -> Answer {
    let error = json!({"errors": [{"status": "404", "title": "Resource Not Found"}]});
    Answer::status(404, error.to_string())
}

/// Answers with one resource of JSON:API.
pub fn document(data: &Value) -> Answer {
    json_api(
        &json!({"meta": {"goldenCopy": {"publishDate": "2026-02-03T16:00:00Z"}}, "data": data}),
    )
}

/// An exception of the company.
pub fn exception(category: &str, reason: &str) -> Answer {
    document(&json!({
        "type": "reporting-exceptions", "id": format!("{LEI}|0|x|{category}|"),
        "attributes": {"validFrom": null, "validTo": null, "lei": LEI, "category": category, "reason": reason, "reference": null},
    }))
}

fn json_api(body: &Value) -> Answer {
    Answer::ok(body.to_string()).with_header("content-type", "application/vnd.api+json")
}
