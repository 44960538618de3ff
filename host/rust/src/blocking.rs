//! leanmem.wasm: effects are host functions, which block.

use std::sync::{Arc, Mutex};

use extism::{CurrentPlugin, EXTISM_USER_MODULE, Manifest, PTR, Plugin, PluginBuilder, UserData, Val, Wasm};
use serde_json::{Value, json};

use crate::ABI;
use crate::compiled::Compiled;
use crate::effects::Perform;
use crate::wire::{Error, decode_request, encode_reply};

const EFFECTS: [&str; 8] = ["llm_complete", "embed", "tag", "store_get", "store_scan", "store_commit", "store_banks", "progress"];

/// A guest written in Go never gives memory back: after a message of this many
/// bytes its instance is replaced.
const LARGE: usize = 4 << 20;

/// Long-term memory over a world. One instance serves one call at a time, which
/// `&mut self` holds; a service opens one for each of its workers.
pub struct Memory<W> {
    compiled: Compiled,
    plugin: Plugin,
    world: Arc<Mutex<W>>,
}

impl<W: Perform> Memory<W> {
    /// Compiles leanmem.wasm, which takes seconds the first time; the result is
    /// kept on disk.
    pub fn open(wasm: &[u8], world: W) -> Result<Self, extism::Error> {
        let data = UserData::new(world);
        let world = data.get()?;
        let mut builder = PluginBuilder::new(Manifest::new([Wasm::data(wasm)]));
        for op in EFFECTS {
            builder = builder.with_function_in_namespace(EXTISM_USER_MODULE, op, [PTR], [PTR], data.clone(), answer);
        }
        let (compiled, plugin) = Compiled::new(builder)?;
        Ok(Self { compiled, plugin, world })
    }

    /// Performs a verb. `request` holds its fields; those that every request
    /// carries are filled in, but for `now`.
    pub fn call(&mut self, verb: &str, request: Value) -> Result<Value, Error> {
        let options = self.world.lock().expect("the world is whole").options();
        let out = self.send(verb, &serde_json::to_vec(&filled(request, options)).expect("a value is JSON"))?;
        serde_json::from_slice(&out).map_err(|e| Error::new("internal", format!("{verb}: decode the result: {e}")))
    }

    /// Performs a verb on a request and gives its result, both JSON.
    pub fn send(&mut self, verb: &str, request: &[u8]) -> Result<Vec<u8>, Error> {
        if !self.plugin.function_exists(verb) {
            return Err(Error::new("unknown_verb", format!("call {verb:?}: not a verb")));
        }
        match self.plugin.call::<&[u8], Vec<u8>>(verb, request) {
            Ok(out) => {
                if request.len() + out.len() > LARGE {
                    self.renew()?;
                }
                Ok(out)
            }
            Err(e) => Err(match coded(&e) {
                Some(error) => error,
                None => {
                    self.renew()?; // it trapped: the instance is spoilt
                    Error::new("internal", format!("{verb}: the instance stopped; what it had written stands")).retryable()
                }
            }),
        }
    }

    /// Replaces the instance.
    pub fn renew(&mut self) -> Result<(), Error> {
        self.plugin = self.compiled.start()?;
        Ok(())
    }

    pub fn world(&self) -> Arc<Mutex<W>> {
        self.world.clone()
    }
}

/// The host function of every effect: a request in wire form in, its reply out.
fn answer<W: Perform>(
    plugin: &mut CurrentPlugin,
    inputs: &[Val],
    outputs: &mut [Val],
    world: UserData<W>,
) -> Result<(), extism::Error> {
    let message: Vec<u8> = plugin.memory_get_val(&inputs[0])?;
    let world = world.get()?;
    let reply = match world.lock() {
        Ok(mut world) => decode_request(&message).and_then(|r| world.perform(&r)),
        Err(_) => Err(Error::new("internal", "an earlier effect panicked")),
    };
    plugin.memory_set_val(&mut outputs[0], encode_reply(&reply))
}

/// Fills in what every request carries.
pub(crate) fn filled(mut request: Value, options: Value) -> Value {
    if let (Some(fields), Value::Object(options)) = (request.as_object_mut(), options) {
        fields.entry("abi").or_insert(json!(ABI));
        if let Some(own) = fields.entry("options").or_insert(json!({})).as_object_mut() {
            for (name, value) in options {
                own.entry(name).or_insert(value);
            }
        }
    }
    request
}

/// The error that the plugin set; none when it trapped.
pub(crate) fn coded(e: &extism::Error) -> Option<Error> {
    serde_json::from_str(&e.to_string()).ok()
}
