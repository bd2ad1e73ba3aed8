//! Plans without credits, and overage.

use lustra_tests::lustra::store::Store;
use lustra_tests::lustra::store::testing::TestDatabase;
use serde_json::json;

use super::{change, create, shown};
use crate::command_line::{Operator, json as only};

#[tokio::test]
async fn account_from_before_credits_moves_to_credits() {
    let operator = Operator::new().await;
    create(&operator, "old", "starter").await;
    // The plan change books the quota, as a first call does.
    let reported = change(&operator, "old", "legacy").await;
    assert_eq!(
        (
            &reported["monthly"],
            &reported["balance"],
            &reported["rolled_over"]
        ),
        (&json!(10_000), &json!(10_000), &json!(0))
    );
    let shown = operator
        .run(&["account", "show", "--account", "old"])
        .await
        .printed();
    assert!(
        shown.contains("plan legacy (quota)") && shown.contains("calls       10000 left"),
        "{shown}"
    );
    let text = operator
        .run(&["account", "plan", "--account", "old", "--plan", "starter"])
        .await
        .printed();
    for part in [
        "the 10000 calls left of its month have expired",
        "a full month of starter has begun: 5000 credits",
        "5000 in all",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    // An account without any bookings.
    create(&operator, "silent", "legacy").await;
    let text = operator
        .run(&["account", "plan", "--account", "silent", "--plan", "free"])
        .await
        .printed();
    assert!(
        text.contains("nothing rolls over") && text.contains("100 in all"),
        "{text}"
    );
}

#[tokio::test]
async fn overage_applies_only_on_plans_that_allow_it() {
    let database = TestDatabase::sqlite();
    let operator = Operator::new().await;
    operator.configure_on(database.url(), "");
    create(&operator, "acme", "free").await;
    let overage = |wanted| ["account", "overage", "--account", "acme", wanted];
    let said = operator.run(&overage("on")).await.refused();
    assert!(
        said.contains("the account acme is on the plan free, which does not allow overage"),
        "{said}"
    );
    let off = operator.run(&overage("off")).await.printed();
    assert!(
        off.contains("calls of acme beyond its credits are refused"),
        "{off}"
    );
    change(&operator, "acme", "starter").await;
    let on = [&overage("on")[..], &["--json"]].concat();
    let reported = only(&operator.run(&on).await.printed());
    assert_eq!(
        (&reported["overage"], &reported["changed"]),
        (&json!(true), &json!(true))
    );
    let on = operator.run(&overage("on")).await.printed();
    assert!(on.contains("billed as overage"), "{on}");
    assert_eq!(shown(&operator, "acme").await["overage"], true);
    let store = Store::connect(database.url(), 1)
        .await
        .expect("it was just used");
    let account = store.keys().find_account("acme").await;
    assert!(
        account
            .expect("it answers")
            .is_some_and(|account| account.overage)
    );
    store.close().await;
    // The choice is kept, but has no effect where the plan does not allow it.
    let back = ["account", "plan", "--account", "acme", "--plan", "free"];
    let reported = operator.run(&back).await;
    assert!(
        reported.stderr.contains("does not allow"),
        "{}",
        reported.stderr
    );
    assert_eq!(shown(&operator, "acme").await["overage"], false);
}
