//! Remembers a dialogue and asks about it:
//!
//!     cargo run -- ../../dist/leanmem.wasm

use std::error::Error;

use leanmem_host::{Memory, MemoryStore, World};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: leanmem-host path/to/leanmem.wasm")?;
    let mut memory = Memory::open(&std::fs::read(path)?, World::new(MemoryStore::default()))?;
    let now = "2026-05-05T12:00:00Z"; // the core has no clock: give it yours
    let turns = json!([
        {"id": "1", "speaker": "Ana", "time": "2026-05-04T09:00:00Z", "text": "I moved to Lisbon last week."},
        {"id": "2", "speaker": "Ben", "time": "2026-05-04T09:01:00Z", "text": "How exciting! What took you there?"},
        {"id": "3", "speaker": "Ana", "time": "2026-05-04T09:02:00Z", "text": "A new job at the aquarium."},
    ]);
    let sessions = json!([{"id": "monday", "close": true, "turns": turns}]);
    let added = memory.call("add", json!({"bank": "ana", "now": now, "sessions": sessions}))?;
    println!("added {} turns", added["added"]);
    let found = memory.call("search", json!({"bank": "ana", "now": now, "query": "Where does Ana live?"}))?;
    println!("{}", found["evidence"].as_str().unwrap_or_default());
    Ok(())
}
