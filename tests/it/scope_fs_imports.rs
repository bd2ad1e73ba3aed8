//! Responses and events about the further lists of the tax authority.

use std::collections::BTreeSet;

use lustra_tests::lustra::config::{Config, SecretMap};
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{dataset, on_each_kind};
use crate::notifications_support::{follow, small};
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["rpo", "tax-lists"];

const SCOPE: &str = "fs_imports";
const CONNECTOR: &str = "tax-lists";

/// Each list with its member of the section.
const LISTS: [(&str, &str); 10] = [
    ("vat-deductions", "dphno"),
    ("vat-regimes", "vat_regimes"),
    ("vat-cancellation-reasons", "dphz"),
    ("corporate-income-tax", "dppos"),
    ("income-tax-subjects", "income_tax_registered"),
    ("tax-accounts", "tax_office_accounts"),
    ("research-deductions", "rd_deduction"),
    ("investment-deductions", "investment_deduction"),
    ("patent-box", "patent_box"),
    ("regulated-entities", "regulated"),
];

/// Lists without a known source; their parts of the section are always null.
const UNKNOWN: [&str; 3] = [
    "vat-registrations",
    "reliable-vat-payers",
    "tax-debtors-accounts",
];

/// Lists that are found in the list of lists.
const FOUND: [&str; 4] = [
    "research-deductions",
    "investment-deductions",
    "patent-box",
    "regulated-entities",
];

/// The list that is read on Mondays only.
const WEEKLY: &str = "vat-cancellation-reasons";

/// The section after all refreshes have finished.
async fn section(world: &World, index: usize) -> Value {
    asked(world, index).await.at("/data/fs").clone()
}

async fn asked(world: &World, index: usize) -> Answer {
    let ico = &world.icos[index];
    world.company(ico, SCOPE).await;
    world.wait_idle().await;
    let answer = world.company(ico, SCOPE).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer
}

fn count(section: &Value, list: &str) -> Option<usize> {
    section[list].as_array().map(Vec::len)
}

fn unread(section: &Value) -> BTreeSet<&str> {
    let unread = section["unread"].as_array().into_iter().flatten();
    let sources = unread.filter_map(|one| one["source"].as_str());
    sources.filter(|source| !UNKNOWN.contains(source)).collect()
}

#[test]
fn section_has_the_entries_of_every_list() {
    reading(async |world| {
        let of = async |index: usize| section(world, index).await;
        let first = of(0).await;
        assert_eq!(count(&first, "dphno"), Some(4), "{first}");
        assert_eq!(first["dphno"][0]["period"], "2025-4Q");
        assert!(first["dphno"][2]["excess_eur"].is_number());
        assert_eq!(count(&first, "dppos"), Some(3));
        assert_eq!(first["dppos"][1]["additional_tax_eur"], json!(1234.0));
        assert_eq!(count(&first, "rd_deduction"), Some(3), "by the DIČ alone");
        assert_eq!(first["tax_office_accounts"][0]["bank_code"], "8180");
        assert_eq!(first["income_tax_registered"], true);
        let sources = first["sources"].as_array().cloned().unwrap_or_default();
        assert_eq!(sources.len(), LISTS.len());
        for (reported, (id, _)) in sources.iter().zip(LISTS) {
            assert_eq!(
                (&reported["source"], &reported["state"]),
                (&json!(id), &json!("imported"))
            );
            assert_eq!(reported["list_date"], "2026-01-15", "{reported}");
            assert_eq!(
                reported["slug"].is_null(),
                FOUND.contains(&id),
                "{reported}"
            );
        }
        let by_number = of(1).await;
        assert_eq!(count(&by_number, "dphno"), Some(3), "its rows name no IČO");
        assert_eq!(by_number["investment_deduction"][0]["percent_planned"], 700);
        assert_eq!(count(&by_number, "regulated"), Some(2));
        assert_eq!(count(&of(2).await, "dphz"), Some(1));
        let trader = of(3).await;
        for (_, list) in LISTS
            .iter()
            .filter(|(_, list)| *list != "income_tax_registered")
        {
            assert_eq!(trader[*list], json!([]), "{list}");
        }
        let ended = of(4).await;
        assert_eq!(ended["income_tax_registered"], false);
        assert_eq!(count(&ended, "dppos"), Some(1));
        assert_eq!(
            count(&of(10).await, "tax_office_accounts"),
            Some(1),
            "by the IČ DPH"
        );
        assert!(unread(&first).is_empty());
        for part in ["dpho", "dsrdp_registered", "dph_oud"] {
            assert!(first[part].is_null(), "{part}");
        }
        assert_eq!(
            first["unread"].as_array().map(Vec::len),
            Some(UNKNOWN.len())
        );
    });
}

