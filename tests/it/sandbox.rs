//! `/v1/sandbox/…`: invented companies for everybody.

use insta::assert_json_snapshot;
use lustra_tests::World;
use serde_json::{Value, json};

use crate::support::{at, keys, reading, shown};

/// The sections of every scope of the specification, by their keys.
const SECTIONS: [&str; 35] = [
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
fn a_demo_company_is_answered_like_a_real_one() {
    reading(async |world| {
        let answer = world
            .get_with("/v1/sandbox/company/ico/99100118", &[])
            .await;
        let mut shown = shown(&answer);
        // The sections are checked for every company below.
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
            let (_, manifest) = catalogue.scope(scope).expect("it is served");
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
            (350, Vec::new()),
            "thirty-five scopes of ten companies"
        );
    });
}

#[test]
fn a_key_where_none_is_needed_is_not_refused() {
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
fn a_scope_makes_no_difference_in_the_sandbox() {
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
fn other_companies_are_not_in_the_sandbox() {
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
fn demo_companies_are_nobody_in_the_registers() {
    reading(async |world| {
        for ico in icos(world).await {
            assert_eq!(world.company(&ico, "").await.status, 404, "{ico}");
        }
    });
}

/// What clients of the older service read of a section: members of objects and items, `?` where null is allowed, and
/// the JSON type. `known-shapes.md` and `service.md` are where it comes from.
const SHAPES: [(&str, &str); 56] = [
    ("tax", "dic:string? ic_dph:string? is_vat_payer:boolean"),
    ("tax_reliability", "index:string? is_reliable:boolean?"),
    ("erased_vat", "is_erased:boolean entries:array"),
    (
        "erased_vat/entries[]",
        "ic_dph:string violation_year:number? erased_at:string? reason:string?",
    ),
    (
        "bank_accounts[]",
        "iban:string bank_name:string? is_published:boolean",
    ),
    ("contacts", "email:array phone:array website:array"),
    (
        "financials",
        "year:number? revenue:string? profit:string? assets:string? employees_count:number?",
    ),
    (
        "financial_statements",
        "latest:object? available_years:array statements:array",
    ),
    (
        "financial_statements/statements[]",
        "year:number statement_type:string total_assets:number? total_equity:number? total_liabilities:number? \
         total_revenue:number? net_profit:number? template_type:string? size_category:string?",
    ),
    ("debtor_status", "is_debtor:boolean sources:array"),
    (
        "debtor_status/sources[]",
        "source:string? debtor_name:string? debt_amount:number? listed_since:string?",
    ),
    (
        "insolvency",
        "has_active_proceedings:boolean proceedings:array",
    ),
    (
        "insolvency/proceedings[]",
        "case_number:string? proceeding_type:string? status:string? court:string? administrator:string? started_at:string?",
    ),
    (
        "execution_authorizations",
        "has_active_authorizations:boolean total_count:number authorizations:array",
    ),
    (
        "execution_authorizations/authorizations[]",
        "ecli:string court_file_number:string? court:string? executor_name:string? enforced_claim:string? \
         creditors:array authorized_at:string? published_at:string?",
    ),
    (
        "commercial_bulletin",
        "total_entries:number latest_entries:array",
    ),
    (
        "commercial_bulletin/latest_entries[]",
        "section:string heading:string published_at:string",
    ),
    (
        "public_contracts_summary",
        "count:number total_value:number?",
    ),
    (
        "procurement_summary",
        "count:number total_awarded_value:number?",
    ),
    (
        "rpvs",
        "is_public_sector_partner:boolean registrations:array",
    ),
    (
        "rpvs/registrations[]",
        "business_name:string person_type:string valid_from:string? beneficial_owners:array",
    ),
    (
        "nbs",
        "is_regulated:boolean license_types:array categories:array is_natural_person:boolean licences:array agents_count:number",
    ),
    (
        "nbs/licences[]",
        "category:string sector:string? country:string? regfap_number:string? valid_from:string? parent:object? \
         status:string first_seen_on:string ended_on:string?",
    ),
    (
        "trade_license_activities[]",
        "activity:string since:string? until:string? suspended_from:string? suspended_to:string?",
    ),
    (
        "illegal_employment",
        "listed:boolean count:number since:string? entries:array",
    ),
    (
        "illegal_employment/entries[]",
        "violation_date:string? decision_date:string? decision_number:string? address:string?",
    ),
    (
        "court_decisions",
        "total:number last_5_years:number recent:array",
    ),
    (
        "court_decisions/recent[]",
        "decision_date:string? court:string? case_number:string? role:string? ruling:string? decision_type:string? \
         pdf_url:string?",
    ),
    (
        "employer_headcount",
        "name:string? bracket:string? registered_at:string? deregistered_at:string?",
    ),
    (
        "reges",
        "is_qualified_supplier:boolean registration_id:string? valid_from:string? valid_to:string?",
    ),
    (
        "social_enterprise",
        "is_registered:boolean type:string? granted_at:string? revoked_at:string? certificate_number:string? status:string?",
    ),
    (
        "gleif",
        "lei:string parent_lei:string? ultimate_parent_lei:string? status:string? registration_status:string?",
    ),
    (
        "sanctions",
        "eu_fsf_hits:array ofac_hits:array total_hits:number",
    ),
    (
        "ted_tenders",
        "count:number latest:array total_value:number?",
    ),
    (
        "ted_tenders/latest[]",
        "publication_number:string title:string? publication_date:string? value:number? currency:string?",
    ),
    (
        "replik_administrator",
        "license_number:string region:string? status:string? valid_from:string? valid_to:string?",
    ),
    (
        "sbs",
        "has_licence:boolean license_number:string? license_type:string? valid_from:string? valid_to:string?",
    ),
    (
        "transport_licence",
        "has_licence:boolean eurolicence_number:string? vehicles_count:number? valid_from:string? valid_to:string?",
    ),
    ("utility_licence", "has_licences:boolean segments:array"),
    (
        "utility_licence/segments[]",
        "licence_number:string segment:string valid_from:string? valid_to:string?",
    ),
    (
        "contracting_authority",
        "is_contracting_authority:boolean classification_section:string? classification_label:string?",
    ),
    (
        "debarred",
        "is_debarred:boolean is_listed:boolean status:string? violation_reason:string? banned_from:string? banned_until:string?",
    ),
    (
        "uvo_references",
        "count:number total_value:number? currency:string latest:array",
    ),
    (
        "uvo_references/latest[]",
        "buyer_name:string contract_subject:string document_url:string? rating:any published_at:string? value:number?",
    ),
    (
        "crp_projects",
        "count:number total_value:number? currency:string latest:array",
    ),
    (
        "crp_projects/latest[]",
        "crp_id:any name:string provider:string? help_type:string? amount:number? published_at:string? detail_url:string",
    ),
    (
        "soi_travel_agency",
        "is_registered:boolean name:string? address:string? insolvency_provider:string? insolvency_amount:number? \
         insolvency_valid_from:string? insolvency_valid_to:string? has_ban:boolean?",
    ),
    (
        "svps_establishments[]",
        "approval_number:string register_type:string section_code:string? section_label:string? activity_code:string? \
         activity_label:string? name:string city:string? district:string? region:string? match_confidence:number? \
         match_method:string?",
    ),
    (
        "fs",
        "dphno:array? dpho:array? dphz:array? dppos:array? dsrdp_registered:boolean? dph_oud:array? rd_deduction:array? \
         investment_deduction:array? patent_box:array? regulated:array?",
    ),
    (
        "fs/dphno[]",
        "period:string? excess_eur:number? own_tax_eur:number?",
    ),
    ("fs/dphz[]", "year:number? published_at:string?"),
    (
        "fs/dppos[]",
        "period_from:string? period_to:string? tax_eur:number? loss_eur:number?",
    ),
    (
        "fs/rd_deduction[]",
        "period:string? amount_eur:number? project:string? started_at:string?",
    ),
    (
        "fs/investment_deduction[]",
        "period:string? amount_eur:number? investment_eur:number? percent_planned:number?",
    ),
    (
        "fs/patent_box[]",
        "subtype:string? period:string? exemption_eur:number? patent_text:string?",
    ),
    ("fs/regulated[]", "type:string? from:string? to:string?"),
];

/// The objects at a place: of a section, or of every item of a list.
fn objects<'a>(data: &'a Value, place: &str) -> Vec<&'a Value> {
    match place.strip_suffix("[]") {
        Some(list) => at(data, &format!("/{list}"))
            .as_array()
            .into_iter()
            .flatten()
            .collect(),
        None => vec![at(data, &format!("/{place}"))],
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What of an object is not as its shape says.
fn misshapen(object: &Value, shape: &str) -> Vec<String> {
    let members = shape
        .split_whitespace()
        .filter_map(|member| member.split_once(':'));
    let wrong = members.filter(|(name, wanted)| match object.get(*name) {
        None => true,
        Some(Value::Null) => !wanted.ends_with('?') && *wanted != "any",
        Some(value) => *wanted != "any" && type_of(value) != wanted.trim_end_matches('?'),
    });
    wrong
        .map(|(name, wanted)| format!("{name} is {:?}, not {wanted}", object.get(name)))
        .collect()
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
                // Some sections are null for whom their register does not know.
                for object in objects(answer.at("/data"), path)
                    .into_iter()
                    .filter(|object| !object.is_null())
                {
                    seen[place] += 1;
                    wrong.extend(
                        misshapen(object, shape)
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
fn served_sections_have_the_shapes_that_clients_read() {
    reading(async |world| {
        let mut wrong = Vec::new();
        for index in 0..30 {
            let ico = world.simulator.population().ico(index);
            let answer = world.company(&ico, "all").await;
            for (path, shape) in SHAPES {
                let (key, _) = path.split_once(['/', '[']).unwrap_or((path, ""));
                let section = &answer.at("/data")[key];
                // What is not served yet, or could not be read: then values that nobody knows are null.
                let is_whole =
                    !section.is_null() && section["unread"].as_array().is_none_or(Vec::is_empty);
                if !is_whole || (key == "financials" && section["statement_id"].is_null()) {
                    continue;
                }
                let objects = objects(answer.at("/data"), path).into_iter();
                wrong.extend(
                    objects
                        .filter(|object| !object.is_null())
                        .flat_map(|object| misshapen(object, shape))
                        .map(|wrong| format!("{ico} {path}: {wrong}")),
                );
            }
        }
        wrong.truncate(20);
        assert_eq!(wrong, Vec::<String>::new());
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
