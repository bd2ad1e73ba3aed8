//! `lustra key`: showing and ending keys.

use serde_json::Value;

use lustra_tests::lustra::store::Store;

use crate::command_line::{Operator, json, lines};

#[tokio::test]
async fn key_is_printed_once_and_never_listed() {
    let operator = Operator::new().await;
    let created = operator
        .run(&[
            "key",
            "create",
            "--account",
            "acme",
            "--plan",
            "business",
            "--name",
            "site",
        ])
        .await;
    assert!(
        !created.stderr.contains("lst_live_"),
        "only standard output has the key: {}",
        created.stderr
    );
    let printed = created.printed();
    let key = printed.trim();
    assert_eq!(
        (key.len(), &key[..9], lines(&printed).len()),
        (47, "lst_live_", 1),
        "standard output contains only the key"
    );
    for arguments in [
        &["key", "list", "--account", "acme"][..],
        &["key", "list", "--account", "acme", "--json"],
    ] {
        let listed = operator.run(arguments).await;
        assert!(!listed.stderr.contains(key), "{}", listed.stderr);
        let listed = listed.printed();
        assert!(
            listed.contains(&key[..13]) && listed.contains("site") && !listed.contains(key),
            "{listed}"
        );
    }
    let database =
        std::fs::read(operator.folder.path().join("data/lustra.db")).expect("the store is a file");
    assert!(
        !database
            .windows(key.len())
            .any(|bytes| bytes == key.as_bytes()),
        "only the key's digest is stored"
    );
}

#[tokio::test]
async fn key_as_json_names_its_account() {
    let operator = Operator::new().await;
    let printed = operator
        .run(&[
            "key",
            "create",
            "--account",
            "acme",
            "--days",
            "30",
            "--json",
        ])
        .await
        .printed();
    let created: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(
        (&created["account"], &created["plan"], &created["name"]),
        (&"acme".into(), &"free".into(), &"default".into())
    );
    assert!(
        created["key"]
            .as_str()
            .is_some_and(|key| key.starts_with("lst_live_"))
    );
    assert!(created["expires_at"].is_string(), "{created}");
}

#[tokio::test]
async fn key_is_revoked_by_its_number_and_account() {
    let operator = Operator::new().await;
    for account in ["acme", "other"] {
        operator
            .run(&["key", "create", "--account", account])
            .await
            .printed();
    }
    let said = operator
        .run(&["key", "revoke", "--account", "other", "1"])
        .await
        .refused();
    assert!(said.contains("the account other has no key 1"), "{said}");
    let revoke = ["key", "revoke", "--account", "acme", "1"];
    let first = operator.run(&revoke).await.printed();
    assert!(
        first.contains("is revoked") && first.contains("lst_live_"),
        "{first}"
    );
    let again = operator.run(&revoke).await.printed();
    assert!(again.contains("was revoked before"), "{again}");
    let reported = operator
        .run(&[&revoke[..], &["--json"]].concat())
        .await
        .printed();
    let reported: Value = serde_json::from_str(&reported).expect("JSON");
    assert_eq!(
        (&reported["state"], &reported["changed"]),
        (&"revoked".into(), &false.into())
    );
    let listed = operator
        .run(&["key", "list", "--account", "acme"])
        .await
        .printed();
    assert!(listed.contains("revoked"), "{listed}");
}

#[tokio::test]
async fn rotated_key_works_until_the_grace_period_ends() {
    let operator = Operator::new().await;
    let create = [
        "key",
        "create",
        "--account",
        "acme",
        "--name",
        "site",
        "--days",
        "30",
    ];
    let old = operator.run(&create).await.printed();
    let said = operator
        .run(&["key", "rotate", "--account", "acme", "7"])
        .await
        .refused();
    assert!(said.contains("the account acme has no key 7"), "{said}");
    let rotated = operator
        .run(&["key", "rotate", "--account", "acme", "1"])
        .await;
    assert!(
        rotated.stderr.contains("in place of lst_live_") && rotated.stderr.contains("it ends at "),
        "{}",
        rotated.stderr
    );
    let key = rotated.printed();
    assert_eq!((key.trim().len(), lines(&key).len()), (47, 1));
    assert_ne!(key, old);
    let listed = operator
        .run(&["key", "list", "--account", "acme", "--json"])
        .await
        .printed();
    let keys: Vec<Value> = lines(&listed)
        .into_iter()
        .map(|line| serde_json::from_str(line).expect("an object a line"))
        .collect();
    let column = |name: &str| keys.iter().map(|key| key[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("name"), ["site", "site"]);
    assert_eq!(column("state"), ["valid", "valid"]);
    let ends = column("expires_at");
    assert!(
        ends[0].as_str() < ends[1].as_str(),
        "the old one ends after a day, the new one when the old one was meant to: {ends:?}"
    );
    // An immediate end on request; an ended key cannot be rotated.
    let at_once = [
        "key",
        "rotate",
        "--account",
        "acme",
        "2",
        "--grace-hours",
        "0",
    ];
    let reported = operator.run(&[&at_once[..], &["--json"]].concat()).await;
    let reported = json(&reported.printed());
    assert_eq!(
        (&reported["id"], &reported["replaces"], &reported["name"]),
        (&3.into(), &2.into(), &"site".into())
    );
    assert!(
        reported["key"]
            .as_str()
            .is_some_and(|key| key.starts_with("lst_live_"))
    );
    let said = operator.run(&at_once).await.refused();
    assert!(said.contains("was revoked or has expired"), "{said}");
    let listed = operator
        .run(&["key", "list", "--account", "acme"])
        .await
        .printed();
    assert_eq!(listed.matches("expired").count(), 1, "{listed}");
}

#[tokio::test]
async fn spans_beyond_the_calendar_are_refused() {
    let operator = Operator::new().await;
    let days = ["key", "create", "--account", "acme", "--days", "4294967295"];
    let said = operator.run(&days).await.refused();
    assert!(said.contains("--days"), "{said}");
    operator
        .run(&["key", "create", "--account", "acme"])
        .await
        .printed();
    let hours = [
        "key",
        "rotate",
        "--account",
        "acme",
        "1",
        "--grace-hours",
        "4294967295",
    ];
    let said = operator.run(&hours).await.refused();
    assert!(said.contains("--grace-hours"), "{said}");
}

#[tokio::test]
async fn key_with_manage_may_manage_its_account() {
    let operator = Operator::new().await;
    for (name, arguments) in [("plain", &[][..]), ("managing", &["--manage"])] {
        let create = ["key", "create", "--account", "acme", "--name", name];
        operator.run(&[&create, arguments].concat()).await.printed();
    }
    let path = operator.folder.path().join("data/lustra.db");
    let store = Store::connect(&format!("sqlite:{}", path.display()), 1).await;
    let store = store.expect("the store is a file");
    let account = store.keys().find_account("acme").await;
    let account = account.expect("it can be read").expect("it was created").id;
    let keys = store.keys_of(account).list().await.expect("it can be read");
    let manage: Vec<(&str, bool)> = keys
        .iter()
        .map(|key| (key.name.as_str(), key.manage))
        .collect();
    assert_eq!(manage, [("plain", false), ("managing", true)]);
    store.close().await;
}
