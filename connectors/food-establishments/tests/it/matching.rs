//! The confidence of matches between establishments and companies.

use lustra_food_establishments::establishment::Establishment;
use lustra_food_establishments::matching::{Match, Method, matches};
use lustra_food_establishments::place::Place;
use lustra_sdk::companies::Candidate;

use crate::world::{ICO, NAME, TWIN, establishment};

fn company(ico: &str, name: &str, city: &str, code: Option<&str>) -> Candidate {
    Candidate {
        ico: ico.to_owned(),
        name: name.to_owned(),
        city: Some(city.to_owned()),
        postal_code: code.map(str::to_owned),
        similarity: 0.0,
    }
}

/// The matches among companies, as IČO and confidence.
fn sure(of: &Establishment, companies: &[Candidate]) -> Vec<(String, f64)> {
    let all = matches(of, companies);
    all.into_iter()
        .map(|one| (one.ico, one.confidence))
        .collect()
}

fn one(of: &Establishment, name: &str, city: &str, code: Option<&str>) -> Option<(f64, Method)> {
    let found = matches(of, &[company(ICO, name, city, code)]);
    found
        .first()
        .map(|one: &Match| (one.confidence, one.method))
}

#[test]
fn name_and_place_decide_the_confidence() {
    let of = |operator: &str, city: &str, code: Option<&str>| Establishment {
        operator_place: Place {
            city: Some(city.to_owned()),
            postal_code: code.map(str::to_owned),
        },
        ..establishment(operator, "Inde")
    };
    let code = Some("94901");
    for (operator, city, listed, name, expected) in [
        (
            NAME,
            "Nitra",
            code,
            NAME,
            Some((0.97, Method::NameCityPostalCode)),
        ),
        (
            "VZOROVA MLIEKAREN spol. s r.o.",
            "NITRA",
            code,
            NAME,
            Some((0.97, Method::NameCityPostalCode)),
        ),
        (NAME, "Nitra", None, NAME, Some((0.9, Method::NameCity))),
        (
            NAME,
            "Nitra",
            Some("94905"),
            NAME,
            Some((0.85, Method::NameCity)),
        ),
        (
            NAME,
            "Nitra - Chrenová",
            code,
            NAME,
            Some((0.85, Method::NamePostalCode)),
        ),
        (
            NAME,
            "Martin",
            Some("03601"),
            NAME,
            Some((0.7, Method::Name)),
        ),
        (
            "Vzorová mliekareň",
            "Nitra",
            None,
            NAME,
            Some((0.86, Method::NameCity)),
        ),
        (
            "Vzorová mliekareň",
            "Martin",
            None,
            NAME,
            Some((0.66, Method::Name)),
        ),
        (
            "Vzorová mliekareň, a. s.",
            "Nitra",
            code,
            NAME,
            Some((0.58, Method::NameCityPostalCode)),
        ),
        ("Iná mliekareň, s. r. o.", "Nitra", code, NAME, None),
    ] {
        let found = one(&of(operator, city, listed), name, "Nitra", code);
        assert_eq!(found, expected, "{operator} {city} {listed:?}");
    }
}

#[test]
fn establishment_place_replaces_unknown_operator_place() {
    let of = establishment(NAME, "Nitra");
    assert_eq!(one(&of, NAME, "Nitra", None), Some((0.9, Method::NameCity)));
    assert_eq!(one(&of, NAME, "Martin", None), Some((0.7, Method::Name)));
    let elsewhere = Establishment {
        operator_place: Place {
            city: Some("Trnava".to_owned()),
            postal_code: None,
        },
        ..of
    };
    let found = one(&elsewhere, NAME, "Nitra", None);
    assert_eq!(found, Some((0.82, Method::NameEstablishmentCity)));
}

#[test]
fn similar_names_are_never_certain() {
    let of = establishment("Vzorová mliekáreň, s. r. o.", "Nitra");
    let mut misspelled = company(ICO, "Vzorová mliekareň 2, s. r. o.", "Nitra", None);
    assert!(matches(&of, std::slice::from_ref(&misspelled)).is_empty());
    misspelled.similarity = 0.94;
    let found = matches(&of, &[misspelled]);
    assert_eq!(
        found.first().map(|one| (one.confidence, one.method)),
        Some((0.68, Method::SimilarName))
    );
}

#[test]
fn two_companies_are_never_both_certain() {
    let of = establishment(NAME, "Nitra");
    let twins = [
        company(ICO, NAME, "Nitra", None),
        company(TWIN, NAME, "Nitra", None),
    ];
    assert_eq!(
        sure(&of, &twins),
        [(TWIN.to_owned(), 0.45), (ICO.to_owned(), 0.45)]
    );
    // One of two companies has no legal form, such as a sole trader.
    let twins = [
        company(ICO, NAME, "Nitra", None),
        company(TWIN, "Vzorová mliekareň", "Nitra", None),
    ];
    assert!(sure(&of, &twins).iter().all(|(_, sure)| *sure < 0.5));
    // The postal code distinguishes them if the list has it.
    let with_code = Establishment {
        place: Place {
            city: Some("Nitra".to_owned()),
            postal_code: Some("94901".to_owned()),
        },
        ..of
    };
    let twins = [
        company(ICO, NAME, "Nitra", Some("949 01")),
        company(TWIN, NAME, "Nitra", Some("94905")),
    ];
    assert_eq!(
        sure(&with_code, &twins),
        [(ICO.to_owned(), 0.97), (TWIN.to_owned(), 0.43)]
    );
}

#[test]
fn at_most_one_company_is_certain() {
    let places = ["Nitra", "Martin", "Trnava"];
    let codes = [None, Some("94901"), Some("03601")];
    let names = [NAME, "Vzorová mliekareň", "Vzorová mliekareň, a. s."];
    let mut all = Vec::new();
    for name in names {
        for city in places {
            for code in codes {
                all.push(company(&format!("{:08}", all.len() + 1), name, city, code));
            }
        }
    }
    for operator in names {
        for (city, code) in [
            ("Nitra", None),
            ("Nitra", Some("94901")),
            ("Inde", Some("03601")),
        ] {
            let of = Establishment {
                operator_place: Place {
                    city: Some(city.to_owned()),
                    postal_code: code.map(str::to_owned),
                },
                ..establishment(operator, "Martin")
            };
            for first in 0..all.len() {
                for second in first + 1..all.len() {
                    let two = [all[first].clone(), all[second].clone()];
                    let sure = sure(&of, &two);
                    let count = sure.iter().filter(|(_, sure)| *sure >= 0.8).count();
                    assert!(count <= 1, "{of:?} {two:?} {sure:?}");
                }
            }
        }
    }
}

#[test]
fn same_name_in_other_city_is_ignored() {
    let of = establishment(NAME, "Nitra");
    let two = [
        company(ICO, NAME, "Nitra", None),
        company(TWIN, NAME, "Martin", None),
    ];
    assert_eq!(
        sure(&of, &two),
        [(ICO.to_owned(), 0.9), (TWIN.to_owned(), 0.35)]
    );
    // A company that two queries found counts once.
    let once = [two[0].clone(), two[0].clone()];
    assert_eq!(sure(&of, &once), [(ICO.to_owned(), 0.9)]);
}
