//! Reads and replays the transcripts of testdata/flows; their README.md describes
//! the form.

mod write;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use leanmem_host::{Completion, Effect, Error, Memory, MemoryStore, Perform, Prompt, Reply, Request, Stepper, World};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of all transcripts.
pub fn names() -> Vec<String> {
    let entries = fs::read_dir(root().join("testdata/flows")).expect("there are transcripts");
    let mut names: Vec<String> =
        entries.filter_map(|e| Some(e.ok()?.file_name().to_str()?.strip_suffix(".txt")?.to_string())).collect();
    names.sort();
    names
}

/// One call, with the script above it and the output below.
pub struct Call {
    pub verb: String,
    pub brief: bool,
    pub request: Map<String, Value>,
    pub script: Vec<Line>,
    pub output: String,
}

/// What the world answers once instead of its own reply.
#[derive(Clone)]
pub struct Line {
    op: String,
    text: String,
    after: usize,
    finish: String,
    error: Option<Error>,
}

pub fn read(name: &str) -> Vec<Call> {
    let text = fs::read_to_string(root().join(format!("testdata/flows/{name}.txt"))).expect("a transcript");
    let (mut calls, mut defaults, mut script) = (Vec::<Call>::new(), Map::new(), Vec::<Line>::new());
    for line in text.lines() {
        let rest = line.get(2..).unwrap_or_default();
        match line.bytes().next() {
            None | Some(b'#') => {}
            Some(b'?' | b'=' | b'<' | b'!' | b' ' | b'}') => {
                let output = &mut calls.last_mut().expect("a call above its output").output;
                output.push_str(line);
                output.push('\n');
            }
            Some(b'@') => defaults = serde_json::from_str(rest).expect("defaults"),
            Some(b'%') => script.push(read_line(rest)),
            Some(b'|') => {
                let text = &mut script.last_mut().expect("a script line above its text").text;
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(rest);
            }
            Some(b'>') => {
                let brief = line.starts_with(">>");
                let (verb, own) =
                    line.trim_start_matches('>').trim().split_once(' ').unwrap_or((line.trim_start_matches('>').trim(), "{}"));
                let mut request = defaults.clone();
                request.extend(serde_json::from_str::<Map<String, Value>>(own).expect("a request"));
                calls.push(Call { verb: verb.into(), brief, request, script: std::mem::take(&mut script), output: String::new() });
            }
            Some(c) => panic!("{name}: a line begins with {:?}", c as char),
        }
    }
    calls
}

fn read_line(line: &str) -> Line {
    let (fields, failure) = line.split_once(" error ").map_or((line, None), |(f, e)| (f, Some(e)));
    let mut fields = fields.split_whitespace();
    let mut out = Line {
        op: fields.next().unwrap_or_default().into(),
        text: String::new(),
        after: 0,
        finish: "stop".into(),
        error: failure.map(|e| serde_json::from_str(e).expect("an error")),
    };
    for field in fields {
        match field.split_once('=') {
            Some(("after", n)) => out.after = n.parse().expect("a number"),
            Some(("finish", word)) => out.finish = word.into(),
            _ => panic!("unknown setting {field:?}"),
        }
    }
    out
}

/// Replaces "@…" by turns of a dialogue and "$…" by part of an earlier result.
fn expand(value: &Value, results: &HashMap<String, Value>) -> Value {
    match value {
        Value::Object(fields) => fields.iter().map(|(k, v)| (k.clone(), expand(v, results))).collect::<Map<_, _>>().into(),
        Value::Array(list) => list.iter().map(|v| expand(v, results)).collect(),
        Value::String(s) if s.starts_with('@') => excerpt(&s[1..]),
        Value::String(s) if s.starts_with('$') => {
            let mut parts = s[1..].split('.');
            let first = &results[parts.next().unwrap_or_default()];
            parts.fold(first, |at, p| p.parse::<usize>().map_or_else(|_| &at[p], |i| &at[i])).clone()
        }
        other => other.clone(),
    }
}

/// Turns of a dialogue as sessions: whole ones are closed, of a run of turns they stay open.
pub fn excerpt(what: &str) -> Value {
    let (what, session) = what.split_once('#').map_or((what, None), |(w, s)| (w, Some(s)));
    let (name, run) = what.split_once('/').map_or((what, None), |(n, r)| (n, Some(r)));
    let (first, last) = run.map_or(("", ""), |r| r.split_once("..").unwrap_or((r, r)));
    let text = fs::read_to_string(root().join(format!("testdata/dialogues/{name}.jsonl"))).expect("a dialogue");
    let (mut sessions, mut within) = (Vec::<Value>::new(), false);
    for line in text.lines() {
        let mut turn: Map<String, Value> = serde_json::from_str(line).expect("a turn");
        let id = turn.shift_remove("session").expect("a session");
        within |= turn["id"] == first;
        if run.is_some() && !within || session.is_some_and(|s| id != s) {
            continue;
        }
        within &= turn["id"] != last;
        if sessions.last().is_none_or(|s| s["id"] != id) {
            let mut s = json!({ "id": id, "turns": [] });
            if run.is_none() {
                s["close"] = json!(true);
            }
            sessions.push(s);
        }
        let turns = sessions.last_mut().and_then(|s| s["turns"].as_array_mut()).expect("turns");
        turns.push(turn.into());
    }
    sessions.into()
}

