//! Responses and events about operator-supplied lists: trade licences, social enterprises, travel agencies and
//! employers.

use std::collections::BTreeSet;

use lustra_tests::lustra::config::Config;
use lustra_tests::register_simulator::Register;
use lustra_tests::register_simulator::population::listed::{Trade, licences};
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{RequestCounter, dataset, on_each_kind};
use crate::notifications_support::{follow, small};
use crate::support::reading;
use crate::truth::{reported_of_lists, truth_in};

/// The connectors of these worlds: the base register and those of the lists.
const CONNECTORS: Connectors = &[
    "employers",
    "rpo",
    "security-licences",
    "social-enterprises",
    "transport-licences",
    "travel-agencies",
    "utility-licences",
];

/// Connector, dataset, scope and yes/no member of each list.
const LISTS: [(&str, &str, &str, &str); 6] = [
    ("security-licences", "licences", "sbs", "has_licence"),
    (
        "transport-licences",
        "licences",
        "transport_licence",
        "has_licence",
    ),
    (
        "utility-licences",
        "licences",
        "utility_licence",
        "has_licences",
    ),
    (
        "social-enterprises",
        "enterprises",
        "social_enterprise",
        "is_registered",
    ),
    (
        "travel-agencies",
        "agencies",
        "soi_travel_agency",
        "is_registered",
    ),
    ("employers", "employers", "employer_headcount", "bracket"),
];

const SCOPES: &str =
    "sbs,transport_licence,utility_licence,social_enterprise,soi_travel_agency,employer_headcount";

/// Companies whose licence is suspended on day 3: private security, transport and electricity.
const LICENSED: [usize; 3] = [12, 13, 14];

fn ico(world: &World, index: usize) -> String {
    let index = u32::try_from(index).expect("small");
    world.simulator.population().ico(index)
}

/// The response with all sections after all refreshes have finished.
async fn asked(world: &World, index: usize) -> Answer {
    let ico = ico(world, index);
    world.company(&ico, SCOPES).await;
    world.wait_idle().await;
    let answer = world.company(&ico, SCOPES).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer
}

/// Asserts that the response matches the lists of this day.
#[track_caller]
fn assert_true(world: &World, index: usize, answer: &Answer) {
    let index = u32::try_from(index).expect("small");
    let day = world.simulator.clock().day();
    let company = world.simulator.population().company(index, day);
    let truth = truth_in(world, &company);
    assert_eq!(
        reported_of_lists(answer),
        truth["lists"],
        "company {index} on day {day}"
    );
}

#[test]
fn each_list_contributes_its_companies() {
    reading(async |world| {
        for index in 0..24 {
            assert_true(world, index, &asked(world, index).await);
        }
        let guard = asked(world, 12).await;
        assert_eq!(guard.at("/data/sbs/has_licence"), true, "{guard:?}");
        assert_eq!(guard.at("/meta/scopes/sbs/state"), "fresh");
        assert_eq!(
            asked(world, 13)
                .await
                .at("/data/transport_licence/has_licence"),
            true
        );
        assert_eq!(
            asked(world, 14)
                .await
                .at("/data/utility_licence/has_licences"),
            true
        );
        assert_eq!(
            asked(world, 9).await.at("/data/employer_headcount"),
            &Value::Null
        );
        let transport = asked(world, 13).await;
        assert!(
            !transport.body.to_string().contains("Vodičský"),
            "managers are not named"
        );
    });
}