#[tokio::test]
async fn unreadable_list_of_lists_hides_only_the_lists_found_there() {
    let world = World::new()
        .connectors(CONNECTORS)
        .nothing_imported()
        .companies(12)
        .start()
        .await;
    // The files are readable, but the list of lists is not, so the lists without a fixed name cannot be found.
    for fault in [
        Fault::Html200,
        Fault::Truncated,
        Fault::Empty,
        Fault::Renamed,
    ] {
        world.advance(1);
        world.fault(Register::FsApi, fault);
        world.import_due().await;
        let section = section(&world, 3).await;
        for (id, list) in LISTS.iter().filter(|(id, _)| *id != WEEKLY) {
            let is_found = FOUND.contains(id);
            assert_eq!(
                section[*list].is_null(),
                is_found,
                "{fault:?}: {list}: {section}"
            );
            assert_eq!(
                unread(&section).contains(id),
                is_found,
                "{fault:?}: {id}: {section}"
            );
        }
    }
    world.fault(Register::FsApi, Fault::Off);
    world.advance(1);
    world.import_due().await;
    let mended = section(&world, 3).await;
    assert!(
        unread(&mended).is_subset(&BTreeSet::from([WEEKLY])),
        "{mended}"
    );
    assert_eq!(mended["patent_box"], json!([]));
    assert_eq!(count(&section(&world, 0).await, "patent_box"), Some(2));
    world.end().await;
}

#[tokio::test]
async fn disabled_or_missing_list_is_null() {
    let settings = |config: &mut Config| {
        let own = config
            .connector
            .get_mut(CONNECTOR)
            .expect("the demo has it");
        own.datasets.entry("patent-box".to_owned()).or_default().on = Some(false);
        let names = json!({
            "research-deductions": ["nieco ine"],
            "regulated-entities": ["zoznam danov"],
        });
        let mut settings = own.settings.reveal().clone();
        settings.insert("names".to_owned(), names);
        own.settings = SecretMap::new(settings);
    };
    let world = World::new()
        .connectors(CONNECTORS)
        .nothing_imported()
        .companies(12)
        .settings(settings)
        .start()
        .await;
    world.import_due().await;
    for id in ["research-deductions", "regulated-entities"] {
        let list = dataset(&world, CONNECTOR, id).await;
        assert_eq!(list["state"], "failed", "{list}");
        let reason = list["reason"].as_str().unwrap_or_default();
        // Which lists exist is for the operator only.
        assert!(reason.starts_with("misconfigured"), "{id}: {reason}");
    }
    let first = section(&world, 0).await;
    for list in ["patent_box", "rd_deduction", "regulated"] {
        assert!(first[list].is_null(), "{list}: {first}");
    }
    assert_eq!(
        unread(&first),
        BTreeSet::from(["patent-box", "regulated-entities", "research-deductions"])
    );
    assert_eq!(first["investment_deduction"], json!([]));
    world.end().await;
}

#[tokio::test]
async fn new_list_entries_raise_events() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS),
        async |world| {
            let receiver = Receiver::start().await;
            for (index, kind, fields) in [
                (
                    0,
                    ChangeKind::Happened(Happening::TaxesPublished),
                    &["dphno", "vat_regimes", "dppos"][..],
                ),
                (
                    6,
                    ChangeKind::Happened(Happening::ReliefClaimed),
                    &[
                        "investment_deduction",
                        "patent_box",
                        "rd_deduction",
                        "regulated",
                    ][..],
                ),
                (3, ChangeKind::VatRegistered, &["tax_office_accounts"][..]),
                // Day 4 is the Monday when the weekly list is published.
                (8, ChangeKind::VatReasonsPublished, &["dphz"][..]),
                (
                    11,
                    ChangeKind::Terminated,
                    &["tax_office_accounts", "income_tax_registered"][..],
                ),
            ] {
                let ico = world.icos[index].clone();
                follow(world, &ico, &receiver).await;
                world.happens(&ico, kind);
                world.propagate_changes().await;
                let reported: BTreeSet<String> = receiver
                    .take()
                    .iter()
                    .map(Received::json)
                    .filter(|notice| notice["data"]["ico"] == ico.as_str())
                    .filter(|notice| notice["event"] == "company.updated")
                    .filter_map(|notice| Some(notice["data"]["field"].as_str()?.to_owned()))
                    .filter_map(|field| Some(field.strip_prefix("fs.")?.to_owned()))
                    .collect();
                for field in fields {
                    assert!(reported.contains(*field), "{kind:?}: {field}: {reported:?}");
                }
            }
        },
    )
    .await;
}
