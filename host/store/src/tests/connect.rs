use std::path::Path;

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::testing::TestDatabase;
use crate::{Cause, DatabaseKind, Either, StoreError};

#[tokio::test]
async fn reopened_store_keeps_its_data() {
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        store
            .companies()
            .upsert(&[company("10000001", "Pekáreň")], false, START)
            .await
            .unwrap();
        store.close().await;
        let store = database.store().await;
        store.ping().await.unwrap();
        assert_eq!(store.kind(), database.kind());
        assert_eq!(store.companies().count().await.unwrap(), 1);
        store.close().await;
        database.remove().await;
    }
}

#[tokio::test]
async fn closed_file_has_no_write_ahead_log() {
    for _ in 0..8 {
        let database = TestDatabase::sqlite();
        let store = database.store().await;
        let companies = store.companies();
        let one = [company("10000001", "Pekáreň")];
        companies.upsert(&one, false, START).await.unwrap();
        // All reading connections are open, and closed at the same time.
        let counted = join_all((0..8).map(|_| companies.count())).await;
        assert!(counted.iter().all(|count| matches!(count, Ok(1))));
        store.close().await;
        let file = Path::new(database.url().strip_prefix("sqlite:").unwrap());
        let files = std::fs::read_dir(file.parent().unwrap()).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["lustra-billing.db", "lustra.db"]);
    }
}

#[tokio::test]
async fn concurrent_starts_migrate_once() {
    for database in TestDatabase::of_each_kind().await {
        let (one, other) = tokio::join!(database.store(), database.store());
        assert_eq!(
            one.companies().count().await.unwrap(),
            other.companies().count().await.unwrap()
        );
        one.close().await;
        other.close().await;
        database.remove().await;
    }
}

#[tokio::test]
async fn invalid_address_is_rejected_without_repeating_it() {
    for url in [
        "mysql://secret@host/db",
        "sqlite:",
        "sqlite::memory:",
        "sqlite:a.db?mode=ro",
        "postgres://secret:x:y",
    ] {
        let error = Store::connect(url, 1).await.unwrap_err();
        assert!(
            matches!(error, StoreError::InvalidUrl(_)),
            "{url}: {error:?}"
        );
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn unreachable_database_is_unavailable() {
    let refused = Store::connect("postgres://absent@127.0.0.1:1/none", 1)
        .await
        .unwrap_err();
    assert!(refused.is_unavailable(), "{refused:?}");
    let directory = Store::connect("sqlite:/", 1).await.unwrap_err();
    assert!(directory.is_unavailable(), "{directory:?}");
    on_each_database(|store| async move {
        store.close().await;
        assert!(store.ping().await.unwrap_err().is_unavailable());
    })
    .await;
}

#[tokio::test]
async fn unparsable_stored_value_names_its_table() {
    on_each_database(|store| async move {
        let run = claim(&store, DatasetKind::Snapshot, START).await;
        let sql = "update dataset set imported_at = 9223372036854775807 where connector = $1";
        crate::on!(&store.writes, |pool| sqlx::query(sql).bind(&run.connector).execute(pool).await.map(drop))
            .unwrap();
        let error = store.datasets().states().await.unwrap_err();
        assert!(matches!(&error, StoreError::Unreadable { table: "dataset", why } if why.contains("imported_at")));
        let error = store.companies().parts("10000001", []).await.unwrap_err();
        assert!(matches!(
            error,
            StoreError::Unreadable { table: "dataset", .. }
        ));
    })
    .await;
}

#[tokio::test]
async fn readers_of_sqlite_cannot_write() {
    let database = TestDatabase::sqlite();
    assert_eq!(database.kind(), DatabaseKind::Sqlite);
    let store = database.store().await;
    let written = crate::on!(&store.reads, |pool| sqlx::query("delete from lease")
        .execute(pool)
        .await
        .map(drop));
    assert!(written.is_err());
    store.close().await;
}

/// The error of opening a database: its text and its cause.
async fn refusal(url: &str) -> (String, Cause) {
    let error = Store::connect(url, 1).await.unwrap_err();
    let cause = error.cause().expect("the database is out of order");
    let mut said = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(inner) = source {
        said = format!("{said}: {inner}");
        source = inner.source();
    }
    assert!(!said.contains("geheim"), "{said}");
    (error.to_string(), cause)
}

/// A server that refuses TLS, answers the next message with these bytes, and closes. An HTTP server would answer at
/// once.
async fn answering(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut asked = [0; 1_024];
            let asked_for_tls = client.read(&mut asked).await.is_ok_and(|bytes| bytes == 8);
            if asked_for_tls && !answer.starts_with(b"HTTP") {
                drop(client.write_all(b"N").await);
                drop(client.read(&mut asked).await);
            }
            drop(client.write_all(&answer).await);
        }
    });
    format!("postgres://acme:geheim@{address}/lustra")
}

/// An error message of the `PostgreSQL` protocol.
fn refused_with(code: &str, words: &str) -> Vec<u8> {
    let fields = format!("SFATAL\0VFATAL\0C{code}\0M{words}\0\0");
    let length = u32::try_from(fields.len() + 4).unwrap();
    [b"E", &length.to_be_bytes()[..], fields.as_bytes()].concat()
}

