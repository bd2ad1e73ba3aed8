//! `lustra plan` and `lustra account`: showing and changing accounts.

mod plans;

use lustra_tests::lustra::store::Store;
use lustra_tests::lustra::store::testing::TestDatabase;
use serde_json::{Value, json};

use crate::command_line::{Operator, json as only, lines};

async fn create(operator: &Operator, name: &str, plan: &str) {
    let arguments = ["account", "create", "--name", name, "--plan", plan];
    operator.run(&arguments).await.printed();
}

async fn shown(operator: &Operator, account: &str) -> Value {
    let arguments = ["account", "show", "--account", account, "--json"];
    only(&operator.run(&arguments).await.printed())
}

async fn grant(operator: &Operator, account: &str, credits: &str, reference: &str) {
    let arguments = [
        "credit",
        "grant",
        "--account",
        account,
        "--credits",
        credits,
        "--reference",
        reference,
    ];
    operator.run(&arguments).await.printed();
}

/// Puts an account on a plan. Returns the JSON output.
async fn change(operator: &Operator, account: &str, plan: &str) -> Value {
    let arguments = ["account", "plan", "--account", account, "--plan", plan];
    let reported = operator.run(&[&arguments[..], &["--json"]].concat()).await;
    only(&reported.printed())
}

fn objects(printed: &str) -> Vec<Value> {
    let lines = lines(printed).into_iter();
    lines
        .map(|line| serde_json::from_str(line).expect("an object a line"))
        .collect()
}

#[tokio::test]
async fn plan_list_shows_terms_and_account_counts() {
    let operator = Operator::new().await;
    create(&operator, "acme", "starter").await;
    create(&operator, "other", "starter").await;
    let listed = operator.run(&["plan", "list", "--json"]).await.printed();
    let plans = objects(&listed);
    let plan = |name: &str| {
        let found = plans.iter().find(|plan| plan["plan"] == name);
        found.expect("it is there").clone()
    };
    assert_eq!(plans.len(), 6, "{listed}");
    let starter = plan("starter");
    assert_eq!(
        (
            &starter["credits"],
            &starter["rollover"],
            &starter["overage"]
        ),
        (&json!(5_000), &json!(5_000), &json!(true))
    );
    assert_eq!(
        (&starter["accounts"], &starter["watched_companies"]),
        (&json!(2), &json!(50))
    );
    assert_eq!(plan("free")["batch_items"], Value::Null, "it has none");
    let legacy = plan("legacy");
    assert_eq!(
        (&legacy["metering"], &legacy["quota"], &legacy["credits"]),
        (&json!("quota"), &json!(10_000), &Value::Null)
    );
    let listed = operator.run(&["plan", "list"]).await.printed();
    for text in [
        "5000 credits a month, up to 5000 roll over, overage allowed; 2 accounts",
        "a quota of 10000 calls a month; 0 accounts",
        "scopes all; batches of up to 1000; 1000 watched companies",
        "no batches",
    ] {
        assert!(listed.contains(text), "{text} is not in: {listed}");
    }
}

#[tokio::test]
async fn accounts_on_a_removed_plan_are_reported() {
    let database = TestDatabase::sqlite();
    let operator = Operator::new().await;
    operator.configure_on(database.url(), "");
    create(&operator, "acme", "starter").await;
    grant(&operator, "acme", "7", "one").await;
    operator.configure_on(
        database.url(),
        "[plans.only]\nrequests_per_minute = 60\nrequests_per_day = 1000\n",
    );
    let listed = operator.run(&["plan", "list"]).await;
    assert!(
        listed.stderr.contains("1 account on the plan starter"),
        "{}",
        listed.stderr
    );
    let listed = listed.printed();
    assert!(
        listed.contains("not metered; 0 accounts")
            && listed.contains("60 requests a minute; 1000 requests a day"),
        "{listed}"
    );
    // The account can still be shown and moved to another plan.
    let show = operator
        .run(&["account", "show", "--account", "acme"])
        .await;
    assert!(show.stderr.contains("starter"), "{}", show.stderr);
    assert!(show.printed().contains("5007 left"));
    let said = operator
        .run(&["account", "overage", "--account", "acme", "on"])
        .await
        .refused();
    assert!(said.contains("no plan starter"), "{said}");
    let reported = change(&operator, "acme", "only").await;
    assert_eq!(
        (&reported["left"], &reported["rolled_over"]),
        (&json!(5_000), &json!(5_000))
    );
}

