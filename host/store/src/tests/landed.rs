//! Released migrations are never edited: stores that applied them keep their checksums.

use std::collections::BTreeSet;

use crate::migrations;

/// Folder, name and SHA-384 of every released migration. A new migration adds a line; existing lines never change.
const LANDED: &str = include_str!("landed.txt");

#[test]
fn released_migrations_are_unchanged() {
    let mut found = BTreeSet::new();
    for (folder, migrator) in [
        ("postgres", migrations::of_postgres()),
        ("sqlite", migrations::of_sqlite()),
        ("sqlite-billing", migrations::of_sqlite_billing()),
    ] {
        for migration in migrator.iter() {
            let name = migration.description.replace(' ', "_");
            let checksum: Vec<String> = migration
                .checksum
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let (version, checksum) = (migration.version, checksum.concat());
            found.insert(format!("{folder}/{version:04}_{name} {checksum}"));
        }
    }
    let landed: BTreeSet<String> = LANDED.lines().map(str::to_owned).collect();
    let edited: Vec<&String> = landed.difference(&found).collect();
    assert!(edited.is_empty(), "edited or gone: {edited:#?}");
    let new: Vec<&String> = found.difference(&landed).collect();
    assert!(new.is_empty(), "new; add to landed.txt: {new:#?}");
}
