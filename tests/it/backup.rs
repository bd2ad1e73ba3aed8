//! `lustra backup` and `lustra restore`: a rehearsal under load, and what is refused.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use lustra_tests::client;
use lustra_tests::lustra::store::{EntryKind, Store};
use serde_json::{Value, json};

use crate::command_line::{Ran, json as only, lustra, serve};

/// A server's folder with its settings.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let place = Self { folder };
        std::fs::create_dir_all(place.path("components")).expect("tests can write there");
        let text = format!(
            "listen = \"127.0.0.1:0\"\ndata = {:?}\ncomponents = {:?}\n[operator]\non = false\n[imports]\n\
             scheduled = false\n[reload]\nwatch = false\n[plans.own]\ncredits = 1000000\n",
            place.path("data"),
            place.path("components"),
        );
        std::fs::write(place.config(), text).expect("tests can write there");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn config(&self) -> PathBuf {
        self.path("lustra.toml")
    }

    async fn run(&self, arguments: &[&str]) -> Ran {
        let config = self.config().display().to_string();
        lustra(&[arguments, &["--config", &config]].concat()).await
    }

    async fn key(&self) -> String {
        let created = self.run(&["key", "create", "--account", "acme", "--plan", "own"]);
        created.await.printed().trim().to_owned()
    }

    async fn store(&self) -> Store {
        let url = format!("sqlite:{}", self.path("data/lustra.db").display());
        Store::connect(&url, 2).await.expect("the store opens")
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Sends charged requests one after the other, until told to end. Returns the ids of the answered ones in order.
async fn ask(
    url: String,
    key: String,
    ended: Arc<AtomicBool>,
    answers: Arc<AtomicUsize>,
) -> Vec<String> {
    let mut answered = Vec::new();
    while !ended.load(Ordering::SeqCst) {
        let request = client().get(format!("{url}/search/ico?q=1"));
        let response = request.header("x-api-key", &key).send().await;
        let response = response.expect("the host serves");
        if response.status() == 200 {
            let id = response.headers()["x-request-id"]
                .to_str()
                .expect("an id")
                .to_owned();
            answered.push(id);
            answers.fetch_add(1, Ordering::SeqCst);
        }
    }
    answered
}

/// The operations that are charged exactly once in a store.
async fn charged(store: &Store, operations: &[String]) -> BTreeSet<String> {
    let account = store.keys().find_account("acme").await.expect("a store");
    let account = account.expect("it was made").id;
    let mut charged = BTreeSet::new();
    for operation in operations {
        let entries = store
            .billing()
            .entries_of(account, operation)
            .await
            .expect("a store");
        if entries
            .iter()
            .map(|entry| entry.kind)
            .eq([EntryKind::Charge])
        {
            charged.insert(operation.clone());
        } else {
            assert!(entries.is_empty(), "{operation}: {entries:?}");
        }
    }
    charged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_of_a_loaded_host_restores_every_charge() {
    let (place, restored) = (Place::new(), Place::new());
    let key = place.key().await;
    let (mut host, url) = serve(&place.config()).await;
    let (ended, answers) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let asking: Vec<_> = (0..4)
        .map(|_| {
            tokio::spawn(ask(
                url.clone(),
                key.clone(),
                Arc::clone(&ended),
                Arc::clone(&answers),
            ))
        })
        .collect();
    let reached = async |count: usize| {
        while answers.load(Ordering::SeqCst) < count {
            tokio::task::yield_now().await;
        }
    };
    reached(20).await;
    let before = answers.load(Ordering::SeqCst);
    let archive = text(&place.path("backup.zip"));
    let made = place
        .run(&["backup", "--output", &archive, "--json"])
        .await
        .printed();
    let made = only(&made);
    let after = answers.load(Ordering::SeqCst);
    reached(after + 20).await;
    // The files of a host that serves are not replaced.
    let said = place.run(&["restore", &archive, "--force"]).await.refused();
    assert!(said.contains("in use"), "{said}");
    ended.store(true, Ordering::SeqCst);
    let mut answered = Vec::new();
    for client in asking {
        answered.extend(client.await.expect("every request is answered"));
    }
    host.kill().await.expect("it is ours");

    let mode = std::fs::metadata(&archive)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(made["manifest"]["secrets_key"], "included");
    let back = restored
        .run(&["restore", &archive, "--json"])
        .await
        .printed();
    let back = only(&back);
    assert_eq!(
        (&back["replaced"], &back["ledger"]["mistakes"]),
        (&json!(false), &json!([]))
    );
    assert_eq!(back["ledger"]["entries"], made["ledger"]["entries"]);
    let key_file = |place: &Place| std::fs::read(place.path("data/secrets.key")).expect("a key");
    assert_eq!(key_file(&place), key_file(&restored));
    let store = restored.store().await;
    let charged = charged(&store, &answered).await.len();
    store.close().await;
    // Whatever was answered before the backup began is in it, and nothing from after its end.
    assert!(
        charged >= before && charged <= after + 4,
        "{charged} charges, {before} before and {after} after"
    );
    // The restored store serves the same key.
    let (mut host, url) = serve(&restored.config()).await;
    let request = client().get(format!("{url}/account/usage"));
    let answer = request.header("x-api-key", &key).send().await;
    assert_eq!(answer.expect("it serves").status(), 200);
    host.kill().await.expect("it is ours");
}

/// Copies an archive, and lets `change` replace the content of entries.
fn rewritten(archive: &Path, to: &Path, change: impl Fn(&str, Vec<u8>) -> Vec<u8>) {
    let file = std::fs::File::open(archive).expect("it is there");
    let mut from = zip::ZipArchive::new(file).expect("an archive");
    let mut into = zip::ZipWriter::new(std::fs::File::create(to).expect("tests can write there"));
    for index in 0..from.len() {
        let mut entry = from.by_index(index).expect("an entry");
        let name = entry.name().expect("a text").into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("it unpacks");
        let started = into.start_file(name.as_str(), zip::write::SimpleFileOptions::default());
        started.expect("an entry");
        into.write_all(&change(&name, content)).expect("an entry");
    }
    into.finish().expect("an archive");
}

/// Changes one file of an archive, given its name and content.
type Change = Box<dyn Fn(&str, Vec<u8>) -> Vec<u8>>;

/// Names of archives that are refused, how each differs from a right one, and what the refusal says.
fn wrong_archives() -> [(&'static str, Change, &'static str); 5] {
    let manifest = |change: fn(&mut Value)| {
        move |name: &str, content: Vec<u8>| {
            if name != "manifest.json" {
                return content;
            }
            let mut manifest: Value = serde_json::from_slice(&content).expect("JSON");
            change(&mut manifest);
            manifest.to_string().into_bytes()
        }
    };
    [
        (
            "damaged",
            Box::new(|name, mut content| {
                if name == "lustra-billing.db" {
                    content[5_000] ^= 1;
                }
                content
            }),
            "lustra-billing.db in the archive does not have the digest",
        ),
        (
            "newer",
            Box::new(manifest(|manifest| {
                manifest["schema"] = json!(9_001);
                manifest["program"] = json!("9.1.0");
            })),
            "schema 9001 (of lustra 9.1.0)",
        ),
        (
            "other-format",
            Box::new(manifest(|manifest| manifest["format"] = json!(2))),
            "its format is 2",
        ),
        (
            "other-files",
            Box::new(manifest(|manifest| {
                manifest["files"][0]["name"] = json!("../../etc/passwd");
            })),
            "names other files",
        ),
        (
            "too-long",
            Box::new(manifest(|manifest| {
                manifest["files"][0]["bytes"] = json!(10);
            })),
            "does not have the digest",
        ),
    ]
}

#[tokio::test]
async fn refused_restore_leaves_the_store_as_it_was() {
    let place = Place::new();
    let said = place
        .run(&["backup", "--output", &text(&place.path("none.zip"))])
        .await;
    assert!(said.refused().contains("nothing to back up"));
    place.key().await;
    std::fs::write(place.path("data/secrets.key"), "first").expect("tests can write there");
    let archive = place.path("backup.zip");
    place
        .run(&["backup", "--output", &text(&archive)])
        .await
        .printed();
    let again = place
        .run(&["backup", "--output", &text(&archive)])
        .await
        .refused();
    assert!(again.contains("--force"), "{again}");
    place
        .run(&["account", "create", "--name", "later", "--plan", "own"])
        .await
        .printed();

    for (name, change, expected) in wrong_archives() {
        let wrong = place.path(name);
        rewritten(&archive, &wrong, change);
        let said = place
            .run(&["restore", &text(&wrong), "--force"])
            .await
            .refused();
        assert!(said.contains(expected), "{name}: {said}");
    }
    let no_archive = place.path("lustra.toml");
    let said = place
        .run(&["restore", &text(&no_archive), "--force"])
        .await
        .refused();
    assert!(said.contains("is not a backup of Lustra"), "{said}");
    let said = place.run(&["restore", &text(&archive)]).await.refused();
    assert!(said.contains("--force replaces it"), "{said}");
    let accounts = place.run(&["account", "list"]).await.printed();
    assert!(
        accounts.contains("later"),
        "the store is as it was: {accounts}"
    );
    let left: Vec<String> = std::fs::read_dir(place.path("data"))
        .expect("it is there")
        .map(|entry| {
            entry
                .expect("it is there")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.starts_with('.') || name.starts_with("replaced"))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "no temporary files are left");

    // A leftover of an interrupted restore is named and not overwritten.
    let aside = place.path("data/replaced-by-restore");
    std::fs::create_dir(&aside).expect("tests can write there");
    let said = place
        .run(&["restore", &text(&archive), "--force"])
        .await
        .refused();
    assert!(said.contains("interrupted restore"), "{said}");
    std::fs::remove_dir(&aside).expect("it is empty");

    std::fs::create_dir_all(place.path("data/search")).expect("tests can write there");
    std::fs::write(place.path("data/secrets.key"), "second").expect("tests can write there");
    let done = place
        .run(&["restore", &text(&archive), "--force"])
        .await
        .printed();
    assert!(done.contains("restored as of"), "{done}");
    let accounts = place.run(&["account", "list"]).await.printed();
    assert!(
        accounts.contains("acme") && !accounts.contains("later"),
        "{accounts}"
    );
    let secrets = std::fs::read_to_string(place.path("data/secrets.key"));
    assert_eq!(secrets.expect("it is there"), "first");
    assert!(
        !place.path("data/search").exists(),
        "the name index is rebuilt"
    );
}
