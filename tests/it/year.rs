//! Simulated days of hosts with faults: no invariant is violated, and the same seed gives the same log.

use std::process::Command;

use serde_json::Value;

/// Runs the program for some days. Returns its result; `None` if it has no database.
fn days(seed: u32, days: u32, database: &str) -> Option<Value> {
    let (seed, days) = (seed.to_string(), days.to_string());
    let ran = Command::new(env!("CARGO_BIN_EXE_year"))
        .args(["--json", "--seed", &seed, "--days", &days])
        .args(["--database", database])
        .output()
        .expect("the program was built with the tests");
    let printed = String::from_utf8(ran.stdout).expect("text");
    let errors = String::from_utf8_lossy(&ran.stderr);
    if errors.contains("PostgreSQL is not available") {
        return None;
    }
    let result: Value =
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}{errors}"));
    assert_eq!(result["violations"], Value::Array(Vec::new()), "{result}");
    assert!(ran.status.success(), "{errors}");
    Some(result)
}

#[test]
fn days_of_one_seed_have_the_same_log() {
    let first = days(5, 21, "sqlite").expect("SQLite is built in");
    let second = days(5, 21, "sqlite").expect("SQLite is built in");
    assert_eq!(first["log"], second["log"]);
    assert_eq!(first["happened"], second["happened"]);
    let other = days(6, 14, "sqlite").expect("SQLite is built in");
    assert_ne!(first["log"], other["log"]);
}

#[test]
fn days_of_two_hosts_on_postgres_violate_nothing() {
    days(7, 14, "postgres");
}