#[tokio::test]
async fn account_is_created_once_and_listed() {
    let operator = Operator::new().await;
    let listed = operator.run(&["account", "list"]).await;
    assert!(
        listed.stderr.contains("there are no accounts"),
        "{}",
        listed.stderr
    );
    let create = ["account", "create", "--name", "acme", "--plan", "starter"];
    let created = operator.run(&create).await;
    assert!(
        created.stderr.contains("lustra key create --account acme"),
        "{}",
        created.stderr
    );
    assert_eq!(created.printed().trim(), "acme is on the plan starter");
    let said = operator.run(&create).await.refused();
    assert!(
        said.contains("an account with this name already exists"),
        "{said}"
    );
    for (name, plan, named) in [
        ("other", "gold", "there is no plan gold; there are business"),
        (" ", "free", "--name"),
    ] {
        let arguments = ["account", "create", "--name", name, "--plan", plan];
        let said = operator.run(&arguments).await.refused();
        assert!(said.contains(named), "{said}");
    }
    let arguments = [
        "account", "create", "--name", "b", "--plan", "free", "--json",
    ];
    let made = only(&operator.run(&arguments).await.printed());
    assert_eq!(
        (&made["account"], &made["plan"]),
        (&json!("b"), &json!("free"))
    );
    grant(&operator, "acme", "7", "one").await;
    let listed = operator.run(&["account", "list", "--json"]).await.printed();
    let balances: Vec<(Value, Value)> = objects(&listed)
        .into_iter()
        .map(|account| (account["account"].clone(), account["balance"].clone()))
        .collect();
    assert_eq!(
        balances,
        [(json!("acme"), json!(5_007)), (json!("b"), Value::Null)]
    );
    let listed = operator.run(&["account", "list"]).await.printed();
    assert!(
        listed.contains("5007 left") && listed.contains("nothing booked yet"),
        "{listed}"
    );
}