/// The world behind a transcript: an empty store, and models that follow the script.
pub struct Transcript {
    world: World,
    script: Vec<Line>,
    seen: HashMap<String, usize>,
    out: String,
    results: HashMap<String, Value>,
}

impl Default for Transcript {
    fn default() -> Self {
        let world = World::new(MemoryStore::default());
        Self { world, script: vec![], seen: HashMap::new(), out: String::new(), results: HashMap::new() }
    }
}

impl Transcript {
    fn begin(&mut self, call: &Call) -> String {
        (self.script, self.seen, self.out) = (call.script.clone(), HashMap::new(), String::new());
        expand(&Value::Object(call.request.clone()), &self.results).to_string()
    }

    fn end(&mut self, call: &Call, result: Result<String, Error>) -> String {
        if let Some(line) = self.script.first() {
            panic!("{}: the script line for {} was not used", call.verb, line.op);
        }
        write::result(&mut self.out, &result, call.brief);
        if let Ok(result) = result {
            self.results.insert(call.verb.clone(), serde_json::from_str(&result).expect("a result"));
        }
        std::mem::take(&mut self.out)
    }

    fn answer(&mut self, r: &Request) -> Result<Reply, Error> {
        let n = self.seen.entry(r.op.clone()).and_modify(|n| *n += 1).or_insert(0);
        if let Some(at) = self.script.iter().position(|l| l.op == r.op && l.error.is_some() && l.after == *n) {
            return Err(self.script.remove(at).error.expect("an error"));
        }
        match &r.effect {
            Effect::Complete(prompts) => Ok(Reply::Completions(prompts.iter().map(|p| self.complete(p)).collect())),
            Effect::Embed { texts, .. } => Ok(lengths(texts)),
            _ => self.world.perform(r),
        }
    }

    fn complete(&mut self, p: &Prompt) -> Result<Completion, Error> {
        let Some(at) = self.script.iter().position(|l| l.op == p.stage) else {
            return Err(Error::new("model_failed", format!("the script has no reply for stage {}", p.stage)));
        };
        let line = self.script.remove(at);
        line.error.map_or(Ok(Completion { text: line.text, finish: line.finish, ..Completion::default() }), Err)
    }
}

impl Perform for Transcript {
    fn perform(&mut self, request: &Request) -> Result<Reply, Error> {
        write::request(&mut self.out, request);
        let reply = self.answer(request);
        write::reply(&mut self.out, request, &reply);
        reply
    }
}

/// Points each text in the direction of its number of bytes modulo 8.
fn lengths(texts: &[String]) -> Reply {
    let data = texts.iter().flat_map(|t| (0..8).map(|i| f32::from(t.len() % 8 == i))).collect();
    Reply::Vectors { model: "lengths".into(), dims: 8, data }
}

/// An artefact with the world of a transcript.
pub trait Engine {
    /// Performs a call and gives what it makes; none for a verb without an export.
    fn call(&mut self, call: &Call) -> Option<String>;
    fn renew(&mut self);
}

impl Engine for Memory<Transcript> {
    fn call(&mut self, call: &Call) -> Option<String> {
        let world = self.world();
        let request = world.lock().unwrap().begin(call);
        let result = self.send(&call.verb, request.as_bytes());
        if call.verb == "fly" && result.is_err() {
            return None;
        }
        let result = result.map(|out| String::from_utf8(out).expect("a result is text"));
        Some(world.lock().unwrap().end(call, result))
    }

    fn renew(&mut self) {
        Memory::renew(self).expect("an instance");
    }
}

pub struct Stepping(pub Stepper, pub Transcript);

impl Engine for Stepping {
    fn call(&mut self, call: &Call) -> Option<String> {
        let request = RawValue::from_string(self.1.begin(call)).expect("a request");
        let result = self.0.run(&mut self.1, &call.verb, &request);
        Some(self.1.end(call, result.map(|r| r.get().to_string())))
    }

    fn renew(&mut self) {
        self.0.renew().expect("an instance");
    }
}

/// What remains of an output when it does not matter how much was loaded.
pub fn outcome(output: &str) -> &str {
    let marks = ["\n< ", "\n! "];
    marks.iter().filter_map(|m| output.rfind(m)).max().map_or(output, |at| &output[at + 1..])
}
