//! `/v1/company/…`.

use lustra_tests::World;

#[tokio::test]
async fn a_profile_has_every_scope_that_was_asked_for() {
    let world = World::new().start().await;
    let answer = world.company(&world.icos[0], "all").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.at("/data/tax/is_vat_payer"), true);
    assert_eq!(answer.at("/meta/stale"), false);
}
