//! The generated side of the contract in `wit/`. Connectors use the names that the crate root re-exports.
//!
//! One module for each world, since a component exports only the abilities that its author implements. The worlds
//! share the types and imports of `base`.
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    unused_qualifications,
    reason = "generated code"
)]

pub mod base {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "base",
        pub_export_macro: true,
        default_bindings_module: "lustra_sdk::bindings::base",
        export_macro_name: "export_base",
    });
}

pub mod company_source {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-company-source",
        pub_export_macro: true,
        default_bindings_module: "lustra_sdk::bindings::company_source",
        export_macro_name: "export_company_source",
        with: {
            "lustra:connector/types@1.0.0": crate::bindings::base::lustra::connector::types,
            "lustra:connector/http@1.0.0": crate::bindings::base::lustra::connector::http,
            "lustra:connector/records@1.0.0": crate::bindings::base::lustra::connector::records,
            "lustra:connector/companies@1.0.0": crate::bindings::base::lustra::connector::companies,
            "lustra:connector/runtime@1.0.0": crate::bindings::base::lustra::connector::runtime,
        },
    });
}

pub mod enrichment {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-enrichment",
        pub_export_macro: true,
        default_bindings_module: "lustra_sdk::bindings::enrichment",
        export_macro_name: "export_enrichment",
        with: {
            "lustra:connector/types@1.0.0": crate::bindings::base::lustra::connector::types,
            "lustra:connector/http@1.0.0": crate::bindings::base::lustra::connector::http,
            "lustra:connector/records@1.0.0": crate::bindings::base::lustra::connector::records,
            "lustra:connector/companies@1.0.0": crate::bindings::base::lustra::connector::companies,
            "lustra:connector/runtime@1.0.0": crate::bindings::base::lustra::connector::runtime,
        },
    });
}

pub mod importer {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "with-importer",
        pub_export_macro: true,
        default_bindings_module: "lustra_sdk::bindings::importer",
        export_macro_name: "export_importer",
        with: {
            "lustra:connector/types@1.0.0": crate::bindings::base::lustra::connector::types,
            "lustra:connector/http@1.0.0": crate::bindings::base::lustra::connector::http,
            "lustra:connector/records@1.0.0": crate::bindings::base::lustra::connector::records,
            "lustra:connector/companies@1.0.0": crate::bindings::base::lustra::connector::companies,
            "lustra:connector/runtime@1.0.0": crate::bindings::base::lustra::connector::runtime,
        },
    });
}