#[tokio::test]
async fn account_shows_its_period_grants_and_keys() {
    let operator = Operator::new().await;
    let show = ["account", "show", "--account", "acme"];
    let said = operator.run(&show).await.refused();
    assert!(said.contains("there is no account acme"), "{said}");
    create(&operator, "acme", "starter").await;
    let new = shown(&operator, "acme").await;
    assert_eq!(
        (
            &new["period"],
            &new["balance"],
            &new["grants"],
            &new["keys"]
        ),
        (&Value::Null, &Value::Null, &json!([]), &json!(0))
    );
    let text = operator.run(&show).await.printed();
    assert!(text.contains("nothing booked yet"), "{text}");

    grant(&operator, "acme", "300", "invoice 1").await;
    for _ in 0..2 {
        operator
            .run(&["key", "create", "--account", "acme", "--plan", "starter"])
            .await
            .printed();
    }
    operator
        .run(&["key", "revoke", "--account", "acme", "1"])
        .await
        .printed();
    let shown = shown(&operator, "acme").await;
    assert_eq!(
        (&shown["plan"], &shown["metering"], &shown["overage"]),
        (&json!("starter"), &json!("credits"), &json!(false))
    );
    assert_eq!(
        (&shown["balance"], &shown["keys"], &shown["valid_keys"]),
        (&json!(5_300), &json!(2), &json!(1))
    );
    let period = &shown["period"];
    assert_eq!(
        (&period["monthly"], &period["used"], &period["overage"]),
        (&json!(5_000), &json!(0), &json!(0))
    );
    let grants = shown["grants"].as_array().expect("a list");
    assert_eq!(
        (&grants[0]["kind"], &grants[0]["expires_at"]),
        (&json!("plan"), &period["end"]),
        "the credits that expire first are used first"
    );
    assert_eq!(
        (
            &grants[1]["kind"],
            &grants[1]["expires_at"],
            &grants[1]["remaining"]
        ),
        (&json!("purchase"), &Value::Null, &json!(300))
    );
    assert_eq!(shown["thresholds"], json!({ "percents": [], "emails": [] }));
    let text = operator.run(&show).await.printed();
    for part in [
        "acme: plan starter (credits)",
        "5300 left; in this period 0 used and 0 calls of overage",
        "300 of 300, does not expire  grant:invoice 1",
        "2, 1 valid",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

#[tokio::test]
async fn plan_change_is_booked_at_once_with_rollover() {
    for database in TestDatabase::of_each_kind().await {
        let operator = Operator::new().await;
        operator.configure_on(database.url(), "");
        create(&operator, "acme", "starter").await;
        grant(&operator, "acme", "10", "one").await;
        let reported = change(&operator, "acme", "business").await;
        assert_eq!(
            (
                &reported["plan_before"],
                &reported["plan"],
                &reported["changed"]
            ),
            (&json!("starter"), &json!("business"), &json!(true))
        );
        assert_eq!(
            (
                &reported["left"],
                &reported["rolled_over"],
                &reported["monthly"],
                &reported["balance"]
            ),
            (&json!(5_000), &json!(5_000), &json!(50_000), &json!(55_010))
        );
        let again = change(&operator, "acme", "business").await;
        assert_eq!(
            (&again["changed"], &again["balance"]),
            (&json!(false), &json!(55_010))
        );
        let back = ["account", "plan", "--account", "acme", "--plan", "free"];
        let text = operator.run(&back).await.printed();
        for part in [
            "acme is on the plan free now; it was on business",
            "of 50000 credits left of its month, 50000 roll over and are valid for 3 months",
            "a full month of free has begun: 100 credits until ",
            "55110 in all",
        ] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
        let text = operator.run(&back).await.printed();
        assert_eq!(text.trim(), "acme was on the plan free before");
        let starter = ["account", "plan", "--account", "acme", "--plan", "starter"];
        let text = operator.run(&starter).await.printed();
        assert!(
            text.contains("the 100 credits left of its month have expired"),
            "{text}"
        );
        let unknown = ["account", "plan", "--account", "acme", "--plan", "gold"];
        let said = operator.run(&unknown).await.refused();
        assert!(said.contains("there is no plan gold"), "{said}");
        let checked = operator.run(&["ledger", "verify"]).await.printed();
        assert!(checked.contains("mistakes: 0"), "{checked}");
        database.remove().await;
    }
}

#[tokio::test]
async fn commands_are_in_the_audit_log() {
    for database in TestDatabase::of_each_kind().await {
        let operator = Operator::new().await;
        operator.configure_on(database.url(), "");
        create(&operator, "acme", "starter").await;
        change(&operator, "acme", "business").await;
        change(&operator, "acme", "business").await;
        grant(&operator, "acme", "10", "invoice-1").await;
        grant(&operator, "acme", "10", "invoice-1").await;
        let key = ["key", "create", "--account", "acme", "--name", "shop"];
        let secret = operator.run(&key).await.printed();
        for command in ["rotate", "revoke"] {
            let arguments = ["key", command, "--account", "acme", "1"];
            operator.run(&arguments).await.printed();
        }
        let overage = ["account", "overage", "--account", "acme", "on"];
        operator.run(&overage).await.printed();
        let store = Store::connect(database.url(), 1).await;
        let store = store.expect("the test made it");
        let actions = store.operator_actions().list(None, 100).await;
        let actions = actions.expect("it can be read");
        assert!(actions.iter().all(|action| action.actor == "cli"));
        let words: Vec<_> = actions.iter().map(|row| row.action.as_str()).collect();
        // Commands that changed nothing are not in it.
        let expected = [
            "account.overage",
            "key.revoke",
            "key.rotate",
            "key.create",
            "credits.grant",
            "account.plan",
            "account.create",
        ];
        assert_eq!(words, expected);
        assert_eq!(actions[5].about, "starter → business");
        assert!(actions[4].about.starts_with("10, purchase, invoice-1"));
        let all = format!("{actions:?}");
        let secret = secret.trim();
        assert!(
            all.contains(&secret[..13]) && !all.contains(&secret[..14]),
            "{all}"
        );
        store.close().await;
        database.remove().await;
    }
}
