//! `lustra dataset pause` and `resume`.

use serde_json::Value;

use crate::command_datasets::{history, line_of, listed, with_on};
use crate::command_line::{json as only, lines, serve};
use lustra_tests::client;

#[tokio::test]
async fn paused_dataset_is_not_imported_until_resumed() {
    let operator = with_on(&["reliability"]).await;
    let name = "tax-authority/reliability";
    let paused = operator.run(&["dataset", "pause", "reliability", "--json"]);
    let paused = only(&paused.await.printed());
    assert_eq!(paused["changed"], true, "{paused}");
    let again = operator.run(&["dataset", "pause", name, "--json"]).await;
    let again = only(&again.printed());
    assert_eq!(
        (&again["changed"], &again["paused_at"]),
        (&Value::Bool(false), &paused["paused_at"])
    );
    let refused = operator.run(&["dataset", "import", name]).await.refused();
    assert!(
        refused.contains("paused since") && refused.contains("lustra dataset resume"),
        "{refused}"
    );
    let due = operator.run(&["dataset", "import", "--due"]).await;
    assert!(due.stderr.contains("no dataset is due"), "{}", due.stderr);
    let text = operator.run(&["dataset", "list"]).await.printed();
    let shown = line_of(&text, name);
    assert!(
        shown[0].ends_with("paused") && shown[1].contains("to resume: lustra dataset resume"),
        "{text}"
    );
    assert_eq!(
        listed(&operator, "reliability").await["paused_at"],
        paused["paused_at"]
    );

    // A host shows the pause in its public status.
    let (serving, url) = serve(std::path::Path::new(&operator.config())).await;
    let status = client().get(format!("{url}/status")).send().await;
    let status: Value = status.expect("it answers").json().await.expect("JSON");
    let sources = status["sources"].as_array().expect("sources");
    let datasets = sources
        .iter()
        .filter_map(|source| source["datasets"].as_array());
    let dataset = datasets
        .flatten()
        .find(|dataset| dataset["id"] == "reliability");
    let dataset = dataset.expect("it is listed");
    assert_eq!(dataset["paused_at"], paused["paused_at"], "{status}");
    drop(serving);

    let resumed = operator.run(&["dataset", "resume", name]).await.printed();
    assert!(resumed.contains("is resumed; it is due now"), "{resumed}");
    let resumed = operator.run(&["dataset", "resume", name, "--json"]).await;
    assert_eq!(only(&resumed.printed())["changed"], false);
    let imported = operator
        .run(&["dataset", "import", "--due"])
        .await
        .printed();
    assert!(imported.contains("records imported"), "{imported}");
    let reported = history(&operator, "reliability").await;
    assert_eq!(reported["paused_at"], Value::Null);
    assert!(
        reported["runs"][0]["added"].as_i64() > Some(0),
        "{reported}"
    );
    assert_eq!(lines(&text).len(), 8, "a heading, six lists and the pause");
}

#[tokio::test]
async fn pause_of_an_unknown_dataset_is_refused() {
    let operator = with_on(&[]).await;
    for command in ["pause", "resume"] {
        let refused = operator.run(&["dataset", command, "nope"]).await.refused();
        assert!(
            refused.contains("there is no dataset nope") && refused.contains("reliability"),
            "{refused}"
        );
    }
}
