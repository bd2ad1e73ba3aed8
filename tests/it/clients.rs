//! What public clients of the older service send and read, from `known-shapes.md`, for the existing endpoints. The
//! shapes of sections are tested with the sandbox, which has all of them.

mod waiting;

use lustra_tests::{Answer, World, answered};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::support::{keys, reading};

/// A `GET` in the form of those clients.
async fn asked(world: &World, key: &str, path: &str) -> Answer {
    let bearer = format!("Bearer {key}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("accept", "application/json"),
        ("content-type", "application/json"),
    ];
    world.get_with(path, &headers).await
}

fn time_of(answer: &Answer, pointer: &str) -> OffsetDateTime {
    let text = answer.at(pointer).as_str().unwrap_or_default();
    OffsetDateTime::parse(text, &Rfc3339)
        .unwrap_or_else(|error| panic!("{pointer}: {error}: {answer:?}"))
}

#[test]
fn content_type_without_a_body_is_accepted() {
    reading(async |world| {
        for path in [
            "/v1/company/ico/99999994",
            "/v1/company/1",
            "/v1/company/id/1002",
            "/v1/sandbox/companies",
            "/v1/status",
        ] {
            assert_eq!(asked(world, &world.key, path).await.status, 200, "{path}");
        }
    });
}

#[test]
fn company_id_is_a_number_and_register_id_is_text() {
    reading(async |world| {
        let answer = asked(world, &world.key, "/v1/company/ico/99999994").await;
        let id = answer.at("/data/id").as_u64().expect("a JSON number");
        assert_eq!(
            asked(world, &world.key, &format!("/v1/company/{id}"))
                .await
                .at("/data/ico"),
            "99999994"
        );
        let orsr_id = answer.at("/data/orsr_id").as_str().expect("a text");
        assert!(
            orsr_id.starts_with(|first: char| first.is_ascii_digit()),
            "{orsr_id}"
        );
        assert_eq!(
            asked(world, &world.key, &format!("/v1/company/id/{orsr_id}"))
                .await
                .at("/data/ico"),
            "99999994"
        );
    });
}

#[test]
fn base_fields_have_the_types_that_clients_declare() {
    reading(async |world| {
        let answer = asked(world, &world.key, "/v1/company/ico/99999994").await;
        for name in [
            "ico",
            "name",
            "legal_form",
            "legal_form_code",
            "established_date",
            "source_register",
            "status",
            "nace_code",
        ] {
            assert!(answer.body["data"][name].is_string(), "{name}: {answer:?}");
        }
        assert_eq!(
            answer.body["data"].get("terminated_date"),
            Some(&Value::Null),
            "there, and null"
        );
        for name in ["street", "city", "postal_code", "country"] {
            assert!(answer.body["data"]["address"][name].is_string(), "{name}");
        }
        for name in ["rpo_updated_at", "orsr_synced_at", "profile_built_at"] {
            time_of(&answer, &format!("/meta/{name}"));
        }
        assert!(answer.at("/meta/cached").is_boolean() && answer.at("/meta/stale").is_boolean());
    });
}

#[test]
fn detail_lists_have_the_members_that_clients_read() {
    reading(async |world| {
        let answer = asked(world, &world.key, "/v1/company/ico/99999994").await;
        let activities = answer
            .at("/data/business_activities")
            .as_array()
            .expect("an array");
        assert!(!activities.is_empty() && activities.iter().all(Value::is_string));
        assert!(answer.at("/data/registered_capital").is_string());
        for shareholder in answer
            .at("/data/shareholders")
            .as_array()
            .expect("an array")
        {
            for name in ["name", "address", "share_amount", "share_percentage"] {
                assert!(shareholder[name].is_string(), "{name}: {shareholder}");
            }
            assert!(shareholder["is_company"].is_boolean() && shareholder["current"].is_boolean());
            assert_eq!(
                shareholder["ico"].is_string(),
                shareholder["is_company"] == true
            );
        }
        for officer in answer
            .at("/data/statutory_body")
            .as_array()
            .expect("an array")
        {
            for name in ["name", "role", "address", "acting_method"] {
                assert!(officer[name].is_string(), "{name}: {officer}");
            }
        }
    });
}

