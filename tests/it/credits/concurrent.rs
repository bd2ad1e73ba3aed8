//! Credits that several hosts charge concurrently.

use lustra_tests::answered;

use super::{balance, with_credits};
use crate::faults_support::on_each_kind;

#[tokio::test]
async fn concurrent_hosts_never_overspend_credits() {
    on_each_kind(
        |kind| with_credits(333).on(kind),
        async |world| {
            let neighbour = world.neighbour().await;
            neighbour.indexed().await;
            let client = lustra_tests::client();
            let racing = (0..64).map(|number| {
                let host = if number % 2 == 0 {
                    world.url()
                } else {
                    neighbour.url()
                };
                let (client, key) = (client.clone(), world.key.clone());
                tokio::spawn(async move {
                    let mut answered_with = Vec::new();
                    loop {
                        let request = client
                            .get(format!("{host}/v1/search/ico?q={number}"))
                            .header("x-api-key", &key);
                        let answer = answered(request).await;
                        match answer.status {
                            200 => answered_with.push(
                                answer
                                    .header("x-request-id")
                                    .expect("every answer has one")
                                    .to_owned(),
                            ),
                            402 => return answered_with,
                            other => panic!("{other}: {:?}", answer.body),
                        }
                    }
                })
            });
            let racing: Vec<_> = racing.collect();
            let mut paid = Vec::new();
            for client in racing {
                paid.extend(client.await.expect("no client fails"));
            }
            assert_eq!(paid.len(), 333);
            assert_eq!(balance(world).await, 0);
            let account = world.account().await.id;
            for operation in &paid {
                let entries = world.store.billing().entries_of(account, operation).await;
                assert_eq!(
                    entries.expect("the store is there").len(),
                    1,
                    "an answer is booked under its request's id"
                );
            }
            let findings = world.verify_ledgers().await;
            assert_eq!(findings.entries, 334, "a grant and the calls");
        },
    )
    .await;
}
