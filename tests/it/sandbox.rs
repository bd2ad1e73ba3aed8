//! `/v1/sandbox/…`: the public demo companies.

use insta::assert_json_snapshot;
use lustra_tests::World;
use serde_json::json;

use crate::declared::{SHAPES, misshapen, objects};
use crate::support::{keys, reading, shown};

/// The sections of every scope of the specification, by their keys.
const SECTIONS: [&str; 36] = [
    "tax",
    "tax_reliability",
    "erased_vat",
    "bank_accounts",
    "contacts",
    "financials",
    "financial_statements",
    "debtor_status",
    "insolvency",
    "execution_authorizations",
    "commercial_bulletin",
    "public_contracts_summary",
    "procurement_summary",
    "rpvs",
    "nbs",
    "trade_license_activities",
    "reges",
    "contracting_authority",
    "debarred",
    "uvo_references",
    "crp_projects",
    "itms21",
    "ted_tenders",
    "gleif",
    "sanctions",
    "social_enterprise",
    "replik_administrator",
    "sbs",
    "transport_licence",
    "utility_licence",
    "fs",
    "illegal_employment",
    "court_decisions",
    "employer_headcount",
    "soi_travel_agency",
    "svps_establishments",
];

/// The numbers of the demo companies.
async fn icos(world: &World) -> Vec<String> {
    let list = world.get_with("/v1/sandbox/companies", &[]).await;
    let companies = list.at("/data").as_array().expect("a list of companies");
    companies
        .iter()
        .filter_map(|company| company["ico"].as_str())
        .map(str::to_owned)
        .collect()
}

#[test]
fn ten_demo_companies_are_listed_without_a_key() {
    reading(async |world| {
        assert_json_snapshot!(
            "demo companies",
            shown(&world.get_with("/v1/sandbox/companies", &[]).await)
        );
    });
}

#[test]
fn demo_company_is_answered_like_a_real_one() {
    reading(async |world| {
        let answer = world
            .get_with("/v1/sandbox/company/ico/99100118", &[])
            .await;
        let mut shown = shown(&answer);
        // The sections of every company are checked below.
        for section in SECTIONS {
            assert!(
                shown["body"]["data"]
                    .as_object_mut()
                    .and_then(|data| data.remove(section))
                    .is_some()
            );
        }
        assert_json_snapshot!("demo company without its sections", shown);
    });
}

#[test]
fn every_demo_company_is_complete() {
    reading(async |world| {
        for ico in icos(world).await {
            let answer = world
                .get_with(&format!("/v1/sandbox/company/ico/{ico}"), &[])
                .await;
            assert_eq!((answer.status, answer.at("/data/ico")), (200, &json!(ico)));
            for section in SECTIONS {
                assert!(
                    answer.at("/data").get(section).is_some(),
                    "{ico}: {section}"
                );
            }
            assert!(answer.at("/data/other_stakeholders").is_array(), "{ico}");
            let real = world.company(&world.icos[3], "").await;
            for field in keys(real.at("/data")) {
                assert!(answer.at("/data").get(field).is_some(), "{ico}: {field}");
            }
        }
    });
}

#[test]
fn sections_of_served_scopes_fit_their_connectors_schemas() {
    reading(async |world| {
        let catalogue = world.importer.companies().connectors().catalogue();
        let (mut checked, mut wrong) = (0, Vec::new());
        for scope in catalogue.scopes() {
            let (_, manifest) = catalogue.scope(scope.as_str()).expect("it is served");
            if manifest.extends_details {
                // Its members stand in `data`; those that details have too have the details' form.
                continue;
            }
            let schema = jsonschema::options()
                .should_validate_formats(true)
                .build(&manifest.schema);
            let schema = schema.expect("a manifest's schema is one");
            for ico in icos(world).await {
                let answer = world
                    .get_with(&format!("/v1/sandbox/company/ico/{ico}"), &[])
                    .await;
                let section = &answer.at("/data")[&manifest.key];
                let errors = schema.iter_errors(section);
                wrong.extend(
                    errors.map(|error| format!("{ico} {scope}{}: {error}", error.instance_path())),
                );
                checked += 1;
            }
        }
        assert_eq!(
            (checked, wrong),
            (360, Vec::new()),
            "thirty-six scopes of ten companies"
        );
    });
}