#[tokio::test]
async fn failed_server_connection_reports_its_cause() {
    let (said, cause) = refusal("postgres://acme:geheim@127.0.0.1:1/lustra").await;
    assert_eq!(cause, Cause::Refused);
    assert_eq!(
        said,
        "the database postgres://acme@127.0.0.1:1/lustra cannot be opened: \
         nothing listens at its address (connection refused)"
    );
    let words = "password authentication failed for user \"acme\"";
    let url = answering(refused_with("28P01", words)).await;
    let (said, cause) = refusal(&url).await;
    assert_eq!(cause, Cause::Unauthenticated(words.to_owned()));
    assert!(said.ends_with(words), "{said}");
    let url = answering(refused_with("53300", "sorry, too many clients already")).await;
    assert_eq!(refusal(&url).await.1, Cause::Crowded);
    let (_, cause) = refusal(&answering(Vec::new()).await).await;
    assert_eq!(cause, Cause::Lost, "it accepts and closes");
    let (_, cause) = refusal(&answering(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()).await).await;
    assert!(matches!(cause, Cause::Foreign(_)), "{cause:?}");
    let url = answering(Vec::new()).await;
    for mode in ["require", "verify-full"] {
        let (said, cause) = refusal(&format!("{url}?sslmode={mode}")).await;
        assert_eq!(cause, Cause::NoTls, "{said}");
        assert!(said.contains("the server offers no TLS"), "{said}");
    }
}

/// Mode of the files that a start creates, and of what existed before.
#[cfg(unix)]
#[tokio::test]
async fn created_files_are_private_and_others_keep_their_mode() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let url = format!("sqlite:{}/lustra.db", data.display());
    let store = Store::connect(&url, 1).await.unwrap();
    assert_eq!(mode(&data), 0o700);
    let [main, credits] = Store::files(&url).unwrap();
    for entry in std::fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    store.close().await;
    let shared = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(&main, shared.clone()).unwrap();
    std::fs::set_permissions(&credits, shared).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o750)).unwrap();
    let store = Store::connect(&url, 1).await.unwrap();
    assert_eq!(
        (mode(&main), mode(&credits), mode(&data)),
        (0o640, 0o640, 0o750)
    );
    store.close().await;
}

#[tokio::test]
async fn missing_role_or_database_is_reported() {
    let Some(database) = TestDatabase::postgres().await else {
        return;
    };
    let mut url = url::Url::parse(database.url()).unwrap();
    url.set_path("/no_such_database");
    let (said, cause) = refusal(url.as_str()).await;
    assert!(matches!(cause, Cause::NoSuchDatabase(_)), "{cause:?}");
    assert!(said.contains("no_such_database"), "{said}");
    url.set_username("no_such_role").unwrap();
    let (said, cause) = refusal(url.as_str()).await;
    assert!(matches!(cause, Cause::Unauthenticated(_)), "{cause:?}");
    assert!(said.contains("no_such_role"), "{said}");
    database.remove().await;
}

#[tokio::test]
async fn read_only_server_is_reported() {
    let Some(database) = TestDatabase::postgres().await else {
        return;
    };
    let store = Store::connect(database.url(), 1).await.unwrap();
    let read_only = "set default_transaction_read_only = on";
    crate::on!(&store.writes, |pool| sqlx::raw_sql(read_only)
        .execute(pool)
        .await
        .map(drop))
    .unwrap();
    let taken = store.leases().acquire("x", "a", LEASE, START).await;
    let error = taken.unwrap_err();
    assert_eq!(error.cause(), Some(Cause::Standby), "{error}");
    assert!(error.is_unavailable());
    store.close().await;
    database.remove().await;
}

/// `.cargo/config.toml` says what each of them is for.
#[tokio::test]
async fn sqlite_is_compiled_with_the_flags_of_the_project() {
    let database = TestDatabase::sqlite();
    let store = database.store().await;
    let Either::Sqlite(pool) = &store.reads else {
        unreachable!("it is a file");
    };
    let options: Vec<String> = sqlx::query_scalar("pragma compile_options")
        .fetch_all(pool)
        .await
        .unwrap();
    let is_set = |option: &str| options.iter().any(|set| set == option);
    assert!(is_set("DEFAULT_MEMSTATUS=0"));
    assert!(is_set("ENABLE_QPSG"));
    assert!(!is_set("ENABLE_MEMORY_MANAGEMENT"));
    store.close().await;
}

#[tokio::test]
async fn failed_file_open_reports_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lustra.db");
    let url = format!("sqlite:{}", file.display());
    std::fs::write(
        &file,
        "this is a text, and long enough to be no database at all",
    )
    .unwrap();
    let (said, cause) = refusal(&url).await;
    assert_eq!(cause, Cause::NotADatabase, "{said}");
    assert!(said.contains(&file.display().to_string()), "{said}");
    std::fs::remove_file(&file).unwrap();
    let store = Store::connect(&url, 1).await.unwrap();
    store.close().await;
    let mut bytes = std::fs::read(&file).unwrap();
    for byte in &mut bytes[100..4_096] {
        *byte = 0xff;
    }
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(refusal(&url).await.1, Cause::Damaged);
    let below_a_file = format!("sqlite:{}/below/lustra.db", file.display());
    let (said, cause) = refusal(&below_a_file).await;
    assert!(matches!(cause, Cause::Unreachable(_)), "{said}");
}
