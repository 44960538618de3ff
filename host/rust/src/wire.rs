//! The form in which messages cross the border of the plugin: the length of a
//! header (u32, little endian), the header (JSON), and raw bytes. What is binary
//! stands in the raw bytes; the header refers to it by a span, [offset, length],
//! and [-1, 0] is no value.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// A failure with a code of the closed list in testdata/abi.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Error {
    pub code: String,
    pub message: String,
    #[serde(default)]
    pub retryable: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retry_after_ms: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Error {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), retryable: false, retry_after_ms: 0 }
    }

    pub fn retryable(self) -> Self {
        Self { retryable: true, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for Error {}

/// One wish of the core.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its name, which is also that of the host function.
    pub op: String,
    /// The bank that it is about, or whose data it carries.
    pub bank: String,
    pub effect: Effect,
}

#[derive(Clone, Debug)]
pub enum Effect {
    Complete(Vec<Prompt>),
    /// `purpose` is "document" or "query".
    Embed {
        texts: Vec<String>,
        purpose: String,
    },
    Tag(Vec<String>),
    Get(Vec<Vec<u8>>),
    Scan {
        prefix: Vec<u8>,
        after: Vec<u8>,
        limit: usize,
    },
    Commit {
        expected: String,
        version: String,
        writes: Vec<Write>,
    },
    Banks {
        after: String,
        limit: usize,
    },
    Progress(Progress),
}

/// One operation of a commit; without a value the key is deleted.
#[derive(Clone, Debug)]
pub struct Write {
    pub key: Vec<u8>,
    pub value: Option<Vec<u8>>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Prompt {
    pub stage: String,
    pub system: String,
    pub user: String,
    /// JSON schema of the reply; none for free text.
    pub schema: Option<Box<RawValue>>,
    #[serde(default)]
    pub schema_name: String,
    #[serde(default)]
    pub max_tokens: u32,
    #[serde(default)]
    pub stream: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Progress {
    pub stage: String,
    pub done: u64,
    pub total: u64,
}

/// What a model answered; the usage may be left out.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Completion {
    pub text: String,
    pub finish: String,
    pub prompt_tokens: u32,
    pub output_tokens: u32,
    pub cached_tokens: u32,
}

/// A name that a tagger found, by byte offsets.
#[derive(Clone, Debug, Serialize)]
pub struct Entity {
    pub text: String,
    pub label: String,
    pub start: usize,
    pub end: usize,
}

/// The answer to a request of the same kind.
#[derive(Clone, Debug)]
pub enum Reply {
    /// One for each prompt; one that failed leaves its neighbours valid.
    Completions(Vec<Result<Completion, Error>>),
    /// One row of `dims` numbers and unit length for each text.
    Vectors {
        model: String,
        dims: usize,
        data: Vec<f32>,
    },
    Entities(Vec<Vec<Entity>>),
    Values {
        version: String,
        values: Vec<Option<Vec<u8>>>,
    },
    Entries {
        version: String,
        entries: Vec<(Vec<u8>, Vec<u8>)>,
        more: bool,
    },
    /// `version` is the one that now stands; on a conflict nothing was written.
    Committed {
        version: String,
        conflict: bool,
    },
    Banks {
        names: Vec<String>,
        more: bool,
    },
    Progress,
}

pub fn decode_request(message: &[u8]) -> Result<Request, Error> {
    let (head, raw) = open(message)?;
    RequestHeader::into_request(parse(head)?, raw)
}

pub fn encode_reply(reply: &Result<Reply, Error>) -> Vec<u8> {
    let mut raw = Vec::new();
    let head = pack(&mut raw, reply);
    seal(&head, &raw)
}

/// The header of a message to begin, resume or cancel.
#[derive(Default, Serialize)]
pub struct Step<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub abi: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub verb: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub flow: &'a str,
    /// Written by [`encode_step`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<Value>,
}

pub fn encode_step(mut step: Step, replies: &[Result<Reply, Error>]) -> Vec<u8> {
    let mut raw = Vec::new();
    step.replies = replies.iter().map(|r| pack(&mut raw, r)).collect();
    seal(&step, &raw)
}

/// What begin and resume answer: the flow with what it wants, or its result.
pub struct StepAnswer {
    pub flow: String,
    pub want: Vec<Request>,
    pub done: Option<Box<RawValue>>,
}

pub fn decode_answer(message: &[u8]) -> Result<StepAnswer, Error> {
    #[derive(Deserialize)]
    struct Header {
        #[serde(default)]
        flow: String,
        #[serde(default)]
        want: Vec<RequestHeader>,
        done: Option<Box<RawValue>>,
    }
    let (head, raw) = open(message)?;
    let Header { flow, want, done } = parse(head)?;
    let want = want.into_iter().map(|r| r.into_request(raw)).collect::<Result<_, _>>()?;
    Ok(StepAnswer { flow, want, done })
}

type Span = [i64; 2];

#[derive(Default, Deserialize)]
#[serde(default)]
struct RequestHeader {
    op: String,
    bank: String,
    prompts: Vec<Prompt>,
    texts: Vec<String>,
    purpose: String,
    keys: Vec<Span>,
    prefix: Option<Span>,
    after: Option<Span>,
    limit: usize,
    expected: String,
    version: String,
    writes: Vec<WriteHeader>,
    after_bank: String,
    progress: Progress,
}

#[derive(Deserialize)]
struct WriteHeader {
    key: Span,
    value: Option<Span>,
}

impl RequestHeader {
    fn into_request(self, raw: &[u8]) -> Result<Request, Error> {
        let take = |span: Span| take(raw, span).map(Option::unwrap_or_default);
        let some = |span: Option<Span>| span.map_or(Ok(Vec::new()), take);
        let effect = match self.op.as_str() {
            "llm_complete" => Effect::Complete(self.prompts),
            "embed" => Effect::Embed { texts: self.texts, purpose: self.purpose },
            "tag" => Effect::Tag(self.texts),
            "store_get" => Effect::Get(self.keys.into_iter().map(take).collect::<Result<_, _>>()?),
            "store_scan" => Effect::Scan { prefix: some(self.prefix)?, after: some(self.after)?, limit: self.limit },
            "store_commit" => {
                let write = |w: WriteHeader| Ok(Write { key: take(w.key)?, value: w.value.map(take).transpose()? });
                let writes = self.writes.into_iter().map(write).collect::<Result<_, Error>>()?;
                Effect::Commit { expected: self.expected, version: self.version, writes }
            }
            "store_banks" => Effect::Banks { after: self.after_bank, limit: self.limit },
            "progress" => Effect::Progress(self.progress),
            op => return Err(Error::new("invalid_argument", format!("unknown effect {op:?}"))),
        };
        Ok(Request { op: self.op, bank: self.bank, effect })
    }
}

/// Writes the header of a reply, and what is binary to the raw bytes.
fn pack(raw: &mut Vec<u8>, reply: &Result<Reply, Error>) -> Value {
    let mut put = |bytes: Option<&[u8]>| -> Span {
        let Some(bytes) = bytes else { return [-1, 0] };
        let at = raw.len();
        raw.extend_from_slice(bytes);
        [at as i64, bytes.len() as i64]
    };
    match reply {
        Err(e) => json!({ "error": e }),
        Ok(Reply::Completions(list)) => {
            let one = |c: &Result<Completion, Error>| match c {
                Ok(c) => json!(c),
                Err(e) => json!({ "text": "", "error": e }),
            };
            json!({ "completions": list.iter().map(one).collect::<Vec<_>>() })
        }
        Ok(Reply::Vectors { model, dims, data }) => {
            let bytes: Vec<u8> = data.iter().flat_map(|f| f.to_le_bytes()).collect();
            json!({ "vectors": { "model": model, "dims": dims, "data": put(Some(&bytes)) } })
        }
        Ok(Reply::Entities(lists)) => json!({ "entities": lists }),
        Ok(Reply::Values { version, values }) => {
            let spans: Vec<Span> = values.iter().map(|v| put(v.as_deref())).collect();
            json!({ "current": version, "values": spans })
        }
        Ok(Reply::Entries { version, entries, more }) => {
            let spans: Vec<Value> = entries.iter().map(|(k, v)| json!({ "key": put(Some(k)), "value": put(Some(v)) })).collect();
            json!({ "current": version, "entries": spans, "more": more })
        }
        Ok(Reply::Committed { version, conflict }) => json!({ "current": version, "conflict": conflict }),
        Ok(Reply::Banks { names, more }) => json!({ "banks": names, "more": more }),
        Ok(Reply::Progress) => Value::Object(Map::new()),
    }
}

fn take(raw: &[u8], [at, len]: Span) -> Result<Option<Vec<u8>>, Error> {
    if at == -1 && len == 0 {
        return Ok(None);
    }
    let range = usize::try_from(at).ok().zip(usize::try_from(len).ok()).and_then(|(at, len)| raw.get(at..at.checked_add(len)?));
    range.map(|b| Some(b.to_vec())).ok_or_else(|| Error::new("invalid_argument", "a span lies outside the raw bytes"))
}

fn seal(header: &impl Serialize, raw: &[u8]) -> Vec<u8> {
    let head = serde_json::to_vec(header).expect("a header is JSON");
    [&(head.len() as u32).to_le_bytes(), head.as_slice(), raw].concat()
}

/// Splits a message into its header and its raw bytes.
fn open(message: &[u8]) -> Result<(&[u8], &[u8]), Error> {
    let short = || Error::new("invalid_argument", format!("a message of {} bytes is too short", message.len()));
    let (length, rest) = message.split_first_chunk::<4>().ok_or_else(short)?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(short)
}

fn parse<'a, T: Deserialize<'a>>(head: &'a [u8]) -> Result<T, Error> {
    serde_json::from_slice(head).map_err(|e| Error::new("invalid_json", format!("decode message header: {e}")))
}
