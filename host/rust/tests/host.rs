//! The one test binary: linking the runtime takes longer than the tests.

mod flows;

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use flows::{Engine, Stepping, Transcript, excerpt, names, outcome, read, root};
use leanmem_host::{Answer, Error, Memory, MemoryStore, Page, Stepper, Store, Values, World, Write};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

const NOW: &str = "2025-10-01T12:00:00Z";

/// An artefact that ./build.sh build made.
fn artefact(name: &str) -> Vec<u8> {
    // One at a time: the first to compile it leaves it to the others on disk.
    static COMPILED: Mutex<()> = Mutex::new(());
    let _one = COMPILED.lock().unwrap_or_else(|e| e.into_inner());
    let wasm = fs::read(root().join("dist").join(name)).unwrap_or_else(|e| panic!("dist/{name}: {e}; run ./build.sh build"));
    if name == "leanmem.wasm" {
        Memory::open(&wasm, World::default()).expect("it opens");
    } else {
        Stepper::open(&wasm).expect("it opens");
    }
    wasm
}

fn memory(world: World) -> Memory<World> {
    Memory::open(&artefact("leanmem.wasm"), world).expect("it opens")
}

fn session(id: &str, text: &str) -> Value {
    json!([{"id": id, "close": true, "turns": [{"id": id, "speaker": "Ana", "time": "2025-09-01T09:00:00Z", "text": text}]}])
}

/// Replays cold, every call on a new instance, every byte; then warm, every result.
fn replay(name: &str, mut cold: impl Engine, mut warm: impl Engine) {
    for call in read(name) {
        cold.renew();
        let about = format!("{name}: {} {}", call.verb, Value::Object(call.request.clone()));
        let Some(made) = cold.call(&call) else { continue };
        assert!(made == call.output, "{about:.300}\nmade:\n{made}\nwant:\n{}", call.output);
        let made = warm.call(&call).expect("it has the export");
        assert_eq!(outcome(&made), outcome(&call.output), "warm {about:.300}");
    }
}

#[test]
fn transcripts_are_replayed_by_the_blocking_plugin() {
    let open = || Memory::open(&artefact("leanmem.wasm"), Transcript::default()).expect("it opens");
    assert!(!names().is_empty());
    for name in names() {
        replay(&name, open(), open());
    }
}

#[test]
fn transcripts_are_replayed_by_the_step_plugin() {
    let open = || Stepping(Stepper::open(&artefact("leanmem-step.wasm")).expect("it opens"), Transcript::default());
    for name in names() {
        replay(&name, open(), open());
    }
}

