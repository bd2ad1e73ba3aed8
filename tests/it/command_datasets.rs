//! `lustra dataset`: listing, importing one dataset, and showing past imports.

use std::path::Path;

use lustra_tests::register_simulator::{Fault, Register};
use serde_json::{Value, json};

use crate::command_line::{Operator, json as only, lines, serve};
use crate::faults_support::time_of;

pub const ALL: [&str; 6] = [
    "vat-payers",
    "vat-violators",
    "erased-vat-payers",
    "bank-accounts",
    "reliability",
    "income-tax-subjects",
];

/// An operator whose connector has only these datasets switched on.
pub async fn with_on(on: &[&str]) -> Operator {
    let operator = Operator::new().await;
    let off = ALL.iter().filter(|dataset| !on.contains(dataset));
    let off: Vec<String> = off
        .map(|dataset| format!("datasets.{dataset} = {{ on = false }}\n"))
        .collect();
    operator.granted_with(&off.concat());
    operator
}

/// The number of simulated companies rated in the tax authority's list.
fn rated(operator: &Operator) -> usize {
    let population = operator.simulator.population();
    let rated = |index: &u32| population.company(*index, 0).reliability.is_some();
    (0..population.len()).filter(rated).count()
}

async fn list(operator: &Operator) -> Vec<Value> {
    let printed = operator.run(&["dataset", "list", "--json"]).await.printed();
    let listed: Vec<Value> = serde_json::from_value(only(&printed)).expect("an array");
    listed
}

/// The entry of one dataset in `dataset list`.
pub async fn listed(operator: &Operator, dataset: &str) -> Value {
    let listed = list(operator).await;
    let found = listed.iter().find(|listed| listed["dataset"] == dataset);
    found
        .unwrap_or_else(|| panic!("no {dataset}: {listed:?}"))
        .clone()
}

pub async fn history(operator: &Operator, dataset: &str) -> Value {
    let arguments = ["dataset", "history", dataset, "--json"];
    only(&operator.run(&arguments).await.printed())
}

/// The line that begins with this word, and the indented lines below it.
pub fn line_of<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(word));
    let line = lines
        .next()
        .unwrap_or_else(|| panic!("no {word} in: {text}"));
    let below = lines.take_while(|line| line.starts_with("    "));
    std::iter::once(line).chain(below).collect()
}

#[tokio::test]
async fn dataset_list_works_beside_a_running_host() {
    let operator = Operator::new().await;
    operator.granted_with(
        "datasets.vat-payers = { on = false }\ndatasets.reliability = { schedule = \"daily 04:05\" }",
    );
    let (_serving, _) = serve(Path::new(&operator.config())).await;
    let names: Vec<Value> = list(&operator)
        .await
        .iter()
        .map(|listed| listed["dataset"].clone())
        .collect();
    assert_eq!(names, ALL, "those of the only connector that is enabled");
    let before = listed(&operator, "reliability").await;
    assert_eq!(
        before,
        json!({
            "connector": "tax-authority", "dataset": "reliability", "title": "Index of tax reliability", "on": true,
            "schedule": "daily 04:05", "records": null, "list_date": null, "imported_at": null, "next_run_at": null,
            "paused_at": null, "failed_at": null, "failure": null, "running": null,
        })
    );
    let off = listed(&operator, "vat-payers").await;
    assert_eq!(
        (&off["on"], &off["schedule"]),
        (&json!(false), &json!("daily 06:00"))
    );
    let text = operator.run(&["dataset", "list"]).await.printed();
    assert_eq!(lines(&text).len(), 7, "a heading and a line for each");
    let words = |dataset: &str| -> Vec<String> {
        let line = line_of(&text, dataset)[0].split_whitespace();
        line.map(str::to_owned).collect()
    };
    assert_eq!(
        words("tax-authority/reliability")[1..],
        ["on", "daily", "04:05", "-", "-", "-", "due"]
    );
    assert_eq!(
        words("tax-authority/vat-payers")[1..],
        ["off", "daily", "06:00", "-", "-", "-", "-"]
    );

    let arguments = ["dataset", "import", "reliability"];
    let imported = operator.run(&arguments).await.printed();
    let rated = rated(&operator);
    assert!(
        imported.contains(&format!(
            "tax-authority/reliability: {rated} records imported (list of 2026-01-15): {rated} added, 0 changed, 0 removed; 0 rows skipped"
        )),
        "{imported}"
    );
    let after = listed(&operator, "reliability").await;
    assert_eq!(
        (&after["records"], &after["list_date"], &after["failure"]),
        (&json!(rated), &json!("2026-01-15"), &Value::Null)
    );
    let next = time_of(&after["next_run_at"]);
    assert!(next > time_of(&after["imported_at"]), "{after}");
    assert_eq!((next.hour(), next.minute()), (4, 5));
    let text = operator.run(&["dataset", "list"]).await.printed();
    let line = line_of(&text, "tax-authority/reliability");
    let at = |time: &Value| {
        let time = time.as_str().expect("a time")[..19].to_owned();
        format!("{time}Z")
    };
    for part in [
        &format!("{rated}  2026-01-15"),
        &at(&after["imported_at"]),
        &at(&after["next_run_at"]),
    ] {
        assert!(line[0].contains(part), "{part} is not in: {text}");
    }
}

