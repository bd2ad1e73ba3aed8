//! `lustra ledger export`: formats and pages.

use lustra_tests::lustra::store::testing::TestDatabase;
use serde_json::{Value, json};

use super::{create, grant, take, tamper};
use crate::command_line::{Operator, lines};

#[tokio::test]
async fn ledger_is_exported_as_csv_and_json() {
    for database in TestDatabase::of_each_kind().await {
        let operator = Operator::new().await;
        operator.configure_on(database.url(), "");
        create(&operator, "acme, \"Ltd\"", "free").await;
        create(&operator, "other", "starter").await;
        let about = "two\nlines, \"quoted\"";
        let granted = ["--credits", "50", "--reference", "r", "--about", about];
        grant(&operator, "acme, \"Ltd\"", &granted).await.printed();
        grant(&operator, "other", &["--credits", "5", "--reference", "s"])
            .await
            .printed();
        let taken = ["--take", "120", "--reference", "t", "--reason", "why"];
        take(&operator, "acme, \"Ltd\"", &taken).await.printed();

        let exported = operator.run(&["ledger", "export"]).await;
        assert!(
            exported.stderr.contains("6 entries of 2 accounts"),
            "{}",
            exported.stderr
        );
        let csv = exported.printed();
        assert!(
            csv.starts_with(
                "account,entry,booked_at,kind,grant,amount,balance,operation,part,about\r\n"
            ),
            "{csv}"
        );
        assert!(
            csv.contains("50,150,grant:r,0,\"two\nlines, \"\"quoted\"\"\"\r\n"),
            "{csv}"
        );
        assert_eq!(csv.matches("\"acme, \"\"Ltd\"\"\",").count(), 4, "{csv}");

        let json = operator
            .run(&["ledger", "export", "--format", "json"])
            .await
            .printed();
        let entries: Vec<Value> = lines(&json)
            .into_iter()
            .map(|line| serde_json::from_str(line).expect("an object a line"))
            .collect();
        let reported = |entry: &Value| {
            let columns = [
                "entry",
                "kind",
                "grant",
                "amount",
                "balance",
                "operation",
                "part",
            ];
            json!(columns.map(|column| entry[column].clone()))
        };
        let reported: Vec<Value> = entries.iter().map(reported).collect();
        assert_eq!(
            reported,
            [
                json!([1, "grant", 1, 100, 100, "plan:1:0", 0]),
                json!([2, "grant", 2, 50, 150, "grant:r", 0]),
                json!([3, "adjustment", 1, -100, 50, "adjust:t", 0]),
                json!([4, "adjustment", 2, -20, 30, "adjust:t", 1]),
                json!([1, "grant", 1, 5_000, 5_000, "plan:1:0", 0]),
                json!([2, "grant", 2, 5, 5_005, "grant:s", 0]),
            ]
        );
        assert_eq!(
            (
                &entries[1]["account"],
                &entries[1]["about"],
                &entries[5]["about"]
            ),
            (&json!("acme, \"Ltd\""), &json!(about), &json!("s"))
        );
        let at = entries[0]["booked_at"].as_str().expect("a time");
        assert!(at.ends_with('Z') && at.contains('T'), "{at}");

        let file = operator.folder.path().join("ledger.csv");
        std::fs::write(&file, "what was there").expect("tests can write temporary files");
        let path = file.display().to_string();
        let arguments = ["ledger", "export", "--account", "other", "--output", &path];
        let exported = operator.run(&arguments).await;
        assert!(
            exported.stderr.contains("2 entries of 1 account"),
            "{}",
            exported.stderr
        );
        assert_eq!(exported.printed(), "");
        let written = std::fs::read_to_string(&file).expect("it was just written");
        assert_eq!(lines(&written).len(), 3, "{written}");
        let said = operator
            .run(&["ledger", "export", "--output", "/nowhere/ledger.csv"])
            .await
            .refused();
        assert!(said.contains("/nowhere/ledger.csv"), "{said}");
        database.remove().await;
    }
}

#[tokio::test]
async fn ledger_of_a_deleted_account_is_exported_in_pages() {
    let operator = Operator::new().await;
    create(&operator, "acme", "free").await;
    grant(
        &operator,
        "acme",
        &["--credits", "5000", "--reference", "r"],
    )
    .await
    .printed();
    // The state after 3,000 booked calls.
    for statement in [
        "with recursive call(n) as (select 1 union all select n + 1 from call where n < 3000) \
         insert into ledger_entry select 1, n + 2, booked_at, 'charge', 1 + (n > 100), -1, 5100 - n, 'call:' || n, 0, 'x' \
         from call, billing_account",
        "update billing_account set last_entry = 3002, balance = 2100, used = 3000",
        "update credit_grant set remaining = case grant_no when 1 then 0 else 2100 end",
        "insert into usage_day values (1, '2026-01-15', 'x', 3000, 0, 3000, 0)",
    ] {
        tamper(&operator, statement).await;
    }
    let checked = operator.run(&["ledger", "verify"]).await.printed();
    assert_eq!(
        checked.trim(),
        "accounts: 1, entries: 3002, credits left: 2100, mistakes: 0"
    );
    let exported = operator.run(&["ledger", "export"]).await.printed();
    let numbers: Vec<&str> = lines(&exported)
        .into_iter()
        .filter_map(|line| line.strip_prefix("acme,")?.split(',').next())
        .collect();
    let expected: Vec<String> = (1..=3_002).map(|number: u32| number.to_string()).collect();
    assert_eq!(numbers, expected, "each once and in their order");
    // An account that no longer exists.
    for table in [
        "billing_account",
        "credit_grant",
        "ledger_entry",
        "usage_day",
    ] {
        tamper(&operator, &format!("update {table} set account_id = 77")).await;
    }
    let exported = operator.run(&["ledger", "export"]).await.printed();
    assert_eq!(
        lines(&exported)
            .iter()
            .filter(|line| line.starts_with("77,"))
            .count(),
        3_002
    );
    let checked = operator.run(&["ledger", "verify"]).await.printed();
    assert!(checked.contains("mistakes: 0"), "{checked}");
}
