//! Shared by many tests: one read-only world per kind of database, and responses prepared for snapshots.
//!
//! A test that advances the clock, injects faults or counts requests has its own world.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use lustra_tests::{Answer, DatabaseKind, START, World};
use serde_json::{Map, Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

/// The showcase companies of the simulator, by what they show.
pub const SHOWN: [(usize, &str); 8] = [
    (0, "limited company"),
    (1, "joint-stock company"),
    (3, "sole trader"),
    (4, "ended company"),
    (5, "debtor in liquidation"),
    (6, "cooperative with a zero-led number"),
    (8, "VAT group"),
    (9, "erased from VAT"),
];

/// Headers shown in snapshots.
const SHOWN_HEADERS: [&str; 7] = [
    "allow",
    "cache-control",
    "content-type",
    "etag",
    "retry-after",
    "x-batch-id",
    "x-request-id",
];

/// Runs a test on the `SQLite` world that tests share.
pub fn reading(test: impl AsyncFnOnce(&'static World)) {
    runtime().block_on(async {
        let world = shared(DatabaseKind::Sqlite)
            .await
            .expect("SQLite is always there");
        test(world).await;
    });
}

/// Runs a test on the shared world of each kind of database.
pub fn reading_each(test: impl AsyncFn(&'static World)) {
    runtime().block_on(async {
        for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
            if let Some(world) = shared(kind).await {
                let _named = Named(kind);
                test(world).await;
            }
        }
    });
}

/// Prints the database on which a test failed.
struct Named(DatabaseKind);

impl Drop for Named {
    #[expect(clippy::print_stderr, reason = "a failure must say where it was")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the test failed on {:?}", self.0);
        }
    }
}

/// A runtime that outlives the tests, for the shared world.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().expect("threads can be started"))
}

async fn shared(kind: DatabaseKind) -> Option<&'static World> {
    static WORLDS: [OnceCell<Option<World>>; 2] = [OnceCell::const_new(), OnceCell::const_new()];
    let place = usize::from(kind == DatabaseKind::Postgres);
    WORLDS[place].get_or_init(|| start(kind)).await.as_ref()
}

async fn start(kind: DatabaseKind) -> Option<World> {
    let folders: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let seen = Arc::clone(&folders);
    let world = World::new()
        .on(kind)
        .settings(move |config| {
            // A generous budget keeps responses complete on a busy machine.
            config.freshness.live_budget_ms = 120_000;
            config.requests.timeout_seconds = 180;
            let mut folders = seen.lock().expect("no holder panics");
            folders.push(config.data.clone());
            let file = config
                .store_url()
                .strip_prefix("sqlite:")
                .map(PathBuf::from);
            folders.extend(file.and_then(|file| Some(file.parent()?.parent()?.to_owned())));
        })
        .start_if_possible()
        .await;
    let folders = folders.lock().expect("no holder panics").clone();
    deleted_at_the_end(&folders);
    world
}

/// Statics are never dropped, so a shell deletes a shared world's folders when its standard input closes with this
/// process.
fn deleted_at_the_end(folders: &[PathBuf]) {
    static WATCHES: Mutex<Vec<Child>> = Mutex::new(Vec::new());
    let watch = Command::new("sh")
        .args(["-c", r#"read -r line; rm -rf -- "$@""#, "sh"])
        .args(folders)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A separate process group, so that Ctrl-C stops the tests but not the cleanup.
        .process_group(0)
        .spawn()
        .expect("there is a shell");
    WATCHES.lock().expect("no holder panics").push(watch);
}

/// An answer for a snapshot: what differs from run to run is checked and named instead.
///
/// # Panics
/// If an id or a time does not have its required form.
pub fn shown(answer: &Answer) -> Value {
    let headers: Map<String, Value> = SHOWN_HEADERS
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), shown_header(name, answer.header(name)?))))
        .collect();
    json!({ "status": answer.status, "headers": headers, "body": redacted(None, &answer.body) })
}

/// Like [`shown`], for a part of a response's body.
pub fn shown_part(part: &Value) -> Value {
    redacted(None, part)
}

/// Like [`shown`], for a profile that another test may have requested before: hides the profile's source.
pub fn shown_profile(answer: &Answer) -> Value {
    let mut shown = shown(answer);
    let source = answer
        .at("/meta/source")
        .as_str()
        .expect("a profile says its source");
    assert!(["database", "cache", "live"].contains(&source), "{source}");
    assert_eq!(answer.at("/meta/cached"), source == "cache");
    shown["body"]["meta"]["source"] = json!("[database, cache or live]");
    shown["body"]["meta"]["cached"] = json!("[whether from the cache]");
    shown
}

fn shown_header(name: &str, value: &str) -> Value {
    match name {
        "x-request-id" => {
            assert!(is_hexadecimal(value), "a request id: {value}");
            json!("[request id]")
        }
        "x-batch-id" => {
            assert!(is_uuid(value), "a batch's id: {value}");
            json!("[batch id]")
        }
        "etag" => {
            let tag = value
                .strip_prefix("W/\"")
                .and_then(|tag| tag.strip_suffix('"'));
            assert!(tag.is_some_and(is_hexadecimal), "an ETag: {value}");
            json!("[etag]")
        }
        _ => json!(value),
    }
}

fn is_hexadecimal(text: &str) -> bool {
    text.len() == 32
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && is_hexadecimal(&text.replace('-', ""))
}

fn redacted(name: Option<&str>, value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), redacted(Some(name), value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(|item| redacted(None, item)).collect(),
        Value::Number(number) if name == Some("id") => {
            assert!(number.as_i64().is_some_and(|id| id > 0), "an id: {number}");
            json!("[id]")
        }
        Value::String(text) if name == Some("version") && is_version(text) => json!("[version]"),
        Value::String(text) if matches!(name, Some("id" | "batch_id")) && is_uuid(text) => {
            json!("[batch id]")
        }
        Value::String(text) if name == Some("expires_at") => {
            let expires_at = OffsetDateTime::parse(text, &Rfc3339).expect("a time");
            assert!(expires_at > START, "{text}");
            json!("[when it expires]")
        }
        Value::String(text) if is_now(text) => json!("[now]"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn is_version(text: &str) -> bool {
    let mut numbers = text.split('.').map(str::parse::<u32>);
    text.split('.').count() == 3 && numbers.all(|number| number.is_ok())
}

/// Whether a text is a time since the world's start. Earlier times do not vary between runs, so snapshots keep them.
fn is_now(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339)
        .is_ok_and(|at| at >= START && at < START + Duration::hours(1) && text.ends_with('Z'))
}

/// A value by JSON pointer; null where there is none.
pub fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// The keys of an object, sorted.
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

/// A body of `multipart/form-data` with files of these fields, and its content type.
pub fn form(fields: &[(&str, &[u8])]) -> (&'static str, Vec<u8>) {
    let mut body = Vec::new();
    for (name, file) in fields {
        let head = format!(
            "--lustra-form\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"firmy\"\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--lustra-form--\r\n");
    ("multipart/form-data; boundary=lustra-form", body)
}
