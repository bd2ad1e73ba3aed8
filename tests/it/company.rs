//! `/v1/company/…`.

mod caching;

use insta::assert_json_snapshot;
use lustra_tests::register_simulator::{Company, Register};
use lustra_tests::{Answer, DatabaseKind, World};
use reqwest::Method;
use serde_json::json;

use crate::support::{SHOWN, keys, reading, reading_each, shown, shown_profile};
use crate::truth::{reported, reported_base, truth, truth_in};

const SECTIONS: [&str; 36] = [
    "bank_accounts",
    "commercial_bulletin",
    "contacts",
    "contracting_authority",
    "court_decisions",
    "crp_projects",
    "debarred",
    "debtor_status",
    "employer_headcount",
    "erased_vat",
    "execution_authorizations",
    "financial_statements",
    "financials",
    "fs",
    "gleif",
    "illegal_employment",
    "insolvency",
    "itms21",
    "nbs",
    "procurement_summary",
    "public_contracts_summary",
    "reges",
    "replik_administrator",
    "rpvs",
    "sanctions",
    "sbs",
    "social_enterprise",
    "soi_travel_agency",
    "svps_establishments",
    "tax",
    "tax_reliability",
    "ted_tenders",
    "trade_license_activities",
    "transport_licence",
    "utility_licence",
    "uvo_references",
];

/// Well-formed, but assigned to no company.
const UNKNOWN: &str = "12345678";

fn sections(answer: &Answer) -> Vec<&str> {
    keys(answer.at("/data"))
        .into_iter()
        .filter(|key| SECTIONS.contains(key))
        .collect()
}

/// A company of the population that only one test of the shared world uses.
fn company(world: &World, index: u32) -> Company {
    world.simulator.population().company(index, 0)
}

#[test]
fn request_without_scope_gets_base_data_and_details() {
    reading_each(async |world| {
        let answer = world.company(&world.icos[0], "").await;
        assert_json_snapshot!("limited company without a scope", shown_profile(&answer));
    });
}

#[test]
fn one_scope_adds_its_section() {
    reading_each(async |world| {
        let answer = world.company(&world.icos[9], "erased_vat").await;
        assert_json_snapshot!("erased from VAT with one scope", shown_profile(&answer));
    });
}

#[test]
fn several_scopes_add_their_sections() {
    reading_each(async |world| {
        let answer = world.company(&world.icos[5], "tax,debtor_status").await;
        assert_json_snapshot!("debtor with two scopes", shown_profile(&answer));
    });
}

#[test]
fn all_scopes_return_the_whole_profile() {
    reading_each(async |world| {
        for (index, name) in SHOWN {
            let answer = world.company(&world.icos[index], "all").await;
            assert_json_snapshot!(format!("{name} with all scopes"), shown_profile(&answer));
        }
    });
}

#[test]
fn every_value_matches_the_registers() {
    reading_each(async |world| {
        for index in 0..30 {
            let company = company(world, index);
            let answer = world.company(&company.ico, "all").await;
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(
                reported(&answer),
                truth_in(world, &company),
                "company {index}"
            );
        }
    });
}

#[test]
fn company_is_found_by_the_id_in_its_answer() {
    reading_each(async |world| {
        let by_ico = world.company(&world.icos[1], "tax").await;
        let id = by_ico.at("/data/id");
        let by_id = world.get(&format!("/v1/company/{id}?scope=tax")).await;
        assert_eq!((by_id.status, by_id.at("/data")), (200, by_ico.at("/data")));
    });
}

#[test]
fn unassigned_id_is_not_found() {
    reading_each(async |world| {
        for id in ["0", "987654321", "9223372036854775807"] {
            let answer = world.get(&format!("/v1/company/{id}")).await;
            assert_eq!(
                (answer.status, answer.at("/error")),
                (404, &json!("not_found")),
                "{id}"
            );
        }
    });
}

