//! Generated host bindings of the contract in `wit/`.
//!
//! There is one module per world, because a component exports only the abilities that its author implemented. The
//! worlds share the types and imports of `base`.
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    unused_qualifications,
    missing_docs,
    reason = "generated code"
)]

pub mod base {
    wasmtime::component::bindgen!({
        world: "base",
        path: "../../wit",
        imports: { default: async | trappable },
        exports: { default: async },
        with: { "lustra:connector/http.body": crate::body_handle::BodyHandle },
    });
}

pub mod company_source {
    wasmtime::component::bindgen!({
        world: "with-company-source",
        path: "../../wit",
        imports: { default: async | trappable },
        exports: { default: async },
        with: {
            "lustra:connector/types": super::base::lustra::connector::types,
            "lustra:connector/http": super::base::lustra::connector::http,
            "lustra:connector/records": super::base::lustra::connector::records,
            "lustra:connector/companies": super::base::lustra::connector::companies,
            "lustra:connector/runtime": super::base::lustra::connector::runtime,
        },
    });
}

pub mod enrichment {
    wasmtime::component::bindgen!({
        world: "with-enrichment",
        path: "../../wit",
        imports: { default: async | trappable },
        exports: { default: async },
        with: {
            "lustra:connector/types": super::base::lustra::connector::types,
            "lustra:connector/http": super::base::lustra::connector::http,
            "lustra:connector/records": super::base::lustra::connector::records,
            "lustra:connector/companies": super::base::lustra::connector::companies,
            "lustra:connector/runtime": super::base::lustra::connector::runtime,
        },
    });
}

pub mod importer {
    wasmtime::component::bindgen!({
        world: "with-importer",
        path: "../../wit",
        imports: { default: async | trappable },
        exports: { default: async },
        with: {
            "lustra:connector/types": super::base::lustra::connector::types,
            "lustra:connector/http": super::base::lustra::connector::http,
            "lustra:connector/records": super::base::lustra::connector::records,
            "lustra:connector/companies": super::base::lustra::connector::companies,
            "lustra:connector/runtime": super::base::lustra::connector::runtime,
        },
    });
}

pub use base::lustra::connector::types;
