//! The files of `template/`, which `lustra connector new` writes, and their placeholders.
//!
//! Placeholders are `@name@`, so that neither JSON nor Rust need escaping. The list of files is fixed at compile time.

use lustra_store::ConnectorId;

/// Values of the placeholders.
pub(super) struct Names {
    /// `@id@`, the connector's id.
    pub(super) id: ConnectorId,
    /// `@sdk@`, the path of the SDK's crate as a quoted TOML string.
    pub(super) sdk: String,
}

impl Names {
    /// `@crate@`, the package's name.
    pub(super) fn package(&self) -> String {
        format!("lustra-{}", self.id)
    }

    /// Fills in the placeholders of a template.
    pub(super) fn put_into(&self, template: &str) -> String {
        let snake = self.id.as_str().replace('-', "_");
        template
            .replace("@id@", self.id.as_str())
            .replace("@scope@", &snake)
            .replace("@crate@", &self.package())
            .replace("@lib@", &format!("lustra_{snake}"))
            .replace("@sdk@", &self.sdk)
    }
}

/// A file of the new crate: its path and its template.
pub(super) type File = (&'static str, &'static str);

/// The `Cargo.toml` of every new crate.
pub(super) const CARGO: File = ("Cargo.toml", include_str!("template/Cargo.toml.in"));

/// Added to `Cargo.toml` if the crate is not a member of a workspace.
pub(super) const OWN_WORKSPACE: &str =
    "\n# The crate is its own workspace, so that it builds in any directory.\n[workspace]\n";

/// Added to `Cargo.toml` of a member if the workspace has lints.
pub(super) const LINTS_OF_WORKSPACE: &str = "\n[lints]\nworkspace = true\n";

macro_rules! files {
    ($kind:literal: $($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("template/", $kind, "/", $path, ".in")))),+]
    };
}

/// Files of a connector that enriches a company.
pub(super) const ENRICHMENT: &[File] = files!["enrichment":
    "manifest.json",
    "src/lib.rs",
    "fixtures/licences/input.json",
    "fixtures/licences/expected.json",
    "fixtures/none/input.json",
    "fixtures/none/expected.json",
    "fixtures/unknown-company/input.json",
    "fixtures/unknown-company/expected.json",
    "fixtures/cut-short/input.json",
    "fixtures/cut-short/expected.json",
    "tests/fixtures.rs",
    "tests/asking.rs",
    "README.md",
];

pub(super) const IGNORED: File = (".gitignore", include_str!("template/gitignore.in"));
