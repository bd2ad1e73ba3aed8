//! Shared helpers for tests of age, outages and misbehaving connectors.

use lustra_tests::register_simulator::Register;
use lustra_tests::{Answer, Builder, DatabaseKind, World};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Every dataset in the demo's settings: connector and dataset.
pub const DATASETS: &[(&str, &str)] = &[
    ("rpo", "companies"),
    ("tax-authority", "vat-payers"),
    ("tax-authority", "vat-violators"),
    ("tax-authority", "erased-vat-payers"),
    ("tax-authority", "bank-accounts"),
    ("tax-authority", "reliability"),
    ("tax-authority", "income-tax-subjects"),
    ("tax-lists", "vat-deductions"),
    ("tax-lists", "vat-regimes"),
    ("tax-lists", "vat-cancellation-reasons"),
    ("tax-lists", "corporate-income-tax"),
    ("tax-lists", "income-tax-subjects"),
    ("tax-lists", "tax-accounts"),
    ("tax-lists", "research-deductions"),
    ("tax-lists", "investment-deductions"),
    ("tax-lists", "patent-box"),
    ("tax-lists", "regulated-entities"),
    ("debtors", "social-insurer"),
    ("debtors", "dovera"),
    ("debtors", "union"),
    ("debtors", "tax-authority"),
    ("crz", "contracts"),
    ("nbs", "institutions"),
    ("nbs", "psd2-services"),
    ("replik", "administrators"),
    ("replik", "administrator-list"),
    ("procurement-journal", "notices"),
    ("commercial-bulletin", "notices"),
    ("commercial-bulletin", "register-entries"),
    ("employers", "employers"),
    ("security-licences", "licences"),
    ("social-enterprises", "enterprises"),
    ("transport-licences", "licences"),
    ("travel-agencies", "agencies"),
    ("utility-licences", "licences"),
    ("food-establishments", "food"),
    ("food-establishments", "vet"),
    ("illegal-employment", "fines"),
    ("sanctions", "eu-fsf"),
    ("sanctions", "ofac-sdn"),
    ("sanctions", "ofac-consolidated"),
    ("crp", "projects"),
    ("itms21", "projects"),
    ("itms21", "applications"),
    ("uvo", "debarred"),
];

/// Runs a test's body in a world on each available kind of database.
pub async fn on_each_kind(world: impl Fn(DatabaseKind) -> Builder, body: impl AsyncFn(&World)) {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        if let Some(world) = world(kind).start_if_possible().await {
            assert_eq!(world.kind(), kind);
            // Boxed, because the future may contain a whole host's state.
            Box::pin(body(&world)).await;
            world.end().await;
        }
    }
}

/// The state of a source in `/v1/status`.
pub async fn source(world: &World, id: &str) -> Value {
    let status = world.get("/v1/status").await;
    assert_eq!(status.status, 200, "{status:?}");
    let sources = status
        .at("/sources")
        .as_array()
        .cloned()
        .unwrap_or_default();
    let found = sources.into_iter().find(|source| source["id"] == id);
    found.unwrap_or_else(|| panic!("no source {id} in {status:?}"))
}

/// The state of a list in `/v1/status`.
pub async fn dataset(world: &World, connector: &str, id: &str) -> Value {
    let source = source(world, connector).await;
    let datasets = source["datasets"].as_array().cloned().unwrap_or_default();
    let found = datasets.into_iter().find(|dataset| dataset["id"] == id);
    found.unwrap_or_else(|| panic!("no list {id} in {source}"))
}

/// Counts the requests to registers from its creation on.
pub struct RequestCounter<'a> {
    world: &'a World,
    before: Vec<u64>,
}

impl<'a> RequestCounter<'a> {
    pub fn from_now(world: &'a World) -> Self {
        let before = Register::ALL.map(|register| world.simulator.requests(register));
        Self {
            world,
            before: before.to_vec(),
        }
    }

    pub fn of(&self, register: Register) -> u64 {
        self.world.simulator.requests(register) - self.before[register as usize]
    }

    pub fn of_all(&self) -> u64 {
        Register::ALL
            .into_iter()
            .map(|register| self.of(register))
            .sum()
    }
}

/// Parses a time at a pointer of a response.
pub fn time_at(answer: &Answer, pointer: &str) -> OffsetDateTime {
    time_of(answer.at(pointer))
}

/// Parses a time. Texts cannot be compared directly, because trailing zeros are omitted.
pub fn time_of(value: &Value) -> OffsetDateTime {
    let text = value.as_str().unwrap_or_else(|| panic!("no time: {value}"));
    OffsetDateTime::parse(text, &Rfc3339).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Asserts an unavailable response: its form, the code, a message, and `Retry-After`.
#[track_caller]
pub fn assert_out_of_order(answer: &Answer) {
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.at("/error"), "service_unavailable", "{answer:?}");
    assert!(answer.at("/message").is_string(), "{answer:?}");
    let seconds = answer
        .header("retry-after")
        .and_then(|value| value.parse::<u64>().ok());
    assert!(
        seconds.is_some_and(|seconds| (1..=60).contains(&seconds)),
        "{answer:?}"
    );
}
