use lustra_store::testing::connector_id;

use super::*;

/// A directory that is deleted when it is dropped, and what it holds.
struct Kept(tempfile::TempDir);

impl Kept {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder of our own"))
    }

    /// Opens it as a start does.
    fn open(&self) -> LastKnownGood {
        LastKnownGood::open(self.0.path().join("kept"))
    }

    /// Two versions of a connector served, and an operator rolled the newer one back.
    fn with_held_version(&self, id: &ConnectorId) -> LastKnownGood {
        let kept = self.open();
        for digest in ["one", "two"] {
            kept.put(id, Path::new("x.wasm"), digest, digest.as_bytes());
        }
        kept.hold(id, "two", "it is wrong").expect("it is written");
        kept
    }
}

#[test]
fn hold_outlives_other_rollbacks_and_deletion() {
    let (directory, id) = (Kept::new(), connector_id("x"));
    let kept = directory.with_held_version(&id);
    kept.put(&id, Path::new("x.wasm"), "three", b"three");
    kept.roll_back(&id, "three", "it failed");
    kept.forget(&id);
    for kept in [kept, directory.open()] {
        assert!(kept.is_held(&id, "two"));
        let why = kept.why_rolled_back(&id, "two");
        assert_eq!(why.as_deref(), Some("it is wrong"));
        assert_eq!(kept.why_rolled_back(&id, "three"), None, "it was deleted");
        let good = kept.record(&id).expect("it stays").good;
        assert_eq!(good, ["one"], "it serves when the held one is back");
        assert!(kept.has(&id, "one") && !kept.has(&id, "two"));
    }
}

#[test]
fn release_ends_one_hold_or_all() {
    let (directory, id) = (Kept::new(), connector_id("x"));
    let kept = directory.with_held_version(&id);
    kept.hold(&id, "one", "too").expect("it is written");
    assert!(kept.release(&id, Some("one")));
    assert!(!kept.is_held(&id, "one") && kept.is_held(&id, "two"));
    assert!(kept.release(&id, Some("three")), "it is not held itself");
    assert!(!kept.is_held(&id, "two"));
    assert!(!kept.release(&id, None), "none is left");
    assert!(!directory.open().is_held(&id, "two"));
    kept.forget(&id);
    assert!(kept.record(&id).is_none());
}

#[test]
fn hold_that_cannot_be_written_changes_nothing() {
    let (directory, id) = (Kept::new(), connector_id("x"));
    let kept = directory.with_held_version(&id);
    let path = directory.0.path().join("kept");
    std::fs::remove_dir_all(&path).expect("it is there");
    std::fs::write(&path, b"in the way").expect("a folder of our own");
    let refused = kept.hold(&id, "one", "too");
    assert!(matches!(refused, Err(HoldError::NotWritten(_))));
    assert!(!kept.is_held(&id, "one") && kept.is_held(&id, "two"));
    assert_eq!(kept.record(&id).expect("it stays").good, ["one"]);
}

#[test]
fn held_versions_are_bounded() {
    let (directory, id) = (Kept::new(), connector_id("x"));
    let kept = directory.open();
    for digest in 0..MAX_HELD {
        let held = kept.hold(&id, &digest.to_string(), "it is wrong");
        held.expect("it is written");
    }
    let refused = kept.hold(&id, "more", "too");
    assert!(matches!(refused, Err(HoldError::TooMany)));
    kept.hold(&id, "0", "once more")
        .expect("it is held already");
}

#[test]
fn index_of_earlier_program_keeps_its_hold() {
    let (directory, id) = (Kept::new(), connector_id("x"));
    let path = directory.0.path().join("kept");
    std::fs::create_dir(&path).expect("a folder of our own");
    let index = r#"{
        "x": {"file": "x.wasm", "good": ["one"], "taken_back": ["two", "it is wrong"], "held": true},
        "y": {"file": "y.wasm", "good": ["one"], "taken_back": ["two", "it failed"], "held": false},
        "z": {"file": "z.wasm", "good": ["one"]}
    }"#;
    std::fs::write(path.join("index.json"), index).expect("a folder of our own");
    let kept = directory.open();
    kept.roll_back(&id, "three", "it failed");
    for kept in [kept, directory.open()] {
        let (y, z) = (connector_id("y"), connector_id("z"));
        assert!(kept.is_held(&id, "two"));
        assert!(!kept.is_held(&y, "two"));
        assert!(kept.why_rolled_back(&id, "three").is_some());
        assert!(kept.why_rolled_back(&y, "two").is_some());
        assert_eq!(kept.why_rolled_back(&z, "two"), None);
    }
}