#[test]
fn every_spelling_of_a_register_id_is_accepted() {
    reading_each(async |world| {
        // Companies 8 and 9 have the same number in two courts; the numbers of the others are unique.
        for (spelling, index) in [
            ("1008/5", 8),
            ("1008%2F5", 8),
            ("1008%2f5", 8),
            ("1008/9", 9),
            ("1008%2F9", 9),
            ("1000", 0),
            ("1001", 1),
            ("1002/4", 2),
            ("1002", 2),
            ("1002/", 2),
            ("1002%2F", 2),
        ] {
            let answer = world
                .get(&format!("/v1/company/id/{spelling}?scope=tax"))
                .await;
            assert_eq!(
                answer.at("/data/ico"),
                &world.icos[index],
                "{spelling}: {answer:?}"
            );
            assert_eq!(sections(&answer), ["tax"], "{spelling}");
        }
    });
}

#[test]
fn ambiguous_register_id_needs_the_court() {
    reading_each(async |world| {
        let by_number = world.get("/v1/company/id/1008").await;
        assert_eq!(by_number.status, 422, "{by_number:?}");
        assert_eq!(keys(by_number.at("/errors")), ["orsr_id"]);
        let one = world.get("/v1/company/id/1008/5").await;
        assert_eq!(one.status, 200);
        // One of them is stored now, but the number stays ambiguous.
        assert_eq!(world.get("/v1/company/id/1008").await.status, 422);
    });
}

#[test]
fn unassigned_register_id_is_not_found() {
    reading_each(async |world| {
        for id in [
            "1002/9",
            "999999",
            "999999/2",
            "1002%2F9",
            "0",
            "999999999999",
        ] {
            let answer = world.get(&format!("/v1/company/id/{id}")).await;
            assert_eq!(
                (answer.status, answer.at("/error")),
                (404, &json!("not_found")),
                "{id}"
            );
        }
    });
}

#[test]
fn only_commercial_register_companies_have_details() {
    reading_each(async |world| {
        for index in 0..30 {
            let company = company(world, index);
            let answer = world.company(&company.ico, "").await;
            let state = if company.orsr.is_some() {
                "fresh"
            } else {
                "not_applicable"
            };
            assert_eq!(
                answer.at("/meta/registers/1/state"),
                state,
                "company {index}"
            );
            assert_eq!(
                answer.at("/data/orsr_id").is_string(),
                company.orsr.is_some(),
                "company {index}"
            );
            assert_eq!(
                answer.at("/meta/orsr_synced_at").is_string(),
                company.orsr.is_some()
            );
        }
    });
}

async fn is_looked_up_live_and_kept(kind: DatabaseKind) {
    let builder = World::new().on(kind).nothing_imported();
    let builder = builder.settings(|config| config.freshness.cache_seconds = 0);
    let Some(world) = builder.start_if_possible().await else {
        return;
    };
    let first = world.company(&world.icos[0], "tax").await;
    assert_eq!(
        (first.status, first.at("/meta/source")),
        (200, &json!("live")),
        "{first:?}"
    );
    let asked = [Register::Rpo, Register::Orsr].map(|register| world.simulator.requests(register));
    let second = world.company(&world.icos[0], "tax").await;
    assert_eq!(second.at("/meta/source"), "database");
    assert_eq!(second.at("/data"), first.at("/data"));
    assert_eq!(
        [Register::Rpo, Register::Orsr].map(|register| world.simulator.requests(register)),
        asked
    );
    world.end().await;
}

#[tokio::test]
async fn unknown_company_is_fetched_and_stored_on_sqlite() {
    is_looked_up_live_and_kept(DatabaseKind::Sqlite).await;
}

#[tokio::test]
async fn unknown_company_is_fetched_and_stored_on_postgresql() {
    is_looked_up_live_and_kept(DatabaseKind::Postgres).await;
}

