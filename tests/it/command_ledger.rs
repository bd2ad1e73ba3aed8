//! `lustra credit` and `lustra ledger`: operators' bookings appear in the ledger word for word.

mod export;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lustra_tests::lustra::billing::{Customer, Ledger};
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::Plan;
use lustra_tests::lustra::store::testing::TestDatabase;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection};
use sqlx_sqlite::SqliteConnection;

use crate::command_line::{Operator, Ran, json as only, lines};

async fn create(operator: &Operator, name: &str, plan: &str) {
    let arguments = ["account", "create", "--name", name, "--plan", plan];
    operator.run(&arguments).await.printed();
}

async fn grant(operator: &Operator, account: &str, further: &[&str]) -> Ran {
    let arguments = [&["credit", "grant", "--account", account], further].concat();
    operator.run(&arguments).await
}

async fn take(operator: &Operator, account: &str, further: &[&str]) -> Ran {
    let arguments = [&["credit", "adjust", "--account", account], further].concat();
    operator.run(&arguments).await
}

/// Changes the operator's ledger file directly, without the program.
async fn tamper(operator: &Operator, statement: &str) {
    let path = operator.folder.path().join("data/lustra-billing.db");
    let mut file = SqliteConnection::connect(&format!("sqlite:{}", path.display()))
        .await
        .expect("the credits are a file");
    sqlx::query(AssertSqlSafe(statement.to_owned()))
        .execute(&mut file)
        .await
        .expect("the statement is right");
    file.close().await.expect("it was just open");
}

#[tokio::test]
async fn credits_are_granted_once_per_reference() {
    let operator = Operator::new().await;
    create(&operator, "acme", "free").await;
    let bought = [
        "--credits",
        "500",
        "--reference",
        "invoice-1",
        "--expires",
        "2999-12-31",
    ];
    let text = grant(&operator, "acme", &bought).await.printed();
    assert_eq!(
        text.trim(),
        "acme got 500 credits, which expire at 2999-12-31T00:00:00Z; it has 600 now"
    );
    let again = ["--credits", "900", "--reference", " invoice-1 "];
    let text = grant(&operator, "acme", &again).await.printed();
    assert_eq!(
        text.trim(),
        "500 credits were already booked for invoice-1, so nothing was booked; acme has 600"
    );
    let reported = grant(&operator, "acme", &[&again[..], &["--json"]].concat()).await;
    assert_eq!(
        only(&reported.printed()),
        json!({ "account": "acme", "reference": "invoice-1", "booked": false, "credits": 500, "balance": 600 })
    );
    let given = [
        "--credits",
        "1",
        "--reference",
        "x",
        "--kind",
        "adjustment",
        "--about",
        "sorry",
        "--json",
    ];
    let reported = only(&grant(&operator, "acme", &given).await.printed());
    assert_eq!(
        (
            &reported["booked"],
            &reported["credits"],
            &reported["balance"]
        ),
        (&json!(true), &json!(1), &json!(601))
    );
    let shown = operator
        .run(&["account", "show", "--account", "acme", "--json"])
        .await
        .printed();
    let kinds: Vec<Value> = only(&shown)["grants"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|grant| grant["kind"].clone())
        .collect();
    assert_eq!(kinds, ["plan", "purchase", "adjustment"]);
}

#[tokio::test]
async fn invalid_grant_is_refused() {
    let operator = Operator::new().await;
    create(&operator, "acme", "free").await;
    create(&operator, "old", "legacy").await;
    let credits = ["--credits", "5", "--reference", "r"];
    for (account, further, named) in [
        ("missing", vec![], "there is no account missing"),
        (
            "old",
            vec![],
            "the plan legacy, which counts calls against a quota",
        ),
        (
            "acme",
            vec!["--expires", "2020-01-01"],
            "the day must be in the future",
        ),
        ("acme", vec!["--expires", "tomorrow"], "YYYY-MM-DD"),
        ("acme", vec!["--expires", "2999-02-30"], "YYYY-MM-DD"),
        ("acme", vec!["--kind", "plan"], "purchase"),
    ] {
        let further = [&credits[..], &further].concat();
        let said = grant(&operator, account, &further).await.refused();
        assert!(said.contains(named), "{named} is not in: {said}");
    }
    for further in [
        ["--credits", "0", "--reference", "r"],
        ["--credits", "1000000001", "--reference", "r"],
        ["--credits", "5", "--reference", " "],
    ] {
        grant(&operator, "acme", &further).await.refused();
    }
    let said = take(
        &operator,
        "old",
        &["--take", "1", "--reference", "r", "--reason", "r"],
    )
    .await
    .refused();
    assert!(said.contains("quota"), "{said}");
    let exported = operator.run(&["ledger", "export"]).await.printed();
    assert_eq!(lines(&exported).len(), 1, "nothing was booked: {exported}");
}

