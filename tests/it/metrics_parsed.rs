//! Prometheus' own parser reads `/metrics`.

use std::io::Write;
use std::process::{Command, Stdio};

use lustra_tests::World;
use reqwest::Method;
use serde_json::Value;

use crate::foreign::python_with;

/// Every sample: name, labels, value.
fn parsed(python: &std::path::Path, metrics: &str) -> Vec<(String, Value, f64)> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/it/metrics_parsed/parse.py");
    let mut parser = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the interpreter was installed");
    let mut input = parser.stdin.take().expect("it is piped");
    input.write_all(metrics.as_bytes()).expect("it reads");
    drop(input);
    let output = parser.wait_with_output().expect("it ends");
    assert!(output.status.success(), "the parser refuses the metrics");
    serde_json::from_slice(&output.stdout).expect("three members each")
}

#[tokio::test(flavor = "multi_thread")]
async fn prometheus_parser_reads_every_metric() {
    let Some(python) = python_with("prometheus-python", "prometheus-client==0.26.0") else {
        return;
    };
    let world = World::new().companies(12).start().await;
    let ico = world.icos[0].clone();
    world.get(&format!("/v1/company/ico/{ico}?scope=tax")).await;
    world.get("/v1/company/ico/123").await;
    world.get("/v1/nothing/here").await;
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    let text = metrics.body.as_str().expect("it is text").to_owned();
    let samples = tokio::task::spawn_blocking(move || parsed(&python, &text)).await;
    let samples = samples.expect("the parser reads all of it");
    let find = |name: &str, labels: &[(&str, &str)]| -> Option<f64> {
        let sample = samples.iter().find(|(other, given, _)| {
            other == name && labels.iter().all(|(label, value)| given[*label] == *value)
        });
        sample.map(|(_, _, value)| *value)
    };
    let calls = [("connector", "tax-authority"), ("le", "+Inf")];
    let all = find("lustra_connector_call_seconds_bucket", &calls);
    assert_eq!(
        all,
        find("lustra_connector_call_seconds_count", &calls[..1]),
        "the last bucket holds every call"
    );
    let route = ("route", "/v1/company/ico/{ico}");
    for (status, route) in [
        ("200", route),
        ("422", route),
        ("404", ("route", "unmatched")),
    ] {
        let labels = [("method", "GET"), ("status", status), route];
        assert_eq!(find("lustra_http_requests_total", &labels), Some(1.0));
    }
    let seconds = [route, ("le", "+Inf")];
    assert_eq!(
        find("lustra_http_request_seconds_bucket", &seconds),
        Some(2.0)
    );
    assert_eq!(find("lustra_credits_charged_total", &[]), Some(1.0));
    assert_eq!(find("lustra_store_up", &[]), Some(1.0));
    for pool in ["reads", "writes", "billing", "billing_reads"] {
        let labels = [("pool", pool)];
        let of = |name: &str| {
            let value = find(&format!("lustra_store_pool_{name}"), &labels);
            value.unwrap_or_else(|| panic!("no {name} of {pool}"))
        };
        let (open, most) = (of("connections"), of("max"));
        assert!(of("idle") <= open && (1.0..=most).contains(&open), "{pool}");
        assert!(of("waits_total") > 0.0, "{pool} was used");
        assert!(of("wait_seconds_total") >= 0.0, "{pool}");
        assert!(of("timeouts_total") == 0.0, "{pool}");
    }
    for name in [
        "process_resident_memory_bytes",
        "process_open_fds",
        "process_cpu_seconds_total",
    ] {
        assert!(find(name, &[]).is_some_and(|value| value > 0.0), "{name}");
    }
}
