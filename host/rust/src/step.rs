//! leanmem-step.wasm: no host functions. The plugin answers with the effects that
//! it wants; the host performs them as it likes and hands the results in. So an
//! instance is not held while a model thinks, and calls may interleave in it.

use extism::{Manifest, Plugin, PluginBuilder, Wasm};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::ABI;
use crate::blocking::{coded, filled};
use crate::compiled::Compiled;
use crate::effects::Perform;
use crate::wire::{Error, Reply, Request, Step, decode_answer, encode_step};

/// What a call comes to: effects to perform, or its result.
pub enum Answer {
    Want { flow: String, requests: Vec<Request> },
    Done(Box<RawValue>),
}

/// An instance of the step plugin.
pub struct Stepper {
    compiled: Compiled,
    plugin: Plugin,
}

impl Stepper {
    pub fn open(wasm: &[u8]) -> Result<Self, extism::Error> {
        let (compiled, plugin) = Compiled::new(PluginBuilder::new(Manifest::new([Wasm::data(wasm)])))?;
        Ok(Self { compiled, plugin })
    }

    /// Performs a verb from its begin to its end.
    pub fn call(&mut self, world: &mut impl Perform, verb: &str, request: Value) -> Result<Value, Error> {
        let request = to_raw_value(&filled(request, world.options())).expect("a value is JSON");
        let done = self.run(world, verb, &request)?;
        serde_json::from_str(done.get()).map_err(|e| Error::new("internal", format!("{verb}: decode the result: {e}")))
    }

    /// The same on a request as it stands.
    pub fn run(&mut self, world: &mut impl Perform, verb: &str, request: &RawValue) -> Result<Box<RawValue>, Error> {
        let mut answer = self.begin(verb, request)?;
        loop {
            match answer {
                Answer::Done(result) => return Ok(result),
                Answer::Want { flow, requests } => {
                    let replies: Vec<_> = requests.iter().map(|r| world.perform(r)).collect();
                    answer = self.resume(&flow, &replies)?;
                }
            }
        }
    }

    pub fn begin(&mut self, verb: &str, request: &RawValue) -> Result<Answer, Error> {
        self.step("begin", Step { abi: ABI, verb, request: Some(request), ..Step::default() }, &[])
    }

    /// Hands in the results of what a flow wanted, in order.
    pub fn resume(&mut self, flow: &str, replies: &[Result<Reply, Error>]) -> Result<Answer, Error> {
        self.step("resume", Step { flow, ..Step::default() }, replies)
    }

    /// Gives a flow up. It ends with the error "canceled", or is already gone.
    pub fn cancel(&mut self, flow: &str) {
        let _ = self.step("cancel", Step { flow, ..Step::default() }, &[]);
    }

    /// Replaces the instance; its flows are lost.
    pub fn renew(&mut self) -> Result<(), Error> {
        self.plugin = self.compiled.start()?;
        Ok(())
    }

    fn step(&mut self, export: &str, step: Step, replies: &[Result<Reply, Error>]) -> Result<Answer, Error> {
        let out = match self.plugin.call::<Vec<u8>, Vec<u8>>(export, encode_step(step, replies)) {
            Ok(out) => out,
            Err(e) => match coded(&e) {
                Some(error) => return Err(error),
                None => {
                    self.renew()?; // it trapped
                    let message = format!("{export}: the instance stopped; what it had written stands");
                    return Err(Error::new("internal", message).retryable());
                }
            },
        };
        let answer = decode_answer(&out)?;
        Ok(match answer.done {
            Some(result) => Answer::Done(result),
            None => Answer::Want { flow: answer.flow, requests: answer.want },
        })
    }
}
