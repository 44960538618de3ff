//! The compiled plugin, from which instances are started.

use extism::{CompiledPlugin, Plugin, PluginBuilder};

use crate::wire::Error;

/// Compiled once; an instance starts in milliseconds.
pub(crate) struct Compiled(CompiledPlugin);

// SAFETY: all that it holds can be sent, but for the handles of the host functions'
// data, of which Extism forgets the type. Here they are `Mutex<W>` with `W: Perform`,
// which is `Send`, or there are none.
unsafe impl Send for Compiled {}

impl Compiled {
    pub fn new(builder: PluginBuilder) -> Result<(Self, Plugin), extism::Error> {
        let compiled = builder.with_wasi(true).compile()?;
        let plugin = Plugin::new_from_compiled(&compiled)?;
        Ok((Self(compiled), plugin))
    }

    /// Starts a new instance.
    pub fn start(&self) -> Result<Plugin, Error> {
        Plugin::new_from_compiled(&self.0).map_err(|e| Error::new("internal", format!("start an instance: {e}")))
    }
}
