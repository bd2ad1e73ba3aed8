//! Import runs over lists that are read whole.

use serde::{Deserialize, Serialize};

use crate::failure::list_changed;
use crate::{Batch, Failure, ImportRun, Item, Notes, fingerprint, to_json};

/// Number of records in a batch.
const BATCH: usize = 1_000;

/// The cursor: how far a run has come.
#[derive(Debug, Serialize, Deserialize)]
struct SnapshotCursor {
    /// Number of records returned so far.
    given: usize,
    /// Fingerprint of all records of the run.
    mark: String,
}

/// A run over the records of a whole list. It can be resumed behind any batch while the list is
/// unchanged.
#[derive(Debug)]
pub struct Snapshot {
    items: Vec<Item>,
    mark: String,
    notes: Notes,
    list_date: Option<String>,
    given: usize,
}

impl Snapshot {
    /// Creates a run that returns the records in key order. Identical records are returned once
    /// and counted as `repeated_rows`. `list_date` is the list's own date, `YYYY-MM-DD`.
    #[must_use]
    pub fn of(mut items: Vec<Item>, mut notes: Notes, list_date: Option<String>) -> Self {
        items.sort_by(|a, b| (&a.key, &a.content).cmp(&(&b.key, &b.content)));
        let before = items.len();
        items.dedup_by(|a, b| a.key == b.key && a.content == b.content);
        notes.count_many("repeated_rows", (before - items.len()) as u64);
        let mark = items.iter().fold(0, |mark, item| {
            let mark = fingerprint(mark, item.key.as_bytes());
            fingerprint(mark, item.content.as_bytes())
        });
        Self {
            items,
            mark: format!("{mark:016x}"),
            notes,
            list_date,
            given: 0,
        }
    }

    /// Opens the run from its start, or behind a cursor.
    ///
    /// # Errors
    /// [`list_changed`] if the cursor belongs to another list.
    pub fn open(mut self, cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
        if let Some(cursor) = cursor {
            let position: SnapshotCursor = serde_json::from_str(cursor).map_err(|error| {
                list_changed(format!("the cursor is not a cursor of it: {error}"))
            })?;
            if position.mark != self.mark || position.given > self.items.len() {
                return Err(list_changed(
                    "the list is not the one that the run was begun on",
                ));
            }
            self.given = position.given;
        }
        Ok(Box::new(self))
    }
}

impl ImportRun for Snapshot {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let rest = self.items.get(self.given..).unwrap_or_default();
        let items: Vec<Item> = rest.iter().take(BATCH).cloned().collect();
        if items.is_empty() {
            return Ok(None);
        }
        // Report the notes once, because the host adds up those of all batches.
        let notes = match self.given {
            0 => self.notes.fields(),
            _ => Vec::new(),
        };
        self.given += items.len();
        let position = SnapshotCursor {
            given: self.given,
            mark: self.mark.clone(),
        };
        Ok(Some(Batch {
            items,
            companies: Vec::new(),
            cursor: to_json(&position)?,
            list_date: self.list_date.clone(),
            progress: u16::try_from(self.given * 1_000 / self.items.len()).ok(),
            notes,
        }))
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]
mod tests {
    use super::*;
    use crate::records;

    fn run(count: usize) -> Snapshot {
        let of = |number: usize| records::item(format!("{number:05}"), None, &number).unwrap();
        let mut items: Vec<Item> = (0..count).rev().map(of).collect();
        items.push(of(0));
        Snapshot::of(items, Notes::default(), Some("2026-01-15".to_owned()))
    }

    #[test]
    fn a_run_goes_on_behind_any_batch() {
        let mut whole = run(2_500).open(None).unwrap();
        let mut keys = Vec::new();
        let mut cursors = Vec::new();
        while let Some(batch) = whole.next().unwrap() {
            keys.push(
                batch
                    .items
                    .iter()
                    .map(|item| item.key.clone())
                    .collect::<Vec<_>>(),
            );
            cursors.push(batch.cursor);
        }
        assert_eq!(
            keys.iter().map(Vec::len).collect::<Vec<_>>(),
            [1_000, 1_000, 500]
        );
        let mut rest = run(2_500).open(Some(&cursors[0])).unwrap();
        let second = rest.next().unwrap().unwrap();
        assert_eq!(second.items[0].key, keys[1][0]);
        assert!(
            second.notes.is_empty(),
            "they were said with the first batch"
        );
        let mut end = run(2_500).open(Some(&cursors[2])).unwrap();
        assert!(end.next().unwrap().is_none());
    }

    #[test]
    fn cursor_of_another_list_is_refused() {
        let batch = run(10).open(None).unwrap().next().unwrap().unwrap();
        assert_eq!(batch.notes[0].name, "repeated_rows");
        for (count, cursor) in [(11, batch.cursor.as_str()), (10, "7"), (10, "{}")] {
            let failure = run(count).open(Some(cursor)).err();
            assert!(matches!(failure, Some(Failure::Other((code, _))) if code == "list-changed"));
        }
    }
}