#[tokio::test]
async fn dataset_import_prints_its_record_count() {
    let operator = Operator::new().await;
    operator.granted();
    let arguments = ["dataset", "import", "tax-authority/reliability", "--json"];
    let imported = only(&operator.run(&arguments).await.printed());
    assert_eq!(imported["records"], rated(&operator), "{imported}");
    assert_eq!(
        (&imported["connector"], &imported["dataset"]),
        (&json!("tax-authority"), &json!("reliability"))
    );
    assert_eq!(
        (&imported["list_date"], &imported["skipped"]),
        (&json!("2026-01-15"), &json!(0))
    );
}

#[tokio::test]
async fn failed_import_keeps_old_list_and_shows_reason() {
    let operator = Operator::new().await;
    operator.granted();
    let import = ["dataset", "import", "reliability"];
    operator.run(&import).await.printed();
    operator
        .simulator
        .fault(Register::FsReports, Fault::Forbidden);
    let said = operator.run(&import).await.refused();
    assert!(said.contains("error: ") && said.contains("403"), "{said}");

    let listed = listed(&operator, "reliability").await;
    assert_eq!(listed["records"], rated(&operator), "{listed}");
    let failed_at = time_of(&listed["failed_at"]);
    assert!(
        failed_at > time_of(&listed["imported_at"]),
        "the old list stays: {listed}"
    );
    let next = time_of(&listed["next_run_at"]);
    assert_eq!(next - failed_at, time::Duration::minutes(30));
    let why = listed["failure"].as_str().expect("a reason");
    assert!(why.contains("403"), "{why}");
    let text = operator.run(&["dataset", "list"]).await.printed();
    let shown = line_of(&text, "tax-authority/reliability");
    assert!(
        shown[0].contains("2026-01-15") && shown[1].contains(why),
        "{text}"
    );

    let reported = history(&operator, "reliability").await;
    assert_eq!(reported["next_run_at"], listed["next_run_at"]);
    let runs = reported["runs"].as_array().expect("runs");
    let states: Vec<&Value> = runs.iter().map(|run| &run["state"]).collect();
    assert_eq!(states, ["failed", "succeeded"], "newest first: {reported}");
    assert_eq!(runs[0]["failure"], *why);
    assert_eq!(
        (
            &runs[1]["records"],
            &runs[1]["list_date"],
            &runs[1]["failure"]
        ),
        (&json!(rated(&operator)), &json!("2026-01-15"), &Value::Null)
    );
    assert_eq!(
        [&runs[1]["added"], &runs[1]["changed"], &runs[1]["removed"]],
        [&json!(rated(&operator)), &json!(0), &json!(0)]
    );
    assert_eq!(
        runs[0]["added"],
        Value::Null,
        "a failed run changed nothing"
    );
    let took = time_of(&runs[1]["finished_at"]) - time_of(&runs[1]["started_at"]);
    assert_eq!(runs[1]["seconds"], json!(took.as_seconds_f64()));
    let ran = operator.run(&["dataset", "history", "reliability"]).await;
    assert!(ran.stderr.contains("next run: "), "{}", ran.stderr);
    let text = ran.printed();
    let newest: Vec<&str> = text.lines().take(3).collect();
    assert!(
        newest[0].starts_with("started") && newest[1].contains("failed"),
        "{text}"
    );
    assert!(newest[2].contains(why), "{text}");
    let one = ["dataset", "history", "reliability", "--limit", "1"];
    let text = operator.run(&one).await.printed();
    assert!(!text.contains("succeeded"), "{text}");
}

#[tokio::test]
async fn wrong_dataset_arguments_are_named() {
    let operator = with_on(&["vat-payers"]).await;
    let said = operator.run(&["dataset", "import"]).await.refused();
    assert!(
        said.contains("lustra dataset list") && said.contains("--due"),
        "{said}"
    );
    for command in ["import", "history"] {
        let said = operator.run(&["dataset", command, "nothing"]).await;
        let said = said.refused();
        assert!(
            said.contains("nothing") && said.contains("tax-authority/vat-payers"),
            "{said}"
        );
    }
    let both = ["dataset", "import", "vat-payers", "--due"];
    assert!(operator.run(&both).await.refused().contains("--due"));
    let said = operator
        .run(&["dataset", "import", "reliability"])
        .await
        .refused();
    assert!(
        said.contains("is off") && said.contains("[connector.tax-authority.datasets.reliability]"),
        "{said}"
    );
    for limit in ["0", "1001"] {
        let arguments = ["dataset", "history", "vat-payers", "--limit", limit];
        let said = operator.run(&arguments).await.refused();
        assert!(said.contains("1..=1000"), "{said}");
    }
    let never = operator.run(&["dataset", "history", "vat-payers"]).await;
    assert!(
        never
            .stderr
            .contains("tax-authority/vat-payers was never imported"),
        "{}",
        never.stderr
    );
    assert_eq!(never.printed(), "");
    assert_eq!(history(&operator, "vat-payers").await["runs"], json!([]));
}

#[tokio::test]
async fn refused_connector_is_listed_instead_of_its_datasets() {
    let operator = Operator::new().await;
    operator.configure("grants = []");
    let ran = operator.run(&["dataset", "list", "--json"]).await;
    assert!(
        ran.stderr.contains("component tax-authority was refused")
            && ran.stderr.contains("[connector.tax-authority]"),
        "{}",
        ran.stderr
    );
    assert_eq!(only(&ran.printed()), json!([]));
}
