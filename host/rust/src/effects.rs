//! Performs what the core asks of the world.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::store::{Store, page_limit};
use crate::wire::{Completion, Effect, Entity, Error, Progress, Prompt, Reply, Request};

/// Whoever answers the effects of the core.
pub trait Perform: Send + 'static {
    fn perform(&mut self, request: &Request) -> Result<Reply, Error>;

    /// The options of a request that tell the core what there is to ask.
    fn options(&self) -> Value {
        json!({})
    }
}

type Complete = Box<dyn FnMut(&Prompt) -> Result<Completion, Error> + Send>;
/// Takes texts and a purpose, gives the embedder's name, the dimensions and the rows.
type Embed = Box<dyn FnMut(&[String], &str) -> Result<(String, usize, Vec<f32>), Error> + Send>;
type Tag = Box<dyn FnMut(&[String]) -> Result<Vec<Vec<Entity>>, Error> + Send>;
type OnProgress = Box<dyn FnMut(&Progress) -> Result<(), Error> + Send>;

/// What a host supplies. What is absent is answered with "unavailable".
#[derive(Default)]
pub struct World {
    pub store: Option<Box<dyn Store>>,
    pub complete: Option<Complete>,
    pub embed: Option<Embed>,
    pub tag: Option<Tag>,
    /// Is told how far long work has come; an error cancels it.
    pub progress: Option<OnProgress>,
    /// The banks that the caller may touch; none: all.
    pub banks: Option<BTreeSet<String>>,
}

impl World {
    pub fn new(store: impl Store + 'static) -> Self {
        Self { store: Some(Box::new(store)), ..Self::default() }
    }

    fn list(&self, after: &str, limit: usize) -> Result<(Vec<String>, bool), Error> {
        let store = given(&self.store)?;
        let Some(bound) = &self.banks else { return store.banks(after, limit) };
        let mut names = Vec::new();
        for name in bound.iter().filter(|n| n.as_str() > after) {
            if !store.get(name, &[])?.0.is_empty() {
                names.push(name.clone());
            }
        }
        let more = names.len() > page_limit(limit);
        names.truncate(page_limit(limit));
        Ok((names, more))
    }
}

impl Perform for World {
    fn perform(&mut self, r: &Request) -> Result<Reply, Error> {
        if self.banks.as_ref().is_some_and(|b| !r.bank.is_empty() && !b.contains(&r.bank)) {
            return Err(Error::new("forbidden", format!("{}: the caller may not touch this bank", r.op)));
        }
        let named = |e: Error| Error { message: format!("{}: {}", r.op, e.message), ..e };
        Ok(match &r.effect {
            Effect::Complete(prompts) => {
                let complete = given_mut(&mut self.complete).map_err(named)?;
                Reply::Completions(prompts.iter().map(complete).collect())
            }
            Effect::Embed { texts, purpose } => {
                let (model, dims, data) = given_mut(&mut self.embed).map_err(named)?(texts, purpose)?;
                if dims == 0 || data.len() != dims * texts.len() {
                    return Err(Error::new("embed_failed", format!("embed: {} numbers for {} texts", data.len(), texts.len())));
                }
                Reply::Vectors { model, dims, data }
            }
            Effect::Tag(texts) => Reply::Entities(given_mut(&mut self.tag).map_err(named)?(texts)?),
            Effect::Progress(p) => {
                if let Some(progress) = &mut self.progress {
                    progress(p)?;
                }
                Reply::Progress
            }
            Effect::Get(keys) => {
                let (version, values) = given(&self.store).map_err(named)?.get(&r.bank, keys)?;
                Reply::Values { version, values }
            }
            Effect::Scan { prefix, after, limit } => {
                let (version, page) = given(&self.store).map_err(named)?.scan(&r.bank, prefix, after, *limit)?;
                Reply::Entries { version, entries: page.entries, more: page.more }
            }
            Effect::Commit { expected, version, writes } => {
                let (ok, version) = given(&self.store).map_err(named)?.commit(&r.bank, expected, version, writes)?;
                Reply::Committed { version, conflict: !ok }
            }
            Effect::Banks { after, limit } => {
                let (names, more) = self.list(after, *limit)?;
                Reply::Banks { names, more }
            }
        })
    }

    fn options(&self) -> Value {
        let mut out = json!({ "llm": self.complete.is_some(), "tagger": self.tag.is_some() });
        if self.embed.is_some() {
            out["embedder"] = json!("host");
        }
        out
    }
}

fn given<T>(part: &Option<T>) -> Result<&T, Error> {
    part.as_ref().ok_or_else(unavailable)
}

fn given_mut<T>(part: &mut Option<T>) -> Result<&mut T, Error> {
    part.as_mut().ok_or_else(unavailable)
}

fn unavailable() -> Error {
    Error::new("unavailable", "the host supplies none")
}
