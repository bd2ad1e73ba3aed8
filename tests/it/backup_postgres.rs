//! The commands of the guide *Backup and restore* for `PostgreSQL`: base backup, WAL archive and recovery to a moment.

use lustra_tests::lustra::store::testing::ArchivingServer;
use serde_json::json;

use crate::architecture::repository;
use crate::command_line::{Operator, json as only};

/// The fenced blocks of a language in the section *PostgreSQL* of the guide, with the paths of a server's folder.
fn blocks(language: &str) -> Vec<String> {
    let guide = repository().join("host/docs/backup.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let (_, section) = guide.split_once("## PostgreSQL").expect("a section");
    let (section, _) = section.split_once("\n## ").expect("more sections");
    let fence = format!("```{language}\n");
    let fenced = section.split(&fence).skip(1);
    let block = |rest: &str| rest.split("```").next().unwrap_or_default().to_owned();
    fenced.map(block).collect()
}

fn in_folder(block: &str) -> String {
    block
        .replace("/backup", "{folder}/backup")
        .replace("/var/lib/postgresql/17/main", "{folder}/cluster")
}

async fn grant(operator: &Operator, reference: &str) {
    let arguments = [
        "credit",
        "grant",
        "--account",
        "acme",
        "--credits",
        "5",
        "--reference",
        reference,
    ];
    operator.run(&arguments).await.printed();
}

#[tokio::test(flavor = "multi_thread")]
async fn recovery_to_a_moment_has_the_ledger_of_that_moment() {
    let configuration: String = blocks("ini").iter().map(|block| in_folder(block)).collect();
    let started = tokio::task::spawn_blocking(move || ArchivingServer::start(&configuration));
    let Some(server) = started.await.expect("starting does not panic") else {
        return;
    };
    let folder = server.folder().display().to_string();
    let [backup, restore] = &blocks("sh")[..] else {
        panic!("the guide has a block for the backup and one for the restore");
    };
    let script = |block: &str| in_folder(block).replace("{folder}", &folder);
    server.run(&format!("mkdir -p {folder}/backup/wal"));
    let operator = Operator::new().await;
    operator.configure_on(&server.url(), "[operator]\non = false\n");
    let created = operator.run(&["account", "create", "--name", "acme", "--plan", "free"]);
    created.await.printed();
    grant(&operator, "before the base backup").await;
    server.run(&script(backup));
    grant(&operator, "after the base backup").await;
    let said = operator
        .run(&["backup", "--output", &format!("{folder}/x.zip")])
        .await
        .refused();
    assert!(
        said.contains("pg_basebackup") && said.contains("secrets.key"),
        "{said}"
    );
    // The moment is the server's own time, to the microsecond.
    let moment = format!("{folder}/moment");
    server.run(&format!(
        "psql --dbname \"$DATABASE\" --no-psqlrc --tuples-only --no-align --command 'select clock_timestamp()' > {moment}"
    ));
    let moment = std::fs::read_to_string(moment).expect("it was just written");
    grant(&operator, "after the moment").await;
    // The last WAL reaches the archive, as it does within `archive_timeout`.
    server.run("psql --dbname \"$DATABASE\" --no-psqlrc --quiet --output /dev/null --command 'select pg_switch_wal()'");
    server.stop();
    let restore = script(restore).replace("2026-07-01 12:00:00+00", moment.trim());
    // The base backup of today is the only one.
    let restore = restore.replace("base-2026-06-28", "base-*");
    server.run(&restore);
    server.start_again();
    // Recovery ends before the server accepts writes.
    server.run(
        "for i in $(seq 600); do \
         test \"$(psql --dbname \"$DATABASE\" --no-psqlrc -At --command 'select pg_is_in_recovery()')\" = f && exit 0; \
         sleep 0.05; done; exit 1",
    );
    let verified = operator
        .run(&["ledger", "verify", "--json"])
        .await
        .printed();
    let verified = only(&verified);
    assert_eq!(verified["mistakes"], json!([]));
    let exported = operator
        .run(&["ledger", "export", "--account", "acme"])
        .await
        .printed();
    for (reference, is_there) in [
        ("before the base backup", true),
        ("after the base backup", true),
        ("after the moment", false),
    ] {
        assert_eq!(
            exported.contains(reference),
            is_there,
            "{reference}:\n{exported}"
        );
    }
    // The recovered store is in use again.
    grant(&operator, "after the recovery").await;
    server.stop();
}
