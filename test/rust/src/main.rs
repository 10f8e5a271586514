// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//! Rust-port answers the requests of ssa-conformance with a port of structured-merge-diff to Rust
//! (github.com/chenwenxiaolive/structured-merge-diff-rust):
//!
//!     ssa-conformance 'rust=rust-port'       # or 'rust=rust-port v7'
//!
//! The argument is the profile in which the port writes FieldsV1; the default is v6.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use structured_merge_diff::fieldpath::{serialize_path_element, APIVersion, ManagedFields, Path, Set, VersionedSet};
use structured_merge_diff::merge::{ApplyError, Conflicts, ConversionError, Converter, Updater, UpdateError};
use structured_merge_diff::typed::{Parser, TypedValue, ValidationOption};
use structured_merge_diff::value::{self, Map, Value};

/// Request is one request of ssa-conformance. The parts that the port decodes itself are raw JSON.
#[derive(Deserialize)]
struct Request {
    name: String,
    op: String,
    level: u8,
    document: Option<Document>,
    profile: Option<String>,
    schema: Option<Box<RawValue>>,
    #[serde(default)]
    versions: HashMap<String, Version>,
    #[serde(default)]
    manager: String,
    #[serde(default)]
    force: bool,
    version: Option<String>,
    live: Option<Box<RawValue>>,
    object: Option<Box<RawValue>>,
    #[serde(default)]
    owners: Vec<Owner>,
}

/// Document is text, or bytes that are not valid UTF-8.
#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    Text(String),
    Bytes { base64: String },
}

/// Version describes a version: its type, and the fields whose names differ from v1. A conversion fails if the object
/// has a field in lacks, or does not have a field in needs.
#[derive(Deserialize, Clone, Default)]
struct Version {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    renames: HashMap<String, String>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
}

#[derive(Deserialize, Serialize)]
struct Owner {
    manager: String,
    applied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(rename = "fieldsV1")]
    fields: Box<RawValue>,
}

#[derive(Serialize)]
struct Conflict {
    manager: String,
    path: Vec<String>,
}

/// Answer is one answer to ssa-conformance.
#[derive(Serialize, Default)]
struct Answer {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    owners: Vec<Owner>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<Conflict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsupported: Option<String>,
}

