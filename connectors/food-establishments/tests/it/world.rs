//! The world of the whole imports and look-ups.

use lustra_food_establishments::FoodEstablishments;
use lustra_food_establishments::establishment::Establishment;
use lustra_food_establishments::import::Content;
use lustra_food_establishments::place::Place;
use lustra_sdk::testing::{self, TestHost, batches, run_import};
use lustra_sdk::{Enrichment, Failure, Item, Section, Subject};
use serde_json::{Value, json};

use crate::manifest::manifest;

pub const ICO: &str = "99999901";
pub const TWIN: &str = "99900017";
pub const IMPORTED: &str = "2026-01-15T06:50:00Z";
pub const NAME: &str = "Vzorová mliekareň, s. r. o.";

/// The addresses of the lists in the tests.
pub const FOOD: &str = "/food.csv";
pub const VET: &str = "/vet.csv";

/// A host whose operator has one list of each register.
pub fn host() -> TestHost {
    TestHost::new().setting(
        "lists",
        &json!([{ "register": "food", "path": FOOD }, { "register": "vet", "path": VET }]),
    )
}

/// A list with a row for each operator: name, municipality.
pub fn csv(operators: &[(&str, &str)]) -> String {
    let rows = operators.iter().zip(1..).map(|((operator, city), number)| {
        format!("SK {number};Prevádzkareň {number};{city};\"{operator}\";PP\n")
    });
    let header = "Schvaľovacie číslo;Názov prevádzkarne;Obec;Prevádzkovateľ;Činnosť\n";
    [header.to_owned()].into_iter().chain(rows).collect()
}

/// The records that an import returns.
pub fn import(dataset: &str) -> Result<Vec<Item>, Failure> {
    run_import::<FoodEstablishments>(dataset, None).map(|(items, _, _)| items)
}

/// The notes that an import counts.
pub fn notes(dataset: &str) -> Vec<(String, String)> {
    let batches = batches::<FoodEstablishments>(dataset, None).unwrap();
    let notes = batches.into_iter().flat_map(|batch| batch.notes);
    notes.map(|note| (note.name, note.value)).collect()
}

/// An establishment in a municipality. The list does not have the operator's own address.
pub fn establishment(operator: &str, city: &str) -> Establishment {
    Establishment {
        approval_number: "SK 1".to_owned(),
        section: Some("IX".to_owned()),
        activities: vec!["PP".to_owned()],
        name: "Mliekareň".to_owned(),
        operator: operator.to_owned(),
        place: Place {
            city: Some(city.to_owned()),
            postal_code: None,
        },
        operator_place: Place::default(),
        district: None,
        region: None,
    }
}

/// A record of the establishment, without any match.
pub fn record(number: &str, establishment: Establishment) -> Item {
    let content = Content {
        establishment: Establishment {
            approval_number: number.to_owned(),
            ..establishment
        },
        matches: Vec::new(),
    };
    Item {
        name: Some(content.establishment.operator.clone()),
        ..lustra_sdk::records::item(number, None, &content).unwrap()
    }
}

pub fn subject(name: &str, city: &str, postal_code: &str) -> Subject {
    Subject {
        name: name.to_owned(),
        city: Some(city.to_owned()),
        postal_code: Some(postal_code.to_owned()),
        ..testing::subject(ICO)
    }
}

/// The section of a subject, checked against its schema.
pub fn enrich(host: TestHost, subject: Subject) -> (Section, Value) {
    host.install();
    let section = FoodEstablishments::enrich("svps_establishments", subject).unwrap();
    let content = manifest().content("svps_establishments", &section);
    (section, content)
}
