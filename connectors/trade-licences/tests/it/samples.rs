//! Recorded entities, if this machine has any. Each is readable or belongs to a register without trades.

use lustra_rpo_records::answers;
use lustra_rpo_records::live::Found;
use lustra_sdk::failure;
use lustra_sdk::testing::samples;
use lustra_trade_licences::section;
use serde_json::Value;

#[test]
fn recorded_entities_are_read() {
    for path in samples("rpo", ".json") {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let entity: Value = serde_json::from_str(&text).unwrap();
        let Some(id) = entity["id"].as_u64() else {
            continue;
        };
        let found = Found {
            record: answers::entity(&text, id).unwrap(),
            text,
            evidence: Vec::new(),
        };
        if let Err(failed) = section::trades(&found, "2026-10-01") {
            panic!("{}: {}", path.display(), failure::reason(&failed));
        }
    }
}
