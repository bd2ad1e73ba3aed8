//! `lustra doctor`.

use std::path::Path;

use lustra_tests::Mailbox;
use serde_json::Value;

use crate::command_line::{Operator, Ran, lustra, serve};

/// The findings of `lustra doctor --json`, and whether the command succeeded.
async fn examined(operator: &Operator, arguments: &[&str]) -> (Vec<Value>, bool) {
    let ran = operator
        .run(&[&["doctor", "--json"], arguments].concat())
        .await;
    (findings(&ran), ran.succeeded)
}

fn findings(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout.lines().map(serde_json::from_str);
    lines.map(|line| line.expect("an object a line")).collect()
}

/// Severity and text of the finding with this code, of this subject if it is not empty.
fn found<'a>(findings: &'a [Value], code: &str, subject: &str) -> (&'a str, &'a str) {
    let mut all = findings.iter();
    let finding = all.find(|finding| {
        finding["code"] == code && (subject.is_empty() || finding["subject"] == subject)
    });
    let finding = finding.unwrap_or_else(|| panic!("no {code} of {subject}: {findings:#?}"));
    let text = |name: &str| finding[name].as_str().unwrap_or_default();
    (text("severity"), text("found"))
}

/// Settings of an operator whose mail server is at this URL.
fn with_mail(operator: &Operator, url: &str) {
    operator.granted();
    let file = operator.config();
    let text = std::fs::read_to_string(&file).expect("it is there");
    let mail = format!("[mail]\nsmtp = {url:?}\nfrom = \"a@b.sk\"\n");
    std::fs::write(&file, text + &mail).expect("it can be replaced");
}

#[tokio::test]
async fn doctor_of_a_fresh_folder_changes_nothing() {
    let operator = Operator::new().await;
    operator.granted();
    let (findings, succeeded) = examined(&operator, &["--offline"]).await;
    assert!(succeeded, "{findings:#?}");
    for (code, severity) in [
        ("settings_read", "ok"),
        ("grants_hold", "ok"),
        ("components_whole", "ok"),
        ("secrets_private", "ok"),
        ("host_stopped", "ok"),
        ("descriptors", "ok"),
        ("database_missing", "ok"),
        ("connectors_unknown", "ok"),
    ] {
        assert_eq!(found(&findings, code, "").0, severity, "{code}");
    }
    let other = ["dns", "mail", "registers"];
    let asked = findings
        .iter()
        .filter(|finding| other.iter().any(|check| finding["check"] == *check));
    assert_eq!(asked.count(), 0, "--offline asks no other machine");
    assert!(
        !operator.folder.path().join("data").exists(),
        "it created files"
    );
}

#[tokio::test]
async fn doctor_beside_a_host_examines_everything() {
    let operator = Operator::new().await;
    let mailbox = Mailbox::start().await;
    with_mail(&operator, &mailbox.url_of("lustra", "hush"));
    operator
        .run(&["dataset", "import", "reliability"])
        .await
        .printed();
    operator
        .run(&["dataset", "pause", "vat-payers"])
        .await
        .printed();
    let (_serving, _) = serve(Path::new(&operator.config())).await;
    let (findings, succeeded) = examined(&operator, &[]).await;
    assert!(succeeded, "{findings:#?}");
    let (severity, text) = found(&findings, "database_answers", "");
    assert!(severity == "ok" && text.starts_with("SQLite 3."), "{text}");
    let (severity, text) = found(&findings, "mail_accepted", "");
    assert!(
        severity == "ok" && text.contains("accepts the password"),
        "{text}"
    );
    assert_eq!(mailbox.emails().len(), 0, "nothing is sent");
    let (severity, text) = found(&findings, "register_answers", "tax-authority/vies");
    assert!(
        severity == "ok" && text.starts_with("it answers "),
        "{text}"
    );
    let (severity, text) = found(
        &findings,
        "list_never_imported",
        "tax-authority/bank-accounts",
    );
    assert_eq!((severity, text), ("warn", "it was never imported"));
    assert_eq!(
        found(&findings, "list_paused", "tax-authority/vat-payers").0,
        "warn"
    );
    assert_eq!(found(&findings, "clock_plausible", "").0, "ok");
    assert_eq!(found(&findings, "sentinel_off", "").0, "warn");
    let imported = findings
        .iter()
        .any(|finding| finding["subject"] == "tax-authority/reliability");
    assert!(
        !imported,
        "an imported list is not a finding: {findings:#?}"
    );
    for finding in findings
        .iter()
        .filter(|finding| finding["severity"] != "ok")
    {
        let says_what_to_do = finding["advice"].is_string()
            || finding["found"]
                .as_str()
                .is_some_and(|text| text.contains(';'));
        assert!(says_what_to_do, "{finding}");
    }
}

