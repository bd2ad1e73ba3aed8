//! Several hosts on one store keep the registers' pace together.

use lustra_tests::World;
use lustra_tests::register_simulator::{Fault, Register};

use crate::faults_support::{Asked, on_each_kind};

#[tokio::test]
async fn a_register_that_sent_one_host_away_is_left_alone_by_the_other() {
    on_each_kind(
        |kind| World::new().on(kind),
        async |world| {
            let neighbour = world.neighbour().await;
            neighbour.meet().await;
            assert_eq!(world.meet().await, 2);
            world.fault(Register::Vies, Fault::Throttled);
            let answer = world.company(&world.icos[0], "tax").await;
            let unread = answer.at("/data/tax/unread/0/source");
            assert_eq!(unread, "vies", "{answer:?}");
            world.fault(Register::Vies, Fault::Off);
            world.meet().await;
            neighbour.meet().await;
            let asked = Asked::from_now(world);
            let answer = neighbour.company(&world.icos[1], "tax").await;
            assert_eq!(answer.at("/data/tax/unread/0/source"), "vies", "{answer:?}");
            assert_eq!(asked.of(Register::Vies), 0, "half a minute is not over");
        },
    )
    .await;
}
