//! Message files, which the mailer writes if there is no mail server.

use std::path::Path;

use lustra_tests::World;

use super::{OCCASION, PLAIN, RECIPIENT, add, later, state};
use crate::faults_support::on_each_kind;

fn files(data: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(data.join("mail")).expect("the directory is there");
    entries
        .map(|entry| entry.expect("it can be listed").path())
        .collect()
}

#[tokio::test]
async fn without_a_server_messages_are_files() {
    let without = |kind| World::new().on(kind).nothing_imported().without_index();
    on_each_kind(without, async |world| {
        add(world, OCCASION, RECIPIENT).await;
        assert!(world.mail_step().await);
        assert!(!world.mail_step().await);
        let files = files(&world.config().data);
        let [file] = files.as_slice() else {
            panic!("one file: {files:?}");
        };
        let text = std::fs::read_to_string(file).expect("it is text");
        let stem = file.file_stem().and_then(std::ffi::OsStr::to_str);
        let stem = stem.expect("a name in ASCII");
        assert!(
            text.contains(&format!("Message-ID: <{stem}@localhost>\r\n")),
            "{text}"
        );
        assert!(file.extension().is_some_and(|extension| extension == "eml"));
        assert!(state(world, RECIPIENT).await.sent_at.is_some());
    })
    .await;
}

#[tokio::test]
async fn unwritable_message_file_is_retried() {
    let world = World::new()
        .nothing_imported()
        .without_index()
        .start()
        .await;
    let in_the_way = world.config().data.join("mail");
    std::fs::write(&in_the_way, "no directory").expect("a fresh folder");
    add(&world, OCCASION, PLAIN).await;
    assert!(world.mail_step().await);
    later(&world, PLAIN, 30..=72).await;
    std::fs::remove_file(&in_the_way).expect("it is there");
    world.advance(1);
    assert!(world.mail_step().await);
    assert_eq!(files(&world.config().data).len(), 1);
    world.end().await;
}