fn main() -> io::Result<()> {
    let profile = std::env::args().nth(1).unwrap_or_else(|| "v6".to_string());
    panic::set_hook(Box::new(|_| {})); // panics are reported as answers
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        let name = request.name.clone();
        let answered = panic::catch_unwind(AssertUnwindSafe(|| answer(&request, &profile)));
        let mut answer = match answered {
            Ok(Ok(answer)) => answer,
            Ok(Err(why)) => refused(why),
            Err(panicked) => refused(format!("panic: {}", words(panicked.as_ref()))),
        };
        answer.name = name;
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn refused(why: String) -> Answer {
    Answer { error: Some(why), ..Answer::default() }
}

fn unsupported(why: impl Into<String>) -> Answer {
    Answer { unsupported: Some(why.into()), ..Answer::default() }
}

/// Returns the message of a panic.
fn words(panicked: &(dyn std::any::Any + Send)) -> String {
    if let Some(s) = panicked.downcast_ref::<&str>() {
        return s.to_string();
    }
    panicked.downcast_ref::<String>().cloned().unwrap_or_default()
}

fn text(e: impl std::fmt::Display) -> String {
    e.to_string()
}

/// Answers a request. An error is an answer, too.
fn answer(request: &Request, profile: &str) -> Result<Answer, String> {
    if request.level > 2 {
        return Ok(unsupported("keeps no metadata.managedFields"));
    }
    if request.profile.as_deref().is_some_and(|p| p != profile) {
        return Ok(unsupported(format!("writes profile {profile}")));
    }
    match request.op.as_str() {
        "codec" => codec(request),
        "apply" | "update" => write(request),
        "extract" => extract(request),
        op => Ok(unsupported(format!("op {op}"))),
    }
}

/// Decodes a document of FieldsV1 and encodes it again.
fn codec(request: &Request) -> Result<Answer, String> {
    let bytes = match &request.document {
        Some(Document::Text(s)) => s.as_bytes().to_vec(),
        Some(Document::Bytes { base64 }) => decode(base64)?,
        None => return Err("no document".to_string()),
    };
    let set = Set::from_json(&bytes).map_err(text)?;
    let document = String::from_utf8(set.to_json().map_err(text)?).map_err(text)?;
    Ok(Answer { document: Some(document), ..Answer::default() })
}

/// Decodes standard base64.
fn decode(base64: &str) -> Result<Vec<u8>, String> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for c in base64.bytes().filter(|c| *c != b'=') {
        let digit = LETTERS.iter().position(|l| *l == c).ok_or("no base64")?;
        bits = bits << 6 | digit as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    Ok(out)
}

/// Types has the types of objects, by version.
#[derive(Clone)]
struct Types {
    parser: Parser,
    versions: HashMap<String, Version>,
}

impl Types {
    fn new(request: &Request) -> Result<Types, String> {
        let schema = request.schema.as_ref().ok_or("no schema")?;
        let mut versions = request.versions.clone();
        versions.insert("v1".to_string(), Version { kind: "object".to_string(), ..Version::default() });
        Ok(Types { parser: Parser::new(schema.get()).map_err(text)?, versions })
    }

    /// Reads an object of a version. If there is no object, it reads null.
    fn read(&self, object: &Option<Box<RawValue>>, version: &str, options: &[ValidationOption]) -> Result<TypedValue, String> {
        let object = match object {
            Some(json) => value::from_json(json.get()).map_err(text)?,
            None => Value::Null,
        };
        self.typed(object, version, options)
    }

    fn typed(&self, object: Value, version: &str, options: &[ValidationOption]) -> Result<TypedValue, String> {
        let version = self.versions.get(version).ok_or("no such version")?;
        self.parser.type_by_name(&version.kind).from_value_with_opts(object, options).map_err(text)
    }

    /// Returns the version of an object. The type of the object determines it.
    fn version_of(&self, object: &TypedValue) -> &str {
        let kind = object.type_ref().named_type.as_deref();
        let found = self.versions.iter().find(|(_, v)| Some(v.kind.as_str()) == kind);
        found.map_or("v1", |(name, _)| name)
    }
}

impl Converter for Types {
    /// Converts an object to a version: renames its top-level fields.
    fn convert(&self, object: &TypedValue, version: &APIVersion) -> Result<TypedValue, ConversionError> {
        let from = self.version_of(object);
        if from == version.as_str() {
            return Ok(object.clone());
        }
        let Some(to) = self.versions.get(version.as_str()) else {
            return Err(ConversionError { message: format!("no version {version}"), is_missing_version: true });
        };
        let renamed = match object.value() {
            Value::Map(fields) => rename(fields, &self.versions[from], to).map(Value::Map),
            other => Ok(other.clone()),
        };
        renamed
            .and_then(|object| self.typed(object, version.as_str(), &[ValidationOption::AllowDuplicates]))
            .map_err(|message| ConversionError { message, is_missing_version: false })
    }

    fn is_missing_version_error(&self, e: &ConversionError) -> bool {
        e.is_missing_version
    }
}

/// Converts the names of fields from one version to another, through v1. It may fail.
fn rename(fields: &Map, from: &Version, to: &Version) -> Result<Map, String> {
    let mut out = Map::new();
    let mut needs: Vec<&String> = to.needs.iter().collect();
    for (name, field) in fields.iter() {
        let first = from.renames.iter().find(|(_, renamed)| *renamed == name).map_or(name, |(first, _)| first);
        if to.lacks.contains(first) {
            return Err(format!("no place for {first}"));
        }
        needs.retain(|name| *name != first);
        out.set(to.renames.get(first).unwrap_or(first).clone(), field.clone());
    }
    match needs.first() {
        None => Ok(out),
        Some(name) => Err(format!("cannot be without {name}")),
    }
}

/// Runs an apply or an update.
fn write(request: &Request) -> Result<Answer, String> {
    let types = Types::new(request)?;
    let version = request.version.as_deref().unwrap_or("v1");
    let live = types.read(&request.live, version, &[ValidationOption::AllowDuplicates])?;
    let mut managers = ManagedFields::new();
    for o in &request.owners {
        let set = Set::from_json(o.fields.get().as_bytes()).map_err(text)?;
        let version = APIVersion::new(o.version.as_deref().unwrap_or("v1"));
        managers.insert(o.manager.clone(), VersionedSet::new(set, version, o.applied));
    }
    let updater = Updater::builder().converter(Box::new(types.clone())).return_input_on_noop(true).build();
    let at = APIVersion::new(version);
    let object = if request.op == "update" {
        let sent = types.read(&request.object, version, &[ValidationOption::AllowDuplicates])?;
        match updater.update(&live, &sent, &at, &mut managers, &request.manager) {
            Err(UpdateError::Conflicts(conflicts)) => return in_conflict(conflicts),
            other => other.map_err(text)?,
        }
    } else {
        let config = types.read(&request.object, version, &[])?;
        match updater.apply(&live, &config, &at, &mut managers, &request.manager, request.force) {
            Err(ApplyError::Conflicts(conflicts)) => return in_conflict(conflicts),
            other => other.map_err(text)?,
        }
    };
    let mut answer = Answer { object: Some(raw(value::to_json(object.value()))?), ..Answer::default() };
    for (name, owned) in managers.iter() {
        let json = owned.set().to_json().map_err(text)?;
        answer.owners.push(Owner {
            manager: name.clone(),
            applied: owned.applied(),
            version: Some(owned.api_version().to_string()),
            fields: raw(String::from_utf8(json))?,
        });
    }
    Ok(answer)
}

/// Returns the paths that have no other paths below them.
fn leaves(set: &Set) -> Set {
    let mut paths: Vec<Path> = Vec::new();
    set.iterate(|path| paths.push(path.clone()));
    let mut out = Set::new();
    for path in &paths {
        let below = |other: &&Path| other.len() > path.len() && other.as_slice().starts_with(path.as_slice());
        if !paths.iter().any(|other| below(&other)) {
            out.insert(path);
        }
    }
    out
}

/// Returns the fields of the object that a manager owns.
fn extract(request: &Request) -> Result<Answer, String> {
    let types = Types::new(request)?;
    let live = types.read(&request.live, request.version.as_deref().unwrap_or("v1"), &[ValidationOption::AllowDuplicates])?;
    let owner = request.owners.iter().find(|o| o.manager == request.manager).ok_or("no such owner")?;
    let set = Set::from_json(owner.fields.get().as_bytes()).map_err(text)?;
    let taken = live.extract_items(&leaves(&set));
    Ok(Answer { object: Some(raw(value::to_json(taken.value()))?), ..Answer::default() })
}

fn raw<E: std::fmt::Display>(json: Result<String, E>) -> Result<Box<RawValue>, String> {
    RawValue::from_string(json.map_err(text)?).map_err(text)
}

fn in_conflict(conflicts: Conflicts) -> Result<Answer, String> {
    let mut answer = Answer::default();
    for c in conflicts.iter() {
        answer.conflicts.push(Conflict { manager: c.manager.clone(), path: elements(&c.path)? });
    }
    Ok(answer)
}

/// Returns the elements of a path, in the form of FieldsV1.
fn elements(path: &Path) -> Result<Vec<String>, String> {
    path.iter().map(|e| serialize_path_element(e).map_err(text)).collect()
}
