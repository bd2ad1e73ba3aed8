//! What operators load into Prometheus and Grafana, and what the log says: all of it names metrics that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use lustra_tests::World;
use lustra_tests::register_simulator::{Fault, Register};
use reqwest::Method;
use serde_json::Value;

use crate::architecture::{repository, sources};
use crate::foreign::{runs, say};
use crate::support::reading;
use crate::tls_support::with_tls_of;

const ALERTS: &str = include_str!("../../host/ops/prometheus-alerts.yml");
const ALERTS_TEST: &str = include_str!("../../host/ops/prometheus-alerts-test.yml");
const DASHBOARD: &str = include_str!("../../host/ops/grafana-dashboard.json");
const GUIDE: &str = include_str!("../../host/docs/monitoring.md");

/// The names of all series in `/metrics`, and of their labels.
struct Series {
    names: BTreeSet<String>,
    labels: BTreeSet<String>,
}

impl Series {
    fn of(metrics: &str) -> Self {
        let mut names = BTreeSet::new();
        let types = metrics
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE "));
        for (name, kind) in types.filter_map(|line| line.split_once(' ')) {
            let endings: &[&str] = match kind {
                "counter" => &["_total"],
                "histogram" => &["_bucket", "_sum", "_count"],
                _ => &[""],
            };
            names.extend(endings.iter().map(|ending| format!("{name}{ending}")));
        }
        let samples = metrics.lines().filter(|line| !line.starts_with('#'));
        let labels = samples.filter_map(|line| line.split_once('{')?.1.rsplit_once('}'));
        let labels = labels.flat_map(|(labels, _)| labels.split("=\"").map(str::to_owned));
        let name = |text: String| {
            text.rsplit(['"', ','])
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        let mut labels: BTreeSet<String> = labels.map(name).collect();
        // Prometheus adds two of them, and `up` itself. No collection has an index here.
        labels.extend(["instance", "job", "collection"].map(str::to_owned));
        names.insert("up".to_owned());
        Self { names, labels }
    }

    /// What an expression names that is not there.
    fn missing(&self, expression: &str) -> Vec<String> {
        let mut missing = Vec::new();
        for word in words(expression) {
            let is_metric = ["lustra_", "process_"]
                .iter()
                .any(|ours| word.starts_with(ours));
            if (is_metric || word == "up") && !self.names.contains(word) {
                missing.push(word.to_owned());
            }
        }
        let groups = expression.split("by (").skip(1);
        let groups = groups.filter_map(|rest| rest.split(')').next());
        let selectors = expression.split('{').skip(1);
        let selectors = selectors.filter_map(|rest| rest.split('}').next());
        let selected = selectors.flat_map(|inner| inner.split(','));
        let selected = selected.filter_map(|one| one.split(['=', '!']).next());
        for label in groups.flat_map(|inner| inner.split(',')).chain(selected) {
            if !self.labels.contains(label.trim()) {
                missing.push(format!("label {label}"));
            }
        }
        missing
    }
}

/// The identifiers of an expression outside its texts.
fn words(expression: &str) -> impl Iterator<Item = &str> {
    let outside = expression.split('"').step_by(2);
    outside.flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
}

/// The expressions of the rules, by alert.
fn alerts() -> BTreeMap<&'static str, String> {
    let rules = ALERTS.split("- alert: ").skip(1);
    let rules = rules.map(|rule| {
        let name = rule.lines().next().expect("a name").trim();
        let expression = rule
            .lines()
            .find_map(|line| line.trim().strip_prefix("expr: '"));
        let expression = expression.expect("an expression on one line");
        (name, expression.trim_end_matches('\'').replace("''", "'"))
    });
    rules.collect()
}

/// The expressions of the dashboard's panels, and the queries of its variables.
fn expressions(dashboard: &Value) -> Vec<String> {
    let panels = dashboard["panels"].as_array().expect("panels").iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().cloned().unwrap_or_default());
    let targets = targets.map(|target| target["expr"].as_str().expect("PromQL").to_owned());
    let variables = dashboard["templating"]["list"]
        .as_array()
        .expect("variables")
        .iter();
    let queries = variables.filter_map(|variable| variable["definition"].as_str());
    let queries = queries.filter_map(|query| query.split(['(', ')']).nth(1)?.rsplit_once(','));
    let queries = queries.map(|(series, _label)| series.to_owned());
    targets.chain(queries).collect()
}