#[tokio::test]
async fn lists_are_checked_only_for_companies_of_the_trade() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(24)
        .start()
        .await;
    // It is on the lists of all three trades, although none is its own trade.
    let company = world.simulator.population().company(0, 0);
    let trades = [
        (Trade::Security, "sbs"),
        (Trade::Transport, "transport_licence"),
        (Trade::Utility, "utility_licence"),
    ];
    let before = RequestCounter::from_now(&world);
    let other = asked(&world, 0).await;
    for (trade, scope) in trades {
        assert_eq!(licences(&company, trade).len(), 1);
        assert!(
            !trade
                .nace()
                .iter()
                .any(|prefix| company.nace.class.starts_with(prefix))
        );
        assert!(other.at("/data").get(scope).is_none(), "{scope}: {other:?}");
        let state = &other.at("/meta/scopes")[scope];
        assert_eq!(state["state"], "not_applicable", "{state}");
        assert!(state["reason"].is_null(), "{state}");
    }
    assert_eq!(other.at("/meta/stale"), false, "the answer does not wait");
    let own = asked(&world, 12).await;
    assert_eq!(own.at("/data/sbs/has_licence"), true);
    assert!(own.at("/data").get("transport_licence").is_none());
    assert_eq!(
        before.of(Register::OperatorFiles),
        0,
        "lists are only imported"
    );
    world.end().await;
}

/// Asserts that no response contains facts from the lists, and that each says that they are off.
async fn assert_silent(world: &World) {
    for index in [0, 1, 12, 13, 14] {
        let answer = asked(world, index).await;
        for (_, id, scope, member) in LISTS {
            let Some(section) = answer.at("/data").get(scope) else {
                let state = &answer.at("/meta/scopes")[scope]["state"];
                assert_eq!(state, "not_applicable", "{scope}: {answer:?}");
                continue;
            };
            assert_eq!(section[member], Value::Null, "{scope}: {section}");
            let unread = &section["unread"][0];
            assert_eq!(
                (&unread["source"], &unread["since"]),
                (&json!(id), &Value::Null)
            );
            let reported = unread["why"].as_str().unwrap_or_default();
            assert!(reported.starts_with("off: "), "{scope}: {reported}");
        }
    }
}

#[tokio::test]
async fn disabled_list_is_unread() {
    let off = |config: &mut Config| {
        for (connector, id, _, _) in LISTS {
            let own = config
                .connector
                .get_mut(connector)
                .expect("the demo has it");
            own.datasets.entry(id.to_owned()).or_default().on = Some(false);
        }
    };
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(24)
        .settings(off)
        .start()
        .await;
    assert_silent(&world).await;
    let list = dataset(&world, "employers", "employers").await;
    assert_eq!(list["state"], "off", "{list}");
    let needs = list["needs"].as_str().unwrap_or_default();
    assert!(needs.contains("upstream list"), "{list}");
    world.end().await;
}

/// The kinds of a company's received events, with the fields of updates.
fn received(receiver: &Receiver, ico: &str) -> BTreeSet<String> {
    let notices: Vec<Value> = receiver.take().iter().map(Received::json).collect();
    let own = notices.iter().filter(|notice| notice["data"]["ico"] == ico);
    own.flat_map(|notice| [&notice["event"], &notice["data"]["field"]])
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

#[tokio::test]
async fn list_changes_raise_events() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS).companies(24),
        async |world| {
            for (day, changes) in [
                (
                    3,
                    [
                        (LICENSED[0], "sbs_licence.updated"),
                        (LICENSED[1], "transport_licence.updated"),
                        (LICENSED[2], "utility_licence.updated"),
                    ]
                    .as_slice(),
                ),
                (
                    4,
                    &[
                        (7, "social_enterprise.updated"),
                        (8, "soi_travel_agency.has_ban"),
                    ],
                ),
                // Its last day has passed, although the list is unchanged.
                (5, &[(18, "sbs_licence.updated")]),
                (6, &[(7, "employer_headcount.bracket")]),
            ] {
                let mut receivers = Vec::new();
                for (index, expected) in changes {
                    let receiver = Receiver::start().await;
                    follow(world, &ico(world, *index), &receiver).await;
                    receivers.push((*index, *expected, receiver));
                }
                world.advance(day - world.simulator.clock().day());
                world.propagate_changes().await;
                for (index, expected, receiver) in receivers {
                    let reported = received(&receiver, &ico(world, index));
                    assert!(reported.contains(expected), "company {index}: {reported:?}");
                    assert_true(world, index, &asked(world, index).await);
                }
            }
        },
    )
    .await;
}
