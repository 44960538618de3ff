//! Writes effects, replies and results as transcripts hold them.

use std::fmt::Write;

use leanmem_host::{Effect, Error, Reply, Request};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

pub fn request(out: &mut String, r: &Request) {
    let mut line = format!("? {}", r.op);
    if !r.bank.is_empty() && !matches!(r.effect, Effect::Banks { .. }) {
        line += &format!(" bank={}", printable(r.bank.as_bytes()));
    }
    line += &match &r.effect {
        Effect::Get(keys) => keys.iter().map(|k| format!(" {}", printable(k))).collect(),
        Effect::Scan { prefix, after, limit } => format!(" prefix={} after={} limit={limit}", printable(prefix), printable(after)),
        Effect::Commit { expected, version, writes } => {
            let value = |v: &Option<Vec<u8>>| v.as_deref().map_or("deleted".into(), digest);
            let writes: String = writes.iter().map(|w| format!("\n  {} {}", printable(&w.key), value(&w.value))).collect();
            format!(" expected={} version={}{writes}", dash(expected), dash(version))
        }
        Effect::Banks { after, limit } => format!(" after={} limit={limit}", printable(after.as_bytes())),
        Effect::Progress(p) => format!(" {} {}/{}", p.stage, p.done, p.total),
        Effect::Embed { texts, purpose } => format!(" {purpose} {}", all(texts)),
        Effect::Tag(texts) => format!(" {}", all(texts)),
        Effect::Complete(prompts) => prompts
            .iter()
            .map(|p| {
                let schema = p.schema.as_ref().map_or("-".into(), |s| digest(s.get().as_bytes()));
                let (system, name) = (digest(p.system.as_bytes()), dash(&p.schema_name));
                let text = text(&p.user);
                format!(
                    "\n  {} system={system} schema={name}:{schema} max_tokens={} stream={}{text}",
                    p.stage, p.max_tokens, p.stream
                )
            })
            .collect(),
    };
    out.push_str(&line);
    out.push('\n');
}

pub fn reply(out: &mut String, r: &Request, reply: &Result<Reply, Error>) {
    let line = match reply {
        Err(e) => format!(" error {}", json(e)),
        Ok(Reply::Values { version, values }) => {
            let values: String = values.iter().map(|v| format!(" {}", v.as_deref().map_or("-".into(), digest))).collect();
            format!(" version={}{values}", dash(version))
        }
        Ok(Reply::Entries { version, entries, more }) => {
            let entries: String = entries.iter().map(|(k, v)| format!("\n  {} {}", printable(k), digest(v))).collect();
            format!(" version={} more={more}{entries}", dash(version))
        }
        Ok(Reply::Committed { version, conflict }) => {
            format!(" {} version={}", if *conflict { "conflict" } else { "ok" }, dash(version))
        }
        Ok(Reply::Banks { names, more }) => {
            let names: String = names.iter().map(|n| format!(" {}", printable(n.as_bytes()))).collect();
            format!(" more={more}{names}")
        }
        Ok(Reply::Vectors { model, dims, .. }) => match &r.effect {
            Effect::Embed { texts, .. } => format!(" {model} {}×{dims}", texts.len()),
            _ => String::new(),
        },
        Ok(Reply::Completions(list)) => list
            .iter()
            .map(|c| match c {
                Ok(c) => format!("\n  {}{}", c.finish, text(&c.text)),
                Err(e) => format!("\n  error {}", json(e)),
            })
            .collect(),
        Ok(Reply::Entities(_) | Reply::Progress) => String::new(),
    };
    let _ = writeln!(out, "={line}");
}

pub fn result(out: &mut String, result: &Result<String, Error>, brief: bool) {
    let _ = match result {
        Err(e) => writeln!(out, "! {}", json(e)),
        Ok(json) if brief => writeln!(out, "< {}", digest(json.as_bytes())),
        Ok(json) => {
            let value: Value = serde_json::from_str(json).expect("a result is JSON");
            writeln!(out, "< {}", escaped(&serde_json::to_string_pretty(&value).expect("a value is JSON")))
        }
    };
}

/// The size of a value and the begin of its SHA-256.
fn digest(value: &[u8]) -> String {
    let sum: String = Sha256::digest(value)[..4].iter().map(|b| format!("{b:02x}")).collect();
    format!("{}:{sum}", value.len())
}

fn all(texts: &[String]) -> String {
    format!("{} {}", texts.len(), digest(texts.join("\0").as_bytes()))
}

fn text(s: &str) -> String {
    let s = s.strip_suffix('\n').unwrap_or(s);
    s.split('\n').map(|line| format!("\n{}", format!("  | {line}").trim_end_matches(' '))).collect()
}

/// Bytes as they are, except blanks, backslashes and controls.
fn printable(bytes: &[u8]) -> String {
    let shown = |c: char| match c {
        '\0'..=' ' | '\\' | '\x7f' => format!("\\x{:02x}", c as u32),
        c => c.to_string(),
    };
    dash(&String::from_utf8_lossy(bytes).chars().map(shown).collect::<String>()).into()
}

fn dash(s: &str) -> &str {
    if s.is_empty() { "-" } else { s }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a value is JSON")
}

/// JSON as the core writes it: these five are escaped.
fn escaped(json: &str) -> String {
    let shown = |c: char| match c {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", c as u32),
        c => c.to_string(),
    };
    json.chars().map(shown).collect()
}
