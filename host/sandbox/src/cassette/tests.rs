//! A written cassette reads back unchanged, and errors name their location.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use proptest::{collection, option};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::*;
use crate::recording::{HostAnswer, Question, RecordedCall, RecordedSubject};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[ -~]{0,20}",
        "(\r\n|\n|\t|'|\"|\\\\|ž|<b>| ){0,30}",
        any::<String>(),
    ]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        text().prop_map(String::into_bytes),
        collection::vec(any::<u8>(), 0..40),
        // An HTML page in windows-1250.
        Just(b"<html>\r\n\xc8u\xe8oriedka \x8a\n</html>".to_vec()),
        Just(b"PK\x03\x04\0\0".to_vec()),
    ]
}

fn headers() -> impl Strategy<Value = Vec<(String, String)>> {
    collection::vec(("[a-z-]{1,8}", text()), 0..3)
}

fn failure() -> impl Strategy<Value = RecordedFailure> {
    prop_oneof![
        text().prop_map(RecordedFailure::Unavailable),
        option::of(any::<u32>()).prop_map(RecordedFailure::Throttled),
        (text(), text()).prop_map(|(code, why)| RecordedFailure::Other(code, why)),
    ]
}

fn answer() -> impl Strategy<Value = Result<RecordedAnswer, RecordedFailure>> {
    let answered = (any::<u16>(), headers(), body(), any::<bool>()).prop_map(
        |(status, headers, body, complete)| {
            Ok(RecordedAnswer {
                status,
                headers,
                body,
                complete,
            })
        },
    );
    prop_oneof![4 => answered, 1 => failure().prop_map(Err)]
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let question = (text(), option::of(text()), option::of(text()));
    (question, headers(), answer()).prop_map(
        |((path, range_from, body_digest), request_headers, answer)| Exchange {
            question: Question {
                method: "GET".to_owned(),
                upstream: "register".to_owned(),
                path,
                range_from,
                body_digest,
            },
            request_headers,
            answer,
            took: Duration::ZERO,
        },
    )
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            collection::btree_map("[a-z]{1,4}", inner, 0..4)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn call() -> impl Strategy<Value = RecordedCall> {
    prop_oneof![
        (
            text(),
            option::of(text()),
            collection::vec((text(), text()), 0..3)
        )
            .prop_map(|(name, city, facts)| {
                RecordedCall::Enrich {
                    scope: lustra_store::testing::scope_name("licences"),
                    subject: RecordedSubject {
                        ico: "99999994".to_owned(),
                        company: json!({ "name": name }).to_string(),
                        previous: city.clone(),
                        name,
                        city,
                        postal_code: None,
                        nace_code: None,
                        facts,
                    },
                }
            }),
        text().prop_map(|value| RecordedCall::FetchCompany {
            key: "ico".to_owned(),
            value
        }),
        option::of(text()).prop_map(|cursor| RecordedCall::Import {
            dataset: "list".to_owned(),
            cursor
        }),
    ]
}

fn cassette() -> impl Strategy<Value = Cassette> {
    let store = (value(), value()).prop_map(|(arguments, answer)| HostAnswer {
        function: "records.by-key".to_owned(),
        arguments,
        answer: json!({ "ok": answer }),
    });
    let outcome = prop_oneof![
        value().prop_map(CallOutcome::Gave),
        text().prop_map(CallOutcome::Failed)
    ];
    let settings = collection::btree_map("[a-z_]{1,8}", value(), 0..3);
    let recording = (
        call(),
        0..4_000_000_000_i64,
        collection::vec(exchange(), 0..4),
    );
    let rest = (collection::vec(store, 0..3), outcome, settings);
    (recording, rest).prop_map(
        |((call, seconds, exchanges), (host_answers, outcome, settings))| Cassette {
            connector: lustra_store::testing::connector_id("licences"),
            version: "1.2.3".to_owned(),
            secret: settings.keys().take(1).cloned().collect(),
            settings: settings.into_iter().collect(),
            recording: Recording {
                call,
                now: OffsetDateTime::from_unix_timestamp(seconds).expect("a year of four digits"),
                exchanges,
                host_answers,
                outcome,
            },
        },
    )
}

/// Parses a cassette as if it was read from disk.
fn read(text: &str, files: &[(String, Vec<u8>)]) -> Result<Cassette, CassetteError> {
    let files: BTreeMap<&str, &Vec<u8>> = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes))
        .collect();
    Cassette::parse(text, Path::new("x.toml"), &|name| {
        let found = files.get(name).map(|bytes| bytes.to_vec());
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    })
}

