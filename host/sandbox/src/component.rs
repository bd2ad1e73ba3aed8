//! From the bytes of a component to a callable connector: read, admit, compile, link, check.
//!
//! No code of a component runs before its manifest is read from the custom section, its imports are checked against the
//! contract, and its upstreams against the operator's grants.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arc_swap::ArcSwap;
use serde_json::Value;
use time::OffsetDateTime;
use tokio::sync::Semaphore;

use super::breaker::Breaker;
use super::cache::Origin;
use super::code::Code;
pub use super::code::LoadContext;
use super::configured::{self, Configured};
use super::egress::{Address, Grant, InvalidGrant, Upstream};
use super::limits::Limits;
use super::manifest::{self, Manifest, ManifestError, ScopeManifest};
use super::package::{self, Proof};
use super::recording::sample::Sample;
use super::refusal::Refusal;
use super::stats::Stats;
use super::strict_json;
use crate::settings::ConnectorConfig;

/// Largest component that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// A connector that can be called.
pub struct Loaded {
    /// Its manifest and settings, whose members are also read through `Deref`.
    pub(super) configured: Arc<Configured>,
    /// SHA-256 of the component in hexadecimal: its **generation**, stored with everything that it returns.
    pub digest: String,
    /// Its machine code, which [`Self::optimize`] replaces.
    code: ArcSwap<Code>,
    /// The settings that it was loaded with.
    pub config: ConnectorConfig,
    pub loaded_at: OffsetDateTime,
    /// Counters of its calls, shared by all generations.
    pub stats: Arc<Stats>,
    /// Sample of recent calls, shared by all generations.
    pub sample: Arc<Sample>,
    /// Limits of look-ups and enrichments.
    pub lookup_limits: Arc<Limits>,
    /// Limits of an import.
    pub import_limits: Arc<Limits>,
    /// Circuit breaker of this version.
    pub breaker: Breaker,
    /// Whether an answer of this version violated its schema.
    pub(super) broke_schema: AtomicBool,
    pub(super) call_permits: Arc<Semaphore>,
}

/// State that all generations of a connector share.
#[derive(Debug, Clone)]
pub struct SharedStats {
    /// Counters of its calls.
    pub stats: Arc<Stats>,
    /// Sample of recent calls.
    pub sample: Arc<Sample>,
}

/// A component whose manifest was read; nothing else is checked yet.
pub struct Candidate {
    pub bytes: Arc<Vec<u8>>,
    /// SHA-256 of the component in hexadecimal.
    pub digest: String,
    pub manifest: Manifest,
    manifest_value: Value,
}

impl Candidate {
    /// Reads the manifest from the custom section; executes nothing.
    ///
    /// # Errors
    /// The bytes are not a component, or the manifest is missing or invalid.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Refusal> {
        let (proof, digest) = package::proof_and_digest(&bytes);
        if proof == Proof::Broken {
            return Err(Refusal::File(
                "it is damaged: its bytes do not match its digest".to_owned(),
            ));
        }
        let text = manifest_section(&bytes)?;
        let manifest = Manifest::parse(&text)?;
        if proof == Proof::Absent {
            tracing::info!(connector.id = %manifest.id, "the component of {} has no digest, so corruption of its file may go unnoticed; `lustra connector package` adds one", manifest.id);
        }
        let manifest_value = strict_json::parse(&text).map_err(ManifestError::from)?;
        Ok(Self {
            digest,
            bytes: Arc::new(bytes),
            manifest,
            manifest_value,
        })
    }

    /// Compiles, links and checks the component with its settings.
    ///
    /// # Errors
    /// The [`Refusal`] names the step and the reason.
    pub fn load(
        self,
        context: &LoadContext<'_>,
        config: &ConnectorConfig,
        shared_stats: SharedStats,
        now: OffsetDateTime,
    ) -> Result<Loaded, Refusal> {
        let configured = Configured::of(self.manifest, config)?;
        let lookup_limits = config.limits.apply(Limits::lookup());
        let import_limits = config.import_limits.apply(Limits::import());
        let code = context.code(&self.bytes, &self.digest, &lookup_limits)?;
        code.check_exports(&configured.manifest)?;
        Ok(Loaded {
            digest: self.digest,
            code: ArcSwap::from_pointee(code),
            configured: Arc::new(configured),
            lookup_limits: Arc::new(lookup_limits),
            import_limits: Arc::new(import_limits),
            config: config.clone(),
            loaded_at: now,
            stats: shared_stats.stats,
            sample: shared_stats.sample,
            breaker: Breaker::default(),
            broke_schema: AtomicBool::new(false),
            call_permits: Arc::new(Semaphore::new(config.concurrent_calls.unwrap_or(16))),
        })
    }

    #[must_use]
    pub fn manifest_value(&self) -> &Value {
        &self.manifest_value
    }

    /// The grants that the addresses in its own manifest need.
    #[must_use]
    pub fn wanted_grants(&self) -> Vec<String> {
        let addresses = self
            .manifest
            .upstreams
            .values()
            .filter_map(|upstream| upstream.address.as_deref());
        let mut grants: Vec<String> = addresses.filter_map(configured::grant_of).collect();
        grants.sort();
        grants.dedup();
        grants
    }

    /// Removes the addresses of its own manifest that are no public ones: files, IP addresses and names of a local
    /// network. Returns the names of their upstreams, which fail as if they had no address.
    pub fn remove_private_addresses(&mut self) -> Vec<String> {
        let mut removed = Vec::new();
        for (name, upstream) in &mut self.manifest.upstreams {
            let is_private = |address: &String| !configured::is_public(address);
            if upstream
                .address
                .take_if(|address| is_private(address))
                .is_some()
            {
                removed.push(name.clone());
            }
        }
        removed
    }
}

