//! leanmem, long-term memory for agents, under the Extism SDK for Rust: an
//! example to copy. `main.rs` shows its use.
//!
//! [`Memory`] runs leanmem.wasm, whose effects are host functions; [`Stepper`]
//! runs leanmem-step.wasm, which has none: it answers with the effects that it
//! wants and is handed their results.

mod blocking;
mod compiled;
mod effects;
mod step;
mod store;
mod wire;

pub use blocking::Memory;
pub use effects::{Perform, World};
pub use step::{Answer, Stepper};
pub use store::{MemoryStore, Page, Store, Values};
pub use wire::{Completion, Effect, Entity, Error, Progress, Prompt, Reply, Request, Write};

/// The version of the interface between a host and the core that this host speaks.
pub const ABI: &str = "1.0";