#[tokio::test]
async fn credits_are_removed_once_and_never_below_zero() {
    let operator = Operator::new().await;
    create(&operator, "acme", "free").await;
    grant(&operator, "acme", &["--credits", "50", "--reference", "r"])
        .await
        .printed();
    let reason = ["--reference", "case 7", "--reason", "granted, by mistake"];
    let said = take(
        &operator,
        "acme",
        &[&["--take", "151"], &reason[..]].concat(),
    )
    .await
    .refused();
    assert!(said.contains("there are only 150 credits"), "{said}");
    let taking = [&["--take", "120"], &reason[..]].concat();
    let text = take(&operator, "acme", &taking).await.printed();
    assert_eq!(
        text.trim(),
        "120 credits were taken from acme; it has 30 now"
    );
    let text = take(&operator, "acme", &taking).await.printed();
    assert_eq!(
        text.trim(),
        "120 credits were already taken for case 7, so nothing was booked; acme has 30"
    );
    let reported = take(&operator, "acme", &[&taking[..], &["--json"]].concat()).await;
    assert_eq!(
        only(&reported.printed()),
        json!({ "account": "acme", "reference": "case 7", "booked": false, "taken": 120, "balance": 30 })
    );
}

#[tokio::test]
async fn tampered_ledger_entry_is_found() {
    let operator = Operator::new().await;
    for account in ["acme", "other"] {
        create(&operator, account, "free").await;
        grant(&operator, account, &["--credits", "50", "--reference", "r"])
            .await
            .printed();
    }
    let checked = operator
        .run(&["ledger", "verify", "--json"])
        .await
        .printed();
    assert_eq!(
        only(&checked),
        json!({ "accounts": 2, "entries": 4, "credits": 300, "mistakes": [] })
    );
    tamper(
        &operator,
        "update ledger_entry set amount = 60 where account_id = 1 and entry_no = 2",
    )
    .await;
    let checked = operator.run(&["ledger", "verify", "--json"]).await;
    assert!(
        !checked.succeeded && checked.stderr.contains("mistakes in the ledger"),
        "{}",
        checked.stderr
    );
    let found = only(&checked.stdout);
    let mistakes = found["mistakes"].as_array().expect("a list");
    assert!(
        !mistakes.is_empty() && mistakes.iter().all(|mistake| mistake["account"] == "acme"),
        "{found}"
    );
    assert_eq!(
        mistakes[0]["what"],
        "entry 2 states a balance of 150, but the entries sum up to 160"
    );
    let checked = operator.run(&["ledger", "verify"]).await;
    assert!(!checked.succeeded);
    assert!(
        checked.stdout.contains("acme: entry 2 states")
            && checked.stdout.contains("accounts: 2, entries: 4"),
        "{}",
        checked.stdout
    );
    // The other account's books are correct.
    let checked = operator
        .run(&["ledger", "verify", "--account", "other"])
        .await
        .printed();
    assert!(
        checked.contains("accounts: 1, entries: 2, credits left: 150, mistakes: 0"),
        "{checked}"
    );
    let said = operator
        .run(&["ledger", "verify", "--account", "missing"])
        .await
        .refused();
    assert!(said.contains("there is no account missing"), "{said}");
}

#[tokio::test]
async fn operator_bookings_work_while_a_host_charges() {
    for database in TestDatabase::of_each_kind().await {
        let operator = Operator::new().await;
        operator.configure_on(database.url(), "");
        create(&operator, "acme", "enterprise").await;
        let store = database.store().await;
        let account = store.keys().find_account("acme").await;
        let account = account.expect("it answers").expect("it was just made");
        let plan = Plan {
            credits: Some(1_000_000),
            rollover: 1_000_000,
            ..Plan::default()
        };
        let customer = |version| {
            let (id, name) = (account.id, account.name.clone());
            Arc::new(Customer::new(id, name, "enterprise", version, &plan, false))
        };
        // A host that does not know about the plan change yet.
        let before = customer(account.plan_version);
        let ledger = Ledger::new(store.clone(), Clock::system());
        let ended = Arc::new(AtomicBool::new(false));
        let charging = tokio::spawn({
            let (ledger, ended) = (ledger.clone(), Arc::clone(&ended));
            async move {
                let mut charged = 0_i64;
                while !ended.load(Ordering::SeqCst) {
                    let call = format!("call:{charged}");
                    ledger
                        .charge(&before, &call, "company")
                        .await
                        .expect("it has credits and the store is there");
                    charged += 1;
                }
                charged
            }
        });
        for reference in ["a", "b", "a"] {
            grant(
                &operator,
                "acme",
                &["--credits", "50", "--reference", reference],
            )
            .await
            .printed();
        }
        let arguments = [
            "account",
            "plan",
            "--account",
            "acme",
            "--plan",
            "business",
            "--json",
        ];
        let changed = only(&operator.run(&arguments).await.printed());
        let checked = operator.run(&["ledger", "verify"]).await.printed();
        assert!(checked.contains("mistakes: 0"), "{checked}");
        operator.run(&["ledger", "export"]).await.printed();
        ended.store(true, Ordering::SeqCst);
        let charged = charging.await.expect("it charges without failing");
        assert!(charged > 0);
        assert_eq!(changed["left"], changed["rolled_over"]);
        let shown = operator
            .run(&["account", "show", "--account", "acme", "--json"])
            .await
            .printed();
        let balance = 1_000_000 + 50_000 + 2 * 50 - charged;
        assert_eq!(only(&shown)["balance"], balance, "{shown}");
        let checked = operator
            .run(&["ledger", "verify", "--account", "acme"])
            .await
            .printed();
        assert!(
            checked.contains(&format!("credits left: {balance}, mistakes: 0")),
            "{checked}"
        );
        store.close().await;
        database.remove().await;
    }
}