impl Deref for Loaded {
    type Target = Configured;

    fn deref(&self) -> &Configured {
        &self.configured
    }
}

impl Loaded {
    /// The machine code that new calls use.
    pub(super) fn code(&self) -> Arc<Code> {
        self.code.load_full()
    }

    /// Where its machine code comes from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.code.load().origin
    }

    /// Replaces code of the single-pass compiler by optimized code. Calls in flight end with the code that they began
    /// with.
    ///
    /// # Errors
    /// The [`Refusal`] of the optimizing compiler; the code stays.
    pub(super) fn optimize(&self, context: &LoadContext<'_>) -> Result<(), Refusal> {
        let code = self.code();
        let Some(component) = &code.component else {
            return Ok(());
        };
        let optimized = context.optimized_code(component, &self.digest, &self.lookup_limits)?;
        self.code.store(Arc::new(optimized));
        Ok(())
    }

    /// Maximum age of a scope's sections in days: the operator's setting, or else the manifest's value.
    #[must_use]
    pub fn max_age_days(&self, scope: &ScopeManifest) -> f64 {
        let configured = self.config.scopes.get(scope.scope.as_str());
        configured
            .and_then(|configured| configured.max_age_days)
            .unwrap_or(scope.max_age_days)
    }

    /// A copy for checking a file before it is used: it reads the file through one upstream and reaches no other one.
    /// It shares no counters, breaker or sample with the connector that serves.
    ///
    /// # Errors
    /// The path is not absolute, or it has `.` or `..`.
    pub fn reading_file(&self, upstream: &str, file: &Path) -> Result<Arc<Self>, InvalidGrant> {
        let grant = Grant::parse(&format!("file:{}", file.display()))?;
        let grants: Arc<[Grant]> = Arc::new([grant]);
        let upstreams = self.upstreams.iter().map(|(name, known)| {
            let address = if name == upstream {
                Address::File(file.to_owned())
            } else {
                Address::Unset
            };
            let own = Upstream {
                address,
                grants: Arc::clone(&grants),
                ..known.clone()
            };
            (name.clone(), own)
        });
        Ok(Arc::new(Self {
            configured: Arc::new(Configured {
                manifest: self.manifest.clone(),
                upstreams: upstreams.collect(),
                settings: self.settings.clone(),
                datasets_on: self.datasets_on.clone(),
            }),
            digest: self.digest.clone(),
            code: ArcSwap::new(self.code()),
            config: self.config.clone(),
            loaded_at: self.loaded_at,
            stats: Arc::default(),
            sample: Arc::new(Sample::new(0, 0)),
            lookup_limits: Arc::clone(&self.lookup_limits),
            import_limits: Arc::clone(&self.import_limits),
            breaker: Breaker::default(),
            broke_schema: AtomicBool::new(false),
            call_permits: Arc::new(Semaphore::new(1)),
        }))
    }

    /// The state that it passes to its next generation.
    #[must_use]
    pub fn shared_stats(&self) -> SharedStats {
        SharedStats {
            stats: Arc::clone(&self.stats),
            sample: Arc::clone(&self.sample),
        }
    }

    /// The generation as a number, stored with everything that the connector returned: the first bits of the digest.
    #[must_use]
    pub fn generation(&self) -> i64 {
        let first = self
            .digest
            .get(..15)
            .and_then(|digits| i64::from_str_radix(digits, 16).ok());
        first.unwrap_or_default()
    }
}

/// The manifest's text, from the outermost custom section with its name.
fn manifest_section(bytes: &[u8]) -> Result<String, Refusal> {
    if !wasmparser::Parser::is_component(bytes) {
        return Err(Refusal::File(
            "it is not a WebAssembly component".to_owned(),
        ));
    }
    let mut depth = 0_u32;
    for payload in wasmparser::Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(|error| Refusal::File(format!("it is damaged: {error}")))?;
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "only nesting and custom sections matter here"
        )]
        match payload {
            wasmparser::Payload::ModuleSection { .. }
            | wasmparser::Payload::ComponentSection { .. } => depth += 1,
            wasmparser::Payload::End(_) => depth = depth.saturating_sub(1),
            wasmparser::Payload::CustomSection(section)
                if depth == 0 && section.name() == manifest::SECTION =>
            {
                return String::from_utf8(section.data().to_vec())
                    .map_err(|error| Refusal::File(format!("its manifest is not UTF-8: {error}")));
            }
            _ => {}
        }
    }
    Err(ManifestError::Missing.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn private_addresses_of_a_manifest_are_removed() {
        let manifest = json!({
            "id": "x", "version": "1.0.0", "title": "X", "register": "X",
            "upstreams": {
                "file": { "about": "A", "address": "file:/etc/passwd" },
                "metadata": { "about": "A", "address": "http://169.254.169.254" },
                "register": { "about": "A", "address": "https://register.example/api" },
                "unset": { "about": "A" },
            },
        });
        let mut component = wasm_encoder::Component::new();
        component.section(&wasm_encoder::CustomSection {
            name: manifest::SECTION.into(),
            data: manifest.to_string().into_bytes().into(),
        });
        let mut candidate = Candidate::read(component.finish()).expect("it has a manifest");
        assert_eq!(candidate.wanted_grants().len(), 3);
        assert_eq!(candidate.remove_private_addresses(), ["file", "metadata"]);
        assert_eq!(candidate.wanted_grants(), ["https://register.example"]);
    }
}
