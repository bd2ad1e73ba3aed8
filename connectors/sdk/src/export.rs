//! The macro that turns a connector crate into a component.

/// Turns the crate into a component: embeds `manifest.json` and exports the named traits of the
/// type.
///
/// `export!(Rpo: CompanySource, Importer);` requires `Rpo: CompanySource + Importer` and a
/// `manifest.json` beside `Cargo.toml`. On native targets it expands only to the constant
/// `MANIFEST` and a check of the traits: a native shared library cannot hold the names of
/// component exports, and the crate's tests must link.
#[macro_export]
macro_rules! export {
    ($connector:ty : $($ability:ident),+ $(,)?) => {
        /// The text of `manifest.json`, which the component carries.
        pub const MANIFEST: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/manifest.json"));

        #[cfg(not(target_family = "wasm"))]
        const _: () = {
            $( $crate::__assert_ability!($connector, $ability); )+
        };

        #[cfg(target_family = "wasm")]
        mod lustra_export {
            #[allow(unused_imports, reason = "the connector's type may need any of its crate's names")]
            use super::*;

            #[expect(unsafe_code, reason = "a custom section is placed by an unsafe attribute")]
            #[unsafe(link_section = "lustra:manifest")]
            #[used]
            static MANIFEST_SECTION: [u8; include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/manifest.json")).len()] =
                *include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/manifest.json"));

            struct Component;

            impl $crate::bindings::base::exports::lustra::connector::connector::Guest for Component {
                fn describe() -> String {
                    $crate::runtime::install_panic_hook();
                    super::MANIFEST.to_owned()
                }
            }
            $crate::bindings::base::export_base!(Component with_types_in $crate::bindings::base);

            $( $crate::__export_ability!($connector, $ability); )+
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __assert_ability {
    ($connector:ty, $ability:ident) => {{
        const fn has_ability<T: $crate::$ability>() {}
        has_ability::<$connector>();
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __export_ability {
    ($connector:ty, CompanySource) => {
        impl $crate::bindings::company_source::exports::lustra::connector::company_source::Guest for Component {
            fn fetch_company(key: $crate::CompanyKey) -> Result<Option<$crate::Company>, $crate::Failure> {
                $crate::runtime::install_panic_hook();
                <$connector as $crate::CompanySource>::fetch_company(key)
            }
        }
        $crate::bindings::company_source::export_company_source!(
            Component with_types_in $crate::bindings::company_source
        );
    };
    ($connector:ty, Enrichment) => {
        impl $crate::bindings::enrichment::exports::lustra::connector::enrichment::Guest for Component {
            fn enrich(scope: String, subject: $crate::Subject) -> Result<$crate::Section, $crate::Failure> {
                $crate::runtime::install_panic_hook();
                <$connector as $crate::Enrichment>::enrich(&scope, subject)
            }
        }
        $crate::bindings::enrichment::export_enrichment!(Component with_types_in $crate::bindings::enrichment);
    };
    ($connector:ty, Importer) => {
        struct Run(::std::cell::RefCell<Box<dyn $crate::ImportRun>>);

        impl $crate::bindings::importer::exports::lustra::connector::importer::GuestImportRun for Run {
            fn next(&self) -> Result<Option<$crate::Batch>, $crate::Failure> {
                self.0.borrow_mut().next()
            }
        }

        impl $crate::bindings::importer::exports::lustra::connector::importer::Guest for Component {
            type ImportRun = Run;

            fn open(
                dataset: String,
                cursor: Option<String>,
            ) -> Result<$crate::bindings::importer::exports::lustra::connector::importer::ImportRun, $crate::Failure> {
                $crate::runtime::install_panic_hook();
                let run = <$connector as $crate::Importer>::open(&dataset, cursor)?;
                Ok($crate::bindings::importer::exports::lustra::connector::importer::ImportRun::new(Run(
                    ::std::cell::RefCell::new(run),
                )))
            }
        }
        $crate::bindings::importer::export_importer!(Component with_types_in $crate::bindings::importer);
    };
}
