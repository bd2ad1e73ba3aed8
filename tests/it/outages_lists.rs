//! Lists in another encoding than their headers say.

use lustra_tests::World;
use lustra_tests::register_simulator::{Fault, Register};
use serde_json::Value;

use crate::outages::fail;

#[tokio::test]
async fn wrong_declared_encoding_never_garbles_texts() {
    let (world, right) = tokio::join!(World::new().start(), World::new().start());
    let mut before = Vec::new();
    for ico in &world.icos {
        before.push(world.company(ico, "all").await);
    }
    for world in [&world, &right] {
        world.advance(25);
    }
    fail(&world, &Register::ALL, Fault::WrongCharset);
    for world in [&world, &right] {
        world.import_due().await;
    }
    for (ico, before) in world.icos.iter().zip(&before) {
        let (answer, expected) = (
            world.company(ico, "all").await,
            right.company(ico, "all").await,
        );
        let facts = answer
            .at("/data")
            .as_object()
            .expect("the company is known");
        for (name, fact) in facts {
            // One section states the age of its newest issue, another the entries that left its list. Establishments
            // are attached by name and place, and a company may have moved.
            let is_of_the_moment = [
                "tax",
                "debtor_status",
                "id",
                "commercial_bulletin",
                "debarred",
                "svps_establishments",
            ]
            .contains(&name.as_str());
            // The state of the lists is reported beside their content.
            let of_lists = |fact: &Value| {
                let mut fact = fact.clone();
                if let Some(members) = fact.as_object_mut().filter(|_| name == "fs") {
                    members.remove("sources");
                }
                fact
            };
            // Old data stays, also if the section says that the rest could not be read.
            let unread = fact["unread"].as_array();
            let says_so = unread.is_some_and(|unread| !unread.is_empty());
            let stayed = *fact == before.body["data"][name];
            assert!(
                is_of_the_moment
                    || says_so
                    || stayed
                    || of_lists(fact) == of_lists(&expected.body["data"][name]),
                "{ico} {name}: {fact}"
            );
        }
        let names = answer.at("/data/debtor_status/sources").to_string();
        assert!(
            !names.contains('\u{fffd}') && !names.contains('Ã') && !names.contains('Ĺ'),
            "{names}"
        );
    }
    world.end().await;
    right.end().await;
}
