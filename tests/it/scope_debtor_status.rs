//! Responses about debtors: since when they are listed, from the history of the list.

use lustra_tests::World;
use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::DebtorList;
use serde_json::{Value, json};

/// The social insurer's entry of a company.
async fn entry(world: &World, ico: &str) -> Value {
    // A stale answer starts the refresh.
    world.company(ico, "debtor_status").await;
    world.wait_idle().await;
    let answer = world.company(ico, "debtor_status").await;
    let entries = answer.at("/data/debtor_status/sources");
    let mut entries = entries.as_array().into_iter().flatten();
    let entry = entries.find(|entry| entry["source"] == "socialna_poistovna");
    entry
        .cloned()
        .unwrap_or_else(|| panic!("no entry of {ico}: {answer:?}"))
}

#[tokio::test]
async fn debtor_is_listed_since_the_first_list_with_it() {
    let world = World::new().connectors(&["debtors", "rpo"]).companies(60);
    let world = world.without_index().start().await;
    let population = world.simulator.population();
    // A company that still owes on the last day of the test.
    let owes = |index, day| {
        let company = population.company(index, day);
        company.debt(DebtorList::Socpoist).is_some()
    };
    let of_first_list = (0..60).find(|index| owes(*index, 0) && owes(*index, 21));
    let of_first_list = population.ico(of_first_list.expect("some company owes"));
    assert_eq!(
        entry(&world, &of_first_list).await["listed_since"],
        json!(null),
        "it may be older than the first import"
    );
    let ico = world.icos[0].clone();
    world.happens(&ico, ChangeKind::DebtorAppeared(DebtorList::Socpoist));
    // The list is published on Mondays.
    world.advance(7);
    world.propagate_changes().await;
    let first = entry(&world, &ico).await;
    assert!(first["listed_since"].is_string(), "{first}");
    assert_eq!(first["listed_since"], first["as_of"]);
    world.advance(14);
    world.propagate_changes().await;
    let later = entry(&world, &ico).await;
    assert_eq!(later["listed_since"], first["listed_since"]);
    assert_ne!(later["as_of"], first["as_of"]);
    let older = entry(&world, &of_first_list).await;
    assert_eq!(older["listed_since"], json!(null));
    world.end().await;
}