#[tokio::test]
async fn doctor_names_what_fails_and_why() {
    let operator = Operator::new().await;
    let mailbox = Mailbox::start().await;
    mailbox.refuse_login(true);
    with_mail(&operator, &mailbox.url_of("lustra", "hush"));
    let ran = operator.run(&["doctor", "--json"]).await;
    let refused = findings(&ran);
    let (severity, text) = found(&refused, "mail_failed", "");
    assert!(
        severity == "fail" && text.starts_with("the mail server refused the password"),
        "{text}"
    );
    assert!(
        !ran.succeeded && ran.stderr.contains("error: 1 check failed"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains("hush"), "{}", ran.stdout);

    // Nothing listens at the addresses of the registers and of the mail server.
    let url = operator.simulator.url();
    let unused = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let dead = unused.local_addr().expect("it is bound");
    drop(unused);
    with_mail(&operator, &format!("smtp://{dead}"));
    let file = operator.config();
    let text = std::fs::read_to_string(&file).expect("it is there");
    let text = text.replace(&url, &format!("http://{dead}"));
    let data = operator.folder.path().join("data");
    std::fs::create_dir_all(&data).expect("a fresh folder");
    std::fs::write(data.join("lustra.db"), "no database ".repeat(200)).expect("a fresh file");
    std::fs::write(&file, text).expect("it can be replaced");
    let ran = operator.run(&["doctor", "--json"]).await;
    let refused = findings(&ran);
    let (severity, text) = found(&refused, "database_failed", "");
    assert!(
        severity == "fail" && text.contains("the file is not a database"),
        "{text}"
    );
    let (severity, text) = found(&refused, "mail_failed", "");
    assert!(
        severity == "fail" && text.starts_with("the connection to the mail server failed"),
        "{text}"
    );
    let (severity, text) = found(&refused, "register_unreachable", "tax-authority/vies");
    assert!(severity == "warn" && text.contains("refused"), "{text}");
    assert_eq!(found(&refused, "nothing_reachable", "").0, "fail");
    assert!(!ran.succeeded);
}

#[tokio::test]
async fn doctor_reports_mistakes_of_the_settings() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let file = folder.path().join("lustra.toml");
    std::fs::write(&file, "\nlisen = \"127.0.0.1:0\"\n").expect("a fresh name");
    let path = file.display().to_string();
    let ran = lustra(&["doctor", "--json", "--config", &path]).await;
    let (severity, text) = {
        let findings = findings(&ran);
        let (severity, text) = found(&findings, "unknown_setting", "lisen");
        (severity.to_owned(), text.to_owned())
    };
    assert_eq!(severity, "fail");
    assert!(
        text.contains("line 2") && text.contains("did you mean listen?"),
        "{text}"
    );
    assert!(!ran.succeeded);
    let missing = lustra(&["doctor", "--config", "/nowhere/lustra.toml"]).await;
    assert!(
        !missing.succeeded
            && missing
                .stdout
                .contains("fail settings: /nowhere/lustra.toml cannot be read"),
        "{}",
        missing.stdout
    );
}