#[test]
fn each_scope_has_its_own_key() {
    reading(async |world| {
        let base = asked(world, &world.key, "/v1/company/ico/99999994").await;
        for (scope, key) in [
            ("tax", "tax"),
            ("tax_reliability", "tax_reliability"),
            ("erased_vat", "erased_vat"),
            ("bank_accounts", "bank_accounts"),
            ("debtor_status", "debtor_status"),
            ("contacts", "contacts"),
            ("financials", "financials"),
            ("financial_statements", "financial_statements"),
            ("insolvency", "insolvency"),
            ("execution_authorizations", "execution_authorizations"),
            ("commercial_bulletin", "commercial_bulletin"),
            ("public_contracts", "public_contracts_summary"),
            ("procurement", "procurement_summary"),
            ("rpvs", "rpvs"),
            ("nbs", "nbs"),
            ("trade_license_activities", "trade_license_activities"),
            ("reges", "reges"),
            ("contracting_authority", "contracting_authority"),
            ("debarred", "debarred"),
            ("uvo_references", "uvo_references"),
            ("crp_projects", "crp_projects"),
            ("itms21", "itms21"),
            ("ted_tenders", "ted_tenders"),
            ("gleif", "gleif"),
            ("sanctions", "sanctions"),
            ("social_enterprise", "social_enterprise"),
            ("replik_administrator", "replik_administrator"),
            ("fs_imports", "fs"),
            ("illegal_employment", "illegal_employment"),
            ("court_decisions", "court_decisions"),
            ("employer_headcount", "employer_headcount"),
            ("soi_travel_agency", "soi_travel_agency"),
            ("svps_establishments", "svps_establishments"),
        ] {
            let answer = asked(
                world,
                &world.key,
                &format!("/v1/company/ico/99999994?scope={scope}"),
            )
            .await;
            let added: Vec<&str> = keys(answer.at("/data"))
                .into_iter()
                .filter(|key| base.at("/data").get(key).is_none())
                .collect();
            assert_eq!(added, [key]);
        }
    });
}

#[test]
fn served_sections_have_the_types_that_clients_declare() {
    reading(async |world| {
        let erased = asked(world, &world.key, "/v1/company/ico/99999901?scope=all").await;
        assert!(erased.at("/data/erased_vat/is_erased").is_boolean());
        let entry = erased.at("/data/erased_vat/entries/0");
        assert!(
            entry["ic_dph"].is_string()
                && entry["violation_year"].is_number()
                && entry["erased_at"].is_string()
        );
        let debtor = asked(world, &world.key, "/v1/company/ico/99999943?scope=all").await;
        assert_eq!(debtor.at("/data/debtor_status/is_debtor"), true);
        let hit = debtor.at("/data/debtor_status/sources/0");
        assert!(
            hit["source"].is_string()
                && hit["debtor_name"].is_string()
                && hit["debt_amount"].is_number()
        );
        assert!(hit.get("listed_since").is_some(), "there, if null");
        let payer = asked(world, &world.key, "/v1/company/ico/99999994?scope=all").await;
        assert!(payer.at("/data/tax/dic").is_string() && payer.at("/data/tax/ic_dph").is_string());
        assert!(
            payer.at("/data/tax/is_vat_payer").is_boolean()
                && payer.at("/data/tax/vies_valid").is_boolean()
        );
        time_of(&payer, "/data/tax/vies_verified_at");
        assert!(payer.at("/data/tax_reliability/index").is_string());
        assert!(payer.at("/data/tax_reliability/is_reliable").is_boolean());
        let account = payer.at("/data/bank_accounts/0");
        assert!(
            account["iban"].is_string()
                && account["is_published"].is_boolean()
                && account.get("bank_name").is_some()
        );
    });
}

/// A `POST` in the form of those clients.
async fn posted(world: &World, path: &str, body: &Value) -> Answer {
    let request = world.posting(path).header("accept", "application/json");
    answered(request.json(body)).await
}