#[test]
fn metadata_name_the_register_of_every_section() {
    reading(async |world| {
        let catalogue = world.importer.companies().connectors().catalogue();
        for ico in icos(world).await {
            let path = format!("/v1/sandbox/company/ico/{ico}");
            let answer = world.get_with(&path, &[]).await;
            let listed = answer.at("/meta/scopes");
            for scope in catalogue.scopes() {
                let (loaded, manifest) = catalogue.scope(scope.as_str()).expect("it is served");
                let origin = &listed[scope.as_str()];
                assert_eq!(origin["state"], "fresh", "{ico} {scope}");
                let expected = (
                    loaded.manifest.id.as_str(),
                    loaded.manifest.register.as_str(),
                );
                let shown = (origin["connector"].as_str(), origin["register"].as_str());
                assert_eq!(shown, (Some(expected.0), Some(expected.1)), "{scope}");
                let is_there = answer.at("/data").get(&manifest.key).is_some();
                assert!(is_there || manifest.extends_details, "{scope}");
            }
            assert_eq!(keys(listed).len(), catalogue.scopes().count(), "{ico}");
            assert_eq!(answer.at("/meta/registers/0/connector"), "rpo");
            let is_in_details = !answer.at("/data")["orsr_id"].is_null();
            let state = if is_in_details {
                "fresh"
            } else {
                "not_applicable"
            };
            assert_eq!(answer.at("/meta/registers/1/state"), state, "{ico}");
        }
    });
}

#[test]
fn unneeded_key_is_accepted() {
    reading(async |world| {
        for path in ["/v1/sandbox/companies", "/v1/sandbox/company/ico/99100118"] {
            for key in ["lst_test_sandbox", world.key.as_str(), "anything"] {
                let bearer = format!("Bearer {key}");
                for header in [("x-api-key", key), ("authorization", &bearer)] {
                    assert_eq!(
                        world.get_with(path, &[header]).await.status,
                        200,
                        "{path} {header:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn sandbox_ignores_the_scope() {
    reading(async |world| {
        let path = "/v1/sandbox/company/ico/99100118";
        let plain = world.get_with(path, &[]).await;
        for scope in ["all", "tax", "orsr", "tax%2Cnbs"] {
            let answer = world.get_with(&format!("{path}?scope={scope}"), &[]).await;
            assert_eq!(
                (answer.status, answer.at("/data")),
                (200, plain.at("/data")),
                "{scope}"
            );
        }
    });
}

#[test]
fn other_companies_are_unknown_in_the_sandbox() {
    reading(async |world| {
        for ico in [world.icos[0].as_str(), "12345678"] {
            let answer = world
                .get_with(&format!("/v1/sandbox/company/ico/{ico}"), &[])
                .await;
            assert_eq!(
                (answer.status, answer.at("/error")),
                (404, &json!("not_found")),
                "{ico}"
            );
        }
    });
}

#[test]
fn demo_companies_are_unknown_to_the_registers() {
    reading(async |world| {
        for ico in icos(world).await {
            assert_eq!(world.company(&ico, "").await.status, 404, "{ico}");
        }
    });
}

#[test]
fn demo_sections_have_the_shapes_that_clients_read() {
    reading(async |world| {
        let mut seen = [0; SHAPES.len()];
        let mut wrong = Vec::new();
        for ico in icos(world).await {
            let answer = world
                .get_with(&format!("/v1/sandbox/company/ico/{ico}"), &[])
                .await;
            for (place, (path, shape)) in SHAPES.iter().enumerate() {
                // Some sections are null if their register does not know the company.
                for object in objects(answer.at("/data"), path)
                    .into_iter()
                    .filter(|object| !object.is_null())
                {
                    seen[place] += 1;
                    wrong.extend(
                        misshapen(object, shape, false)
                            .into_iter()
                            .map(|wrong| format!("{ico} {path}: {wrong}")),
                    );
                }
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
        let never: Vec<&str> = SHAPES
            .iter()
            .zip(seen)
            .filter(|(_, seen)| *seen == 0)
            .map(|((path, _), _)| *path)
            .collect();
        assert_eq!(never, Vec::<&str>::new(), "the sandbox shows each");
    });
}

#[test]
fn demo_companies_fit_the_document_of_live_answers() {
    reading(async |world| {
        let mut schema = world.get("/v1/openapi.json").await.body;
        schema["$ref"] = json!("#/components/schemas/CompanyAnswer");
        let schema = jsonschema::options().build(&schema).expect("a schema");
        let listed = world.get("/v1/sandbox/companies").await;
        let mut wrong = Vec::new();
        for company in listed.at("/data").as_array().expect("a list") {
            let ico = company["ico"].as_str().expect("a number");
            let path = format!("/v1/sandbox/company/ico/{ico}");
            let answer = world.get(&path).await;
            let of_company = schema.iter_errors(&answer.body);
            wrong
                .extend(of_company.map(|wrong| format!("{ico}{}: {wrong}", wrong.instance_path())));
        }
        assert_eq!(wrong, Vec::<String>::new());
    });
}
