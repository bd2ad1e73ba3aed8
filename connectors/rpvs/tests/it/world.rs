//! The world of the whole calls: a subject, rows of the service, and the paths of requests.

use lustra_rpvs::Rpvs;
use lustra_rpvs::question::{self, Breadth};
use lustra_rpvs::settings::Settings;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Section};

use super::manifest::manifest;

pub const ICO: &str = "00000019";

pub fn enrich() -> Result<Section, Failure> {
    Rpvs::enrich("rpvs", subject(ICO))
}

/// The content of the section, checked against the schema.
pub fn content() -> Value {
    manifest().content("rpvs", &enrich().unwrap())
}

/// The path of the first request.
pub fn first(breadth: Breadth) -> String {
    question::search(ICO, breadth, &Settings::default())
}

/// The path of one register file.
pub fn by_key(id: i64) -> String {
    question::file(id, Breadth::Wide, &Settings::default())
}

/// A host whose register answers the first request.
pub fn host(answer: Answer) -> TestHost {
    TestHost::new().answer("rpvs", &first(Breadth::Wide), answer)
}

pub fn owner(id: i64) -> Value {
    json!({
        "Id": id, "Meno": format!("Meno{id}"), "Priezvisko": "Skúšobná", "TitulPred": "", "TitulZa": "",
        "JeVerejnyCinitel": false, "ObchodneMeno": null, "Ico": null,
        "PlatnostOd": "2021-03-01T00:00:00+01:00", "PlatnostDo": null, "StatnaPrislusnost": {"Meno": "Slovenská republika"},
    })
}

/// A register file with these owners.
pub fn file(id: i64, owners: impl IntoIterator<Item = i64>) -> Value {
    json!({
        "Id": id, "CisloVlozky": id,
        "PartneriVerejnehoSektora": [{
            "Id": 260_000 + id, "ObchodneMeno": "Vzorová stavebná, s. r. o.", "Ico": ICO, "FormaOsoby": "PravnickaOsoba",
            "PlatnostOd": "2021-03-01T00:00:00+01:00", "PlatnostDo": null,
        }],
        "KonecniUzivateliaVyhod": owners.into_iter().map(owner).collect::<Vec<_>>(),
        "OpravneneOsoby": [], "VerejniFunkcionari": [], "KvalifikovanePodnety": [],
        "OverenieIdentifikacieKUV": [], "Vymaz": null, "Pokuta": null,
    })
}

/// An answer with these rows, in the form of the service at its public address.
pub fn answer(rows: &[Value]) -> Value {
    json!({"@odata.context": "https://rpvs.gov.sk/opendatav2/$metadata#Partneri", "value": rows})
}

/// An answer with these rows and a link to more.
pub fn answer_with_more(rows: &[Value], link: &str) -> Value {
    let mut answer = answer(rows);
    answer["@odata.nextLink"] = json!(link);
    answer
}

pub fn ok(answer: &Value) -> Answer {
    Answer::ok(answer.to_string())
        .with_header("content-type", "application/json; odata.metadata=minimal")
}