/// The metrics of a world in which everything happens once that a metric's labels wait for.
async fn metrics_of_everything() -> String {
    let builder = World::new()
        .companies(12)
        .connectors(&["rpo", "tax-authority"]);
    let (world, folder, pair) = with_tls_of(builder, |_| {}).await;
    let client = reqwest::Client::builder().tls_backend_preconfigured(pair.client_config(&[]));
    let client = client.build().expect("a client");
    world.fault(Register::Rpo, Fault::Error500);
    // The second one is not stored, and its register fails.
    for (ico, status) in [(world.icos[0].as_str(), 200), ("87654321", 503)] {
        let port = world.address().port();
        let url = format!("https://localhost:{port}/v1/company/ico/{ico}?scope=tax");
        let answer = client.get(url).header("x-api-key", &world.key).send().await;
        assert_eq!(answer.expect("an answer").status(), status, "{ico}");
    }
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    drop(folder);
    metrics.body.as_str().expect("a text").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn dashboard_and_alerts_use_metrics_that_exist() {
    let metrics = metrics_of_everything().await;
    let series = Series::of(&metrics);
    assert!(
        series.labels.contains("upstream") && series.labels.contains("kind"),
        "{metrics}"
    );
    let dashboard: Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let expressions = expressions(&dashboard);
    assert!(expressions.len() > 60, "{expressions:?}");
    let alerts = alerts();
    assert!(alerts.len() > 20, "{alerts:?}");
    for expression in expressions.iter().chain(alerts.values()) {
        let missing = series.missing(expression);
        assert!(missing.is_empty(), "{expression}: {missing:?}");
    }
    // The check itself finds what is not there.
    assert_eq!(series.missing("rate(lustra_nothing_total[5m])").len(), 1);
    assert_eq!(
        series.missing("sum by (company) (lustra_store_up)").len(),
        1
    );
    for name in alerts.keys() {
        assert!(
            ALERTS_TEST.contains(&format!("alertname: {name}\n")),
            "{name} has no test"
        );
    }
}

#[test]
fn promtool_accepts_rules_and_expressions() {
    if !runs("promtool") {
        say("SKIPPED: the check of alerts needs promtool, of the Debian package prometheus");
        return;
    }
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    // Each expression of the dashboard as a recording rule.
    let dashboard: Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let rules = expressions(&dashboard)
        .into_iter()
        .enumerate()
        .map(|(number, expression)| {
            let expression = expression
                .replace("$__rate_interval", "5m")
                .replace('\'', "''");
            format!("      - record: panel:{number}\n        expr: '{expression}'\n")
        });
    let rules: String = rules.collect();
    let panels = folder.path().join("panels.yml");
    std::fs::write(
        &panels,
        format!("groups:\n  - name: panels\n    rules:\n{rules}"),
    )
    .expect("a folder of our own");
    let ops = repository().join("host/ops");
    for (arguments, file) in [
        (["check", "rules"], panels),
        (["check", "rules"], ops.join("prometheus-alerts.yml")),
        (["test", "rules"], ops.join("prometheus-alerts-test.yml")),
    ] {
        let checked = Command::new("promtool").args(arguments).arg(&file).output();
        let checked = checked.expect("it runs");
        let said = String::from_utf8_lossy(&checked.stdout).into_owned();
        let complained = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert!(
            checked.status.success(),
            "{}: {said}{complained}",
            file.display()
        );
    }
}

/// The rows of the guide's table of log messages: a part of a message, and a metric.
fn messages() -> Vec<(&'static str, &'static str)> {
    let table = GUIDE.split("## Log messages and metrics").nth(1);
    let table = table.and_then(|rest| rest.split("\n## ").next());
    let rows = table
        .expect("the section")
        .lines()
        .filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.split('`').skip(1).step_by(2).collect::<Vec<_>>());
    let pairs = cells.map(|cells| (cells[0], cells[1]));
    pairs.collect()
}

#[test]
fn log_messages_in_the_guide_have_their_metrics() {
    let mut files = Vec::new();
    for folder in [
        "host/src",
        "host/sandbox/src",
        "host/store/src",
        "host/cli/src",
    ] {
        sources(&repository().join(folder), &mut files);
    }
    let text = |file: &std::path::PathBuf| std::fs::read_to_string(file).expect("sources are text");
    let code: String = files.iter().map(text).collect();
    let messages = messages();
    assert!(messages.len() > 15, "{messages:?}");
    reading(async |world| {
        assert_eq!(world.get("/v1/status").await.status, 200);
        let metrics = world.operator(Method::GET, "/metrics", &[]).await;
        let series = Series::of(metrics.body.as_str().expect("a text"));
        for (message, metric) in messages {
            assert!(code.contains(message), "no log message has: {message}");
            assert!(series.names.contains(metric), "{message}: {metric}");
        }
    });
}
