//! Invalid searches are rejected with the parameter's name; unusual texts are answered normally.

use insta::assert_json_snapshot;
use serde_json::json;

use crate::search::autocomplete;
use crate::support::{keys, reading, shown};

/// A path and its wrong parameters.
const WRONG: [(&str, &[&str]); 44] = [
    ("autocomplete", &["q"]),
    ("autocomplete?q=", &["q"]),
    ("autocomplete?q=a", &["q"]),
    ("autocomplete?q=%20a%20", &["q"]),
    ("autocomplete?q=--", &["q"]),
    ("autocomplete?q=%2A%2A%2A", &["q"]),
    ("autocomplete?q=%CC%81%CC%81", &["q"]),
    ("autocomplete?q=%FF%FF", &["q"]),
    ("autocomplete?q=ab&limit=0", &["limit"]),
    ("autocomplete?q=ab&limit=-1", &["limit"]),
    ("autocomplete?q=ab&limit=21", &["limit"]),
    ("autocomplete?q=ab&limit=abc", &["limit"]),
    ("autocomplete?q=ab&limit=", &["limit"]),
    ("autocomplete?q=ab&limit=1.5", &["limit"]),
    ("autocomplete?q=ab&limit=99999999999999999999", &["limit"]),
    ("autocomplete?q=ab&page=0", &["page"]),
    ("autocomplete?q=ab&term=cd", &["term"]),
    ("autocomplete?q=ab&_type=x", &["_type"]),
    ("autocomplete?q=ab&offset=1", &["offset"]),
    ("autocomplete?query=ab", &["q", "query"]),
    ("name?q=ab", &["q"]),
    ("name?q=abc&limit=101", &["limit"]),
    ("name?q=abc&limit=0&offset=-1", &["limit", "offset"]),
    ("name?q=abc&offset=x", &["offset"]),
    ("name?q=abc&exact=2", &["exact"]),
    ("name?q=abc&exact=true", &["exact"]),
    ("name?q=abc&city=nitra", &["city"]),
    ("name?Q=abc", &["Q", "q"]),
    ("ico", &["q"]),
    ("ico?q=", &["q"]),
    ("ico?q=abc", &["q"]),
    ("ico?q=123456789", &["q"]),
    ("ico?q=%D9%A1", &["q"]),
    ("ico?q=12&exact=1", &["exact"]),
    (
        "advanced",
        &[
            "city",
            "established_from",
            "established_to",
            "legal_form",
            "nace_code",
            "name",
            "status",
        ],
    ),
    ("advanced?name=a", &["name"]),
    ("advanced?city=&name=abc", &["city"]),
    ("advanced?city=%2A", &["city"]),
    ("advanced?status=Active", &["status"]),
    ("advanced?nace_code=1x", &["nace_code"]),
    (
        "advanced?established_from=2015-13-01",
        &["established_from"],
    ),
    ("advanced?established_to=1.1.2015", &["established_to"]),
    (
        "advanced?established_from=2016-01-01&established_to=2015-01-01",
        &["established_to"],
    ),
    ("advanced?nmae=vzor&limit=0", &["limit", "nmae"]),
];

#[test]
fn wrong_parameters_are_named() {
    reading(async |world| {
        for (path, parameters) in WRONG {
            let answer = world.get(&format!("/v1/search/{path}")).await;
            assert_eq!(
                (answer.status, answer.at("/error")),
                (422, &json!("validation_error")),
                "{path}: {answer:?}"
            );
            assert_eq!(keys(answer.at("/errors")), parameters, "{path}");
        }
        let none = world.get("/v1/search/advanced").await;
        assert_json_snapshot!("advanced search without a filter", shown(&none));
    });
}

#[test]
fn long_and_unusual_texts_are_answered() {
    reading(async |world| {
        let long = "a".repeat(201);
        let answer = autocomplete(world, &long).await;
        assert_eq!(
            (answer.status, keys(answer.at("/errors"))),
            (422, vec!["q"])
        );
        let huge = world
            .get(&format!("/v1/search/name?q={}", "abc+".repeat(2_560)))
            .await;
        assert_eq!((huge.status, keys(huge.at("/errors"))), (422, vec!["q"]));
        for q in [
            "שלום עולם",
            "مرحبا",
            "\u{202e}vatsorozv",
            "z\u{301}\u{302}\u{303}a",
            "' or 1=1 --",
            "name:vzor^2 ~3",
            "vzorostav\u{200b}",
            "𝔳𝔷𝔬𝔯",
            "ﬁrma",
            "a b c d e f g h i j k l m n o p q r s t",
            "-- a",
        ] {
            let answer = autocomplete(world, q).await;
            assert_eq!(answer.status, 200, "{q}: {answer:?}");
            assert!(answer.at("/pagination/more").is_boolean());
        }
    });
}