#[test]
fn small_batch_is_keyed_by_the_submitted_values() {
    reading(async |world| {
        let icos = ["99999994", "12345678", "99999994"];
        let batch = posted(world, "/v1/batch/ico", &json!({ "icos": icos })).await;
        assert_eq!(batch.status, 200, "{batch:?}");
        let (known, unknown) = (batch.at("/data/99999994"), batch.at("/data/12345678"));
        assert_eq!(
            (&known["found"], &known["data"]["ico"]),
            (&json!(true), &json!("99999994"))
        );
        assert_eq!(
            (&unknown["found"], unknown.get("data")),
            (&json!(false), Some(&Value::Null))
        );
        let meta = batch.at("/meta");
        assert_eq!(
            (&meta["total"], &meta["found"], &meta["not_found"]),
            (&json!(2), &json!(1), &json!(1))
        );
        let names = json!({"names": ["Vzorostav Čučoriedka, s. r. o."]});
        let batch = posted(world, "/v1/batch/names", &names).await;
        let entry = batch.at("/data/Vzorostav Čučoriedka, s. r. o.");
        assert_eq!(
            (&entry["found"], &entry["data"]["ico"]),
            (&json!(true), &json!("99999994"))
        );
        assert!(entry["confidence"].is_number());
    });
}

#[test]
fn batch_status_has_what_clients_read() {
    reading(async |world| {
        let small = posted(world, "/v1/batch/ico", &json!({"icos": ["99999994"]})).await;
        let numbers: Vec<String> = (3_000..3_101)
            .map(|number| format!("{number:08}"))
            .collect();
        let large = posted(world, "/v1/batch/ico", &json!({ "icos": numbers })).await;
        assert_eq!(large.status, 202, "{large:?}");
        for (batch, total) in [(small, 1), (large, 101)] {
            let id = batch.at("/meta/batch_id").as_str().expect("a text");
            let status = asked(world, &world.key, &format!("/v1/batch/{id}/status")).await;
            assert_eq!(status.at("/data/id"), id);
            let state = status.at("/data/status").as_str().expect("a text");
            assert!(
                ["pending", "processing", "completed"].contains(&state),
                "{state}"
            );
            assert_eq!(status.at("/data/total"), total);
            assert!(status.at("/data/processed").is_u64());
            time_of(&status, "/data/created_at");
            assert!(
                status.at("/data").get("completed_at").is_some(),
                "there, if null"
            );
        }
    });
}

#[test]
fn every_error_has_a_message_and_a_code() {
    reading(async |world| {
        let key = world.key.as_str();
        for (status, error, key, path) in [
            (401, "unauthorized", "wrong", "/v1/company/ico/99999994"),
            (404, "not_found", key, "/v1/company/ico/12345678"),
            (422, "validation_error", key, "/v1/company/ico/1"),
        ] {
            let answer = asked(world, key, path).await;
            assert_eq!(
                (answer.status, answer.at("/error")),
                (status, &json!(error))
            );
            assert!(answer.at("/message").is_string(), "{answer:?}");
        }
    });
}

#[test]
fn only_422_lists_messages_by_parameter() {
    reading(async |world| {
        let answer = asked(
            world,
            &world.key,
            "/v1/company/ico/99999994?scope=no&limit=1",
        )
        .await;
        let errors = answer.at("/errors").as_object().expect("an object").clone();
        assert!(!errors.is_empty());
        for messages in errors.values() {
            let messages = messages.as_array().expect("a list of messages");
            assert!(!messages.is_empty() && messages.iter().all(Value::is_string));
        }
        assert!(
            asked(world, "wrong", "/v1/company/1")
                .await
                .body
                .get("errors")
                .is_none()
        );
        assert!(
            asked(world, &world.key, "/v1/company/ico/12345678")
                .await
                .body
                .get("errors")
                .is_none()
        );
    });
}

#[test]
fn sandbox_prefix_works_before_every_path() {
    reading(async |world| {
        let base = "/v1/sandbox";
        let company = asked(
            world,
            "lst_test_sandbox",
            &format!("{base}/company/ico/99100118?scope=all"),
        )
        .await;
        assert_eq!(
            (company.status, company.at("/data/ico")),
            (200, &json!("99100118"))
        );
        assert!(company.at("/data/id").is_u64(), "a JSON number");
        assert_eq!(
            asked(world, "lst_test_sandbox", &format!("{base}/companies"))
                .await
                .status,
            200
        );
    });
}
