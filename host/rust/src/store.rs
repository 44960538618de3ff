//! Banks: ordered maps of binary keys to binary values, each with a version that
//! every commit compares and sets.

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::wire::{Error, Write};

// The limits of every store.
const MAX_KEY: usize = 1 << 10;
const MAX_VALUE: usize = 64 << 20;
const MAX_NAME: usize = 256; // bytes of a bank's name or of a version
const MAX_WRITES: usize = 10_000;
const MAX_COMMIT: usize = 128 << 20;
const MAX_KEYS: usize = 10_000;
const MAX_PAGE: usize = 1_000;
const PAGE_BYTES: usize = 16 << 20; // a page ends after the entry that reaches this

/// One page of a scan, in key order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub entries: Vec<(Vec<u8>, Vec<u8>)>,
    pub more: bool,
}

/// The version of a bank and a value for each key.
pub type Values = (String, Vec<Option<Vec<u8>>>);

/// What a host keeps. A bank that does not exist has version "" and no keys.
pub trait Store: Send {
    /// Reads the version and one value for each key, none where it is absent.
    fn get(&self, bank: &str, keys: &[Vec<u8>]) -> Result<Values, Error>;

    /// Reads a page of the keys that have the prefix and are greater than `after`.
    fn scan(&self, bank: &str, prefix: &[u8], after: &[u8], limit: usize) -> Result<(String, Page), Error>;

    /// Makes all writes if `expected` is the bank's version, or none. "" as
    /// `expected` creates the bank, as `version` removes it. Gives whether it took
    /// place and the version that now stands.
    fn commit(&self, bank: &str, expected: &str, version: &str, writes: &[Write]) -> Result<(bool, String), Error>;

    /// Lists names greater than `after` in byte order, and whether there are more.
    fn banks(&self, after: &str, limit: usize) -> Result<(Vec<String>, bool), Error>;
}

#[derive(Clone, Default)]
struct Bank {
    version: String,
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// A store that lives as long as the process. Clones share the banks.
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<BTreeMap<String, Bank>>>);

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Bank>> {
        // Nothing below panics halfway through a change.
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Store for MemoryStore {
    fn get(&self, bank: &str, keys: &[Vec<u8>]) -> Result<Values, Error> {
        check_name(bank)?;
        check(keys.len() <= MAX_KEYS, "too_large", "get: too many keys")?;
        keys.iter().try_for_each(|k| check_key(k))?;
        Ok(match self.lock().get(bank) {
            Some(b) => (b.version.clone(), keys.iter().map(|k| b.entries.get(k).cloned()).collect()),
            None => (String::new(), vec![None; keys.len()]),
        })
    }

    fn scan(&self, bank: &str, prefix: &[u8], after: &[u8], limit: usize) -> Result<(String, Page), Error> {
        check_name(bank)?;
        check(prefix.len() <= MAX_KEY && after.len() <= MAX_KEY, "too_large", "scan: the prefix or the start is too long")?;
        let banks = self.lock();
        let Some(b) = banks.get(bank) else { return Ok(Default::default()) };
        let from = if after >= prefix { Bound::Excluded(after) } else { Bound::Included(prefix) };
        let (mut page, mut size) = (Page::default(), 0);
        let rest = b.entries.range::<[u8], _>((from, Bound::Unbounded));
        for (key, value) in rest.take_while(|(k, _)| k.starts_with(prefix)).filter(|(k, _)| !k.is_empty()) {
            if page.entries.len() == page_limit(limit) || size >= PAGE_BYTES {
                page.more = true;
                break;
            }
            size += key.len() + value.len();
            page.entries.push((key.clone(), value.clone()));
        }
        Ok((b.version.clone(), page))
    }

    fn commit(&self, bank: &str, expected: &str, version: &str, writes: &[Write]) -> Result<(bool, String), Error> {
        check_name(bank)?;
        check_commit(expected, version, writes)?;
        let mut banks = self.lock();
        let current = banks.get(bank).map_or("", |b| &b.version);
        if current != expected {
            return Ok((false, current.into()));
        }
        if version.is_empty() {
            banks.remove(bank);
            return Ok((true, String::new()));
        }
        let b = banks.entry(bank.into()).or_default();
        b.version = version.into();
        for w in writes {
            match &w.value {
                Some(value) => b.entries.insert(w.key.clone(), value.clone()),
                None => b.entries.remove(&w.key),
            };
        }
        Ok((true, version.into()))
    }

    fn banks(&self, after: &str, limit: usize) -> Result<(Vec<String>, bool), Error> {
        check(after.len() <= MAX_NAME, "invalid_argument", "the name of a bank is too long")?;
        let banks = self.lock();
        let mut rest = banks.range::<str, _>((Bound::Excluded(after), Bound::Unbounded));
        let names = rest.by_ref().take(page_limit(limit)).map(|(name, _)| name.clone()).collect();
        Ok((names, rest.next().is_some()))
    }
}

pub(crate) fn page_limit(limit: usize) -> usize {
    if limit == 0 { MAX_PAGE } else { limit.min(MAX_PAGE) }
}

fn check(ok: bool, code: &str, message: &str) -> Result<(), Error> {
    if ok { Ok(()) } else { Err(Error::new(code, message)) }
}

fn check_name(bank: &str) -> Result<(), Error> {
    check(!bank.is_empty(), "invalid_argument", "the name of a bank is empty")?;
    check(bank.len() <= MAX_NAME, "invalid_argument", "the name of a bank is too long")
}

fn check_key(key: &[u8]) -> Result<(), Error> {
    check(!key.is_empty(), "invalid_argument", "a key is empty")?;
    check(key.len() <= MAX_KEY, "too_large", "a key is too long")
}

fn check_commit(expected: &str, version: &str, writes: &[Write]) -> Result<(), Error> {
    check(expected.len() <= MAX_NAME && version.len() <= MAX_NAME, "invalid_argument", "commit: a version is too long")?;
    check(
        !version.is_empty() || writes.is_empty(),
        "invalid_argument",
        "commit: version \"\" removes the bank, yet there are writes",
    )?;
    // Otherwise a later commit could not tell the two states apart.
    check(version != expected || version.is_empty(), "invalid_argument", "commit: the new version is the expected one")?;
    check(writes.len() <= MAX_WRITES, "too_large", "commit: too many writes")?;
    let (mut seen, mut total) = (HashSet::new(), 0);
    for w in writes {
        check_key(&w.key)?;
        check(seen.insert(&w.key), "invalid_argument", "commit: a key occurs twice")?;
        let size = w.value.as_ref().map_or(0, Vec::len);
        check(size <= MAX_VALUE, "too_large", "commit: a value is too large")?;
        total += w.key.len() + size;
    }
    check(total <= MAX_COMMIT, "too_large", "commit: too many bytes, split it")
}