proptest! {
    #[test]
    fn written_cassette_reads_back_unchanged(cassette in cassette()) {
        let written = cassette.written("x").expect("it can be written");
        let again = read(&written.text, &written.files);
        let again = again.unwrap_or_else(|error| panic!("{error}\n{}", written.text));
        prop_assert_eq!(again, cassette);
    }
}

const LEAST: &str = "format = 1\nconnector = \"x\"\nversion = \"1.0.0\"\nnow = \"2026-01-15T08:00:00Z\"\n\
    [call]\nkind = \"fetch-company\"\nkey = \"ico\"\nvalue = \"99999994\"\n\
    [[exchange]]\nmethod = \"GET\"\nupstream = \"x\"\npath = \"/\"\nstatus = 200\nbody = \"hello\"\n\
    [expected]\ngave = \"null\"\n";

#[test]
fn errors_name_their_location() {
    let least = read(LEAST, &[]).expect("it is of the form");
    assert_eq!(least.recording.outcome, CallOutcome::Gave(Value::Null));
    let wrong = |from: &str, to: &str| {
        let text = LEAST.replace(from, to);
        assert_ne!(text, LEAST);
        read(&text, &[]).expect_err("it is wrong").to_string()
    };
    for (from, to, said) in [
        ("format = 1", "format = 2", "format 2"),
        ("version", "versoin", "versoin"),
        ("2026-01-15T08", "yesterday", "now: "),
        (
            "gave = \"null\"",
            "gave = \"nul\"",
            "expected: gave: no JSON",
        ),
        ("gave = \"null\"", "", "exactly one of gave and failed"),
        (
            "status = 200",
            "failed = \"{}\"\nstatus = 200",
            "exchange 1: it must have exactly one of status and failed",
        ),
        (
            "body = \"hello\"",
            "body_file = \"../x\"",
            "exchange 1: body_file: \"../x\" is not a file beside",
        ),
        (
            "body = \"hello\"",
            "body_file = \"x.1.bin\"",
            "exchange 1: body_file: x.1.bin: ",
        ),
        (
            "body = \"hello\"",
            "charset = \"klingon\"\nbody = \"x\"",
            "exchange 1: charset: there is no charset klingon",
        ),
        (
            "body = \"hello\"",
            "charset = \"windows-1250\"\nbody = \"漢\"",
            "characters that windows-1250 does not have",
        ),
    ] {
        let error = wrong(from, to);
        assert!(error.contains(said), "{error}");
        assert!(error.starts_with("x.toml: "), "{error}");
    }
}

#[test]
fn text_is_inline_and_binary_is_beside() {
    let mut cassette = read(LEAST, &[]).expect("it is of the form");
    let exchange = cassette.recording.exchanges[0].clone();
    let with = |body: &[u8]| Exchange {
        answer: Ok(RecordedAnswer {
            status: 200,
            headers: Vec::new(),
            body: body.to_vec(),
            complete: true,
        }),
        ..exchange.clone()
    };
    cassette.recording.exchanges = vec![
        with(b"<p>\r\n\xc8u\xe8oriedka</p>\r\n"),
        with("{\"name\": \"Čučoriedka\",\n \"a\": \"\\\\\"}\n".as_bytes()),
        with(&[0x1f, 0x8b, 0, 255, 0]),
    ];
    let written = cassette.written("x").expect("it can be written");
    assert!(
        written.text.contains("charset = \"windows-1250\""),
        "{}",
        written.text
    );
    assert!(
        written.text.contains("Čučoriedka</p>\\r\n"),
        "{}",
        written.text
    );
    assert!(
        written
            .text
            .contains("body = '''\n{\"name\": \"Čučoriedka\",\n \"a\": \"\\\\\"}\n'''"),
        "{}",
        written.text
    );
    let names: Vec<&str> = written
        .files
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["x.3.gz"]);
}