#[test]
fn errors_have_codes_and_cost_no_instance() {
    let mut m = memory(World::new(MemoryStore::default()));
    let long = format!("{{\"text\":\"{}\"}}", "long ".repeat(2 << 20));
    for (verb, request, code) in [
        ("search", &b""[..], "invalid_json"),
        ("search", br#"{"bank":"#, "invalid_json"),
        ("search", br#"{"bank":7}"#, "invalid_argument"),
        ("search", b"{\"bank\":\"\xff\"}", "invalid_argument"),
        ("search", br#"{"bank":"a","abi":"2.0"}"#, "unsupported_abi"),
        ("stats", br#"{"bank":"a","now":"2026-05-04T09:00:00Z"}"#, "bank_not_found"),
        ("add", long.as_bytes(), "invalid_argument"),
        ("fly", b"{}", "unknown_verb"),
    ] {
        assert_eq!(m.send(verb, request).expect_err(verb).code, code);
        assert_eq!(m.call("version", json!({})).expect("it goes on")["abi"], "1.0");
    }
    let e = memory(World::default()).call("search", json!({"bank": "a", "now": NOW, "query": "x"})).expect_err("there is no store");
    assert_eq!(e.code, "unavailable");
}

#[test]
fn banks_are_isolated() {
    let store = MemoryStore::default();
    let mut all = memory(World::new(store.clone()));
    for (bank, town) in [("ana", "Lisbon"), ("ben", "Oslo")] {
        all.call("add", json!({"bank": bank, "now": NOW, "sessions": session("s", &format!("I live in {town}."))})).expect("added");
    }
    let mut one = memory(World { banks: Some(["ben".to_string(), "never".to_string()].into()), ..World::new(store) });
    let search = |bank: &str| json!({"bank": bank, "now": NOW, "query": "Where do I live?"});
    assert_eq!(one.call("search", search("ana")).expect_err("not theirs").code, "forbidden");
    assert_eq!(one.call("banks", json!({"now": NOW})).expect("listed")["banks"], json!(["ben"]));
    let found = one.call("search", search("ben")).expect("found");
    assert!(found["evidence"].as_str().is_some_and(|e| e.contains("Oslo") && !e.contains("Lisbon")));
}

/// A store of which every commit after the first `left` fails.
struct Failing(MemoryStore, AtomicUsize);

impl Store for Failing {
    fn get(&self, bank: &str, keys: &[Vec<u8>]) -> Result<Values, Error> {
        self.0.get(bank, keys)
    }
    fn scan(&self, bank: &str, prefix: &[u8], after: &[u8], limit: usize) -> Result<(String, Page), Error> {
        self.0.scan(bank, prefix, after, limit)
    }
    fn banks(&self, after: &str, limit: usize) -> Result<(Vec<String>, bool), Error> {
        self.0.banks(after, limit)
    }
    fn commit(&self, bank: &str, expected: &str, version: &str, writes: &[Write]) -> Result<(bool, String), Error> {
        let left = self.1.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        left.map_err(|_| Error::new("store_failed", "commit: no route to host").retryable())?;
        self.0.commit(bank, expected, version, writes)
    }
}

#[test]
fn a_store_that_fails_leaves_nothing_half_written() {
    let add = || json!({"bank": "b", "now": NOW, "sessions": excerpt("thread")});
    let export = |m: &mut Memory<World>| m.call("export", json!({"bank": "b", "now": NOW})).expect("exported")["lines"].take();
    let mut whole = memory(World::new(MemoryStore::default()));
    whole.call("add", add()).expect("added");
    let store = MemoryStore::default();
    for commits in 0..4 {
        let mut m = memory(World::new(Failing(store.clone(), AtomicUsize::new(commits))));
        if let Err(e) = m.call("add", add()) {
            assert_eq!(e.code, "store_failed");
        }
    }
    let mut m = memory(World::new(store));
    m.call("add", add()).expect("added");
    m.call("flush", json!({"bank": "b", "now": NOW})).expect("flushed");
    assert_eq!(export(&mut m), export(&mut whole));
}

#[test]
fn writers_of_one_bank_lose_nothing() {
    let store = MemoryStore::default();
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let mut m = memory(World::new(store.clone()));
            scope.spawn(move || {
                for n in 0..10 {
                    let sessions = session(&format!("{writer}-{n}"), &format!("Note {n} of writer {writer} is about gardens."));
                    m.call("add", json!({"bank": "b", "now": NOW, "sessions": sessions})).expect("added");
                }
            });
        }
    });
    let stats = memory(World::new(store)).call("stats", json!({"bank": "b", "now": NOW})).expect("counted");
    assert_eq!(stats["counts"]["turn"], 20);
}

#[test]
fn progress_may_cancel() {
    let stop = Box::new(|_: &leanmem_host::Progress| Err(Error::new("canceled", "enough")));
    let mut m = memory(World { progress: Some(stop), ..World::new(MemoryStore::default()) });
    let e = m.call("add", json!({"bank": "b", "now": NOW, "sessions": excerpt("friends")})).expect_err("cancelled");
    assert_eq!(e.code, "canceled");
}

#[test]
fn flows_interleave_and_are_cancelled() {
    let mut stepper = Stepper::open(&artefact("leanmem-step.wasm")).expect("it opens");
    let mut world = World::new(MemoryStore::default());
    let request = to_raw_value(&json!({"bank": "b", "now": NOW, "query": "x"})).expect("JSON");
    let mut open = Vec::new();
    for _ in 0..200 {
        match stepper.begin("search", &request).expect("it begins") {
            Answer::Want { flow, requests } => open.push((flow, requests)),
            Answer::Done(_) => panic!("it asked nobody"),
        }
        // Another call runs from its begin to its end while these wait.
        if open.len() == 5 {
            stepper.call(&mut world, "version", json!({})).expect("it runs");
            open.drain(..).for_each(|(flow, _)| stepper.cancel(&flow));
        }
    }
    let e = stepper.resume("never", &[]).err().expect("there is no such flow");
    assert_eq!(e.code, "unknown_flow");
}

#[test]
fn the_store_keeps_its_contract() {
    let store = MemoryStore::default();
    let put = |k: &[u8], v: &[u8]| Write { key: k.into(), value: Some(v.into()) };
    let del = |k: &[u8]| Write { key: k.into(), value: None };
    let ok = |v: &str| Ok((true, v.to_string()));
    let conflict = |v: &str| Ok((false, v.to_string()));
    assert_eq!(store.commit("b", "v1", "v2", &[put(b"k", b"x")]), conflict(""));
    assert_eq!(store.commit("b", "", "v1", &[put(b"a", b""), put(b"a\xff", b"2"), put(b"b", b"3"), put(b"\xff", b"4")]), ok("v1"));
    assert_eq!(store.commit("b", "", "v2", &[put(b"k", b"x")]), conflict("v1"));
    for writes in [vec![put(b"", b"")], vec![put(b"k", b""), del(b"k")]] {
        assert_eq!(store.commit("b", "v1", "v2", &writes).expect_err("refused").code, "invalid_argument");
    }
    let (version, values) = store.get("b", &[b"a".to_vec(), b"none".to_vec()]).expect("read");
    assert_eq!((version.as_str(), values), ("v1", vec![Some(vec![]), None]));
    let (_, page) = store.scan("b", b"a", b"", 1).expect("read");
    assert_eq!((page.entries.len(), page.more), (1, true));
    let (_, page) = store.scan("b", b"a", b"a", 0).expect("read");
    assert_eq!(page, Page { entries: vec![(b"a\xff".to_vec(), b"2".to_vec())], more: false });
    assert_eq!(store.commit("a\0", "", "w", &[]), ok("w"));
    assert_eq!(store.banks("", 1), Ok((vec!["a\0".into()], true)));
    assert_eq!(store.commit("b", "v1", "", &[]), ok(""));
    assert_eq!(store.banks("", 0), Ok((vec!["a\0".into()], false)));
    assert_eq!(store.get("b", &[b"a".to_vec()]).expect("read").1, vec![None]);
}

/// XDG_CACHE_HOME=$(mktemp -d) cargo test -- --ignored --nocapture
#[test]
#[ignore = "measures what the table of hosts tells"]
fn figures() {
    let wasm = |name: &str| fs::read(root().join("dist").join(name)).expect("it is built");
    let world = || World::new(MemoryStore::default());
    let (blocking, step) = (wasm("leanmem.wasm"), wasm("leanmem-step.wasm"));
    measure("leanmem.wasm", || {
        let mut memory = Memory::open(&blocking, world()).expect("it opens");
        move |verb: &str, request| drop(memory.call(verb, request))
    });
    measure("leanmem-step.wasm", || {
        let (mut stepper, mut world) = (Stepper::open(&step).expect("it opens"), world());
        move |verb: &str, request| drop(stepper.call(&mut world, verb, request))
    });
}

fn measure<C: FnMut(&str, Value)>(name: &str, open: impl Fn() -> C) {
    let start = || open()("version", json!({}));
    let (cold, cached) = (best(1, 1, start), best(5, 1, start));
    let mut call = open();
    let version = best(40, 25, || call("version", json!({})));
    let stats = best(40, 25, || call("stats", json!({"bank": "none", "now": NOW})));
    let effect = stats - version;
    println!("{name}: nothing compiled {cold:.0} ms, compiled {cached:.0} ms, a call {version:.3} ms, an effect {effect:.3} ms");
}

/// Milliseconds of the fastest of some rounds: the others were disturbed.
fn best(rounds: u32, calls: u32, mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let begun = Instant::now();
        (0..calls).for_each(|_| work());
        1000.0 * begun.elapsed().as_secs_f64() / f64::from(calls)
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min)
}
