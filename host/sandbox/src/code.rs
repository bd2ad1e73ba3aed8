//! The machine code of a component, linked with the host's functions.
//!
//! A component whose compiled form is stored nowhere is first compiled by the single-pass compiler, so that it serves
//! soon. The optimizing compiler follows in the background; see [`optimize`](super::optimize).

use std::sync::Arc;

use wasmtime::component::{Component, InstancePre};

use super::bindings::base::BasePre;
use super::bindings::company_source::WithCompanySourcePre;
use super::bindings::enrichment::WithEnrichmentPre;
use super::bindings::importer::WithImporterPre;
use super::cache::{self, Cache, Origin};
use super::compile::Compiler;
use super::engine::ConnectorEngine;
use super::limits::{Limits, MEMORIES, TABLES};
use super::linker::ConnectorLinker;
use super::manifest::Manifest;
use super::refusal::Refusal;
use super::single_pass::SinglePass;
use super::state::CallState;

/// Callable machine code.
pub(super) struct Code {
    /// The engine that runs it.
    pub(super) engine: ConnectorEngine,
    pub(super) origin: Origin,
    /// The component, if its code is not optimized.
    pub(super) component: Option<Arc<Vec<u8>>>,
    pub(super) base: BasePre<CallState>,
    pub(super) company_source: Option<WithCompanySourcePre<CallState>>,
    pub(super) enrichment: Option<WithEnrichmentPre<CallState>>,
    pub(super) importer: Option<WithImporterPre<CallState>>,
}

/// What is needed to load a version.
pub struct LoadContext<'a> {
    /// The optimizing compiler's engine with the host's functions.
    pub linker: &'a ConnectorLinker,
    /// What compiles first if no compiled form is stored. `None`: the optimizing compiler.
    pub single_pass: Option<&'a SinglePass>,
    /// Cache of compiled components.
    pub cache: &'a Cache,
    /// The process that compiles.
    pub compiler: &'a Compiler,
}

impl LoadContext<'_> {
    /// The stored code of a component, or code that is compiled now.
    ///
    /// # Errors
    /// The component does not compile, or the host does not admit it.
    pub(super) fn code(
        &self,
        component: &Arc<Vec<u8>>,
        digest: &str,
        limits: &Limits,
    ) -> Result<Code, Refusal> {
        let Some(single_pass) = self.single_pass else {
            return self.optimized_code(component, digest, limits);
        };
        if let Some((compiled, origin)) = self.cache.stored(self.linker.engine(), digest) {
            return Code::link(self.linker, &compiled, origin, limits);
        }
        let Some(linker) = single_pass.linker() else {
            return self.optimized_code(component, digest, limits);
        };
        let (compiled, _) = cache::compiled_now(linker.engine(), self.compiler, component)?;
        let mut code = Code::link(&linker, &compiled, Origin::SinglePass, limits)?;
        code.component = Some(Arc::clone(component));
        Ok(code)
    }

    /// The stored code of a component, or code that the optimizing compiler makes now.
    ///
    /// # Errors
    /// The component does not compile, or the host does not admit it.
    pub(super) fn optimized_code(
        &self,
        component: &[u8],
        digest: &str,
        limits: &Limits,
    ) -> Result<Code, Refusal> {
        let engine = self.linker.engine();
        let (compiled, origin) = self
            .cache
            .component(engine, self.compiler, component, digest)?;
        Code::link(self.linker, &compiled, origin, limits)
    }
}

impl Code {
    fn link(
        linker: &ConnectorLinker,
        component: &Component,
        origin: Origin,
        limits: &Limits,
    ) -> Result<Self, Refusal> {
        let engine = linker.engine();
        check_imports(engine, component)?;
        check_size(engine, component, limits)?;
        let pre: InstancePre<CallState> = linker
            .linker()
            .instantiate_pre(component)
            .map_err(Refusal::Link)?;
        let has = |interface: &str| {
            component
                .component_type()
                .exports(engine.engine())
                .any(|(name, _)| name.starts_with(interface))
        };
        Ok(Self {
            engine: engine.clone(),
            origin,
            component: None,
            base: BasePre::new(pre.clone()).map_err(Refusal::Link)?,
            company_source: has("lustra:connector/company-source@1.")
                .then(|| WithCompanySourcePre::new(pre.clone()))
                .transpose()
                .map_err(Refusal::Link)?,
            enrichment: has("lustra:connector/enrichment@1.")
                .then(|| WithEnrichmentPre::new(pre.clone()))
                .transpose()
                .map_err(Refusal::Link)?,
            importer: has("lustra:connector/importer@1.")
                .then(|| WithImporterPre::new(pre.clone()))
                .transpose()
                .map_err(Refusal::Link)?,
        })
    }

    /// Checks that it exports the interfaces of what its manifest offers.
    ///
    /// # Errors
    /// [`Refusal::MissingExport`].
    pub(super) fn check_exports(&self, manifest: &Manifest) -> Result<(), Refusal> {
        let missing = |offered, interface| Err(Refusal::MissingExport { offered, interface });
        if manifest.company_source.is_some() && self.company_source.is_none() {
            return missing("companies", "company-source");
        }
        if !manifest.scopes.is_empty() && self.enrichment.is_none() {
            return missing("scopes", "enrichment");
        }
        if !manifest.datasets.is_empty() && self.importer.is_none() {
            return missing("datasets", "importer");
        }
        Ok(())
    }
}

/// Checks that the component's initial memory fits the pool and its own limit.
fn check_size(
    engine: &ConnectorEngine,
    component: &Component,
    limits: &Limits,
) -> Result<(), Refusal> {
    const PAGE: u64 = 64 << 10;
    let Some(needs) = component.resources_required() else {
        return Err(Refusal::TooLarge(
            "it imports core modules, so its needs are unknown".to_owned(),
        ));
    };
    for (what, needs, most) in [
        ("memories", needs.num_memories, MEMORIES),
        ("tables", needs.num_tables, TABLES),
    ] {
        if needs > most {
            return Err(Refusal::TooLarge(format!(
                "{what}: it has {needs}, limit {most} for each component"
            )));
        }
    }
    let memory = needs
        .max_initial_memory_size
        .unwrap_or(0)
        .saturating_mul(PAGE);
    let pool = engine.pool().memory as u64;
    let most = limits.memory.min(pool);
    if memory > most {
        let (needs, most) = (memory.div_ceil(1 << 20), most >> 20);
        return Err(Refusal::TooLarge(format!(
            "memory: it starts with {needs} MiB, limit {most}"
        )));
    }
    Ok(())
}

const WASI_PACKAGES: [&str; 6] = [
    "wasi:cli/",
    "wasi:clocks/",
    "wasi:filesystem/",
    "wasi:io/",
    "wasi:random/",
    "wasi:sockets/",
];

const INTERFACES: [&str; 5] = ["http", "records", "companies", "runtime", "types"];

fn check_imports(engine: &ConnectorEngine, component: &Component) -> Result<(), Refusal> {
    for (name, _) in component.component_type().imports(engine.engine()) {
        let of_contract = name
            .strip_prefix("lustra:connector/")
            .and_then(|rest| rest.split_once("@1."))
            .is_some_and(|(interface, _)| INTERFACES.contains(&interface));
        let of_wasi = WASI_PACKAGES
            .iter()
            .any(|package| name.starts_with(package))
            && name.contains("@0.2.");
        if !of_contract && !of_wasi {
            return Err(Refusal::ForeignImport(name.to_owned()));
        }
    }
    Ok(())
}