#[tokio::test]
async fn absence_needs_an_enabled_register_of_companies() {
    let builder = World::new().nothing_imported().settings(|config| {
        let rpo = config.connector.get_mut("rpo").expect("the demo has it");
        rpo.enabled = Some(false);
    });
    let world = builder.start().await;
    let population = world.simulator.population();
    let mut companies = (0..population.len()).map(|index| population.company(index, 0));
    let trader = companies.find(|company| company.orsr.is_none());
    let trader = trader.expect("there are traders").ico;
    // The commercial register, which was read, does not have traders.
    let answer = world.company(&trader, "").await;
    assert_eq!(answer.status, 503, "{answer:?}");
    world.end().await;
}

#[tokio::test]
async fn live_lookup_equals_the_import() {
    let world = World::new().nothing_imported().start().await;
    for index in [0, 3, 4, 6, 7] {
        let company = company(&world, index);
        let answer = world.company(&company.ico, "").await;
        assert_eq!(
            reported_base(&answer),
            truth(&company)["base"],
            "company {index}"
        );
    }
    world.end().await;
}

#[tokio::test]
async fn unassigned_number_is_cached_for_minutes() {
    let world = World::new().start().await;
    let first = world.company(UNKNOWN, "").await;
    assert_json_snapshot!("unknown number", shown(&first));
    let asked = world.simulator.requests(Register::Rpo);
    assert!(asked > 0, "a register was asked");
    assert_eq!(world.company(UNKNOWN, "all").await.status, 404);
    assert_eq!(
        world.simulator.requests(Register::Rpo),
        asked,
        "the register is not asked again at once"
    );
    world.advance(1);
    assert_eq!(world.company(UNKNOWN, "").await.status, 404);
    assert!(world.simulator.requests(Register::Rpo) > asked, "but later");
    world.end().await;
}

#[test]
fn details_scope_adds_no_section() {
    reading(async |world| {
        let ico = &world.icos[2];
        let orsr = world.company(ico, "orsr,tax").await;
        assert_eq!((orsr.status, sections(&orsr)), (200, vec!["tax"]));
        assert_eq!(keys(orsr.at("/meta/scopes")), ["orsr", "tax"]);
        assert_eq!(orsr.at("/data").get("orsr"), None);
    });
}

#[test]
fn scopes_are_separated_by_commas_plain_or_encoded() {
    reading(async |world| {
        for scope in [
            "tax,erased_vat",
            "tax%2Cerased_vat",
            "tax%2cerased_vat",
            "tax,,erased_vat,",
            "tax,tax,erased_vat",
            "tax,%20erased_vat",
        ] {
            let answer = world.company(&world.icos[2], scope).await;
            assert_eq!(
                sections(&answer),
                ["erased_vat", "tax"],
                "{scope}: {answer:?}"
            );
        }
    });
}

#[test]
fn all_beside_another_scope_means_every_scope() {
    reading(async |world| {
        for scope in ["all", "tax,all", "all,orsr"] {
            let answer = world.company(&world.icos[2], scope).await;
            let of_other_trades = ["sbs", "transport_licence", "utility_licence"].into_iter();
            let other: Vec<&str> = of_other_trades
                .filter(|key| answer.at("/meta/scopes")[*key]["state"] == json!("not_applicable"))
                .collect();
            assert_eq!(other.len(), 2, "a carrier: {answer:?}");
            let mut reported = sections(&answer);
            reported.extend(other);
            reported.sort_unstable();
            assert_eq!(reported, SECTIONS, "{scope}");
        }
    });
}

#[tokio::test]
async fn all_means_every_scope_of_the_plan() {
    let world = World::new().plan("free").start().await;
    let answer = world.company(&world.icos[0], "all").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(sections(&answer), ["erased_vat", "tax", "tax_reliability"]);
    assert_eq!(
        keys(answer.at("/meta/scopes")),
        ["erased_vat", "orsr", "tax", "tax_reliability"]
    );
    world.end().await;
}

#[test]
fn head_request_gets_only_the_headers() {
    reading(async |world| {
        let path = format!("/v1/company/ico/{}", world.icos[2]);
        let answer = world
            .request(Method::HEAD, &path, &[("x-api-key", &world.key)])
            .await;
        assert_eq!((answer.status, &answer.body), (200, &json!("")));
        assert!(answer.header("etag").is_some());
    });
}
