//! The crate that `lustra connector new` writes: the files of `template/`, and what is put in for their placeholders.
//!
//! Placeholders are `@name@`, so that neither JSON nor Rust need escaping. Which files there are is known when the
//! program is built.

/// What stands for the placeholders.
pub(super) struct Names {
    /// `@id@`, the connector's id.
    pub(super) id: String,
    /// `@sdk@`, the path of the SDK's crate as a TOML text, with its quotes.
    pub(super) sdk: String,
}

impl Names {
    /// `@crate@`, the package's name.
    pub(super) fn package(&self) -> String {
        format!("lustra-{}", self.id)
    }

    /// A template with the names put in.
    pub(super) fn put_into(&self, template: &str) -> String {
        let snake = self.id.replace('-', "_");
        template
            .replace("@id@", &self.id)
            .replace("@scope@", &snake)
            .replace("@crate@", &self.package())
            .replace("@lib@", &format!("lustra_{snake}"))
            .replace("@sdk@", &self.sdk)
    }
}

/// A file of the new crate: where it goes, and its template.
pub(super) type File = (&'static str, &'static str);

/// What every crate has.
pub(super) const CARGO: File = ("Cargo.toml", include_str!("template/Cargo.toml.in"));

/// Added to `Cargo.toml` where no workspace has the crate for a member.
pub(super) const OWN_WORKSPACE: &str =
    "\n# A workspace of its own, so that it builds wherever it lies.\n[workspace]\n";

/// Added to `Cargo.toml` of a member, where the workspace has lints.
pub(super) const LINTS_OF_WORKSPACE: &str = "\n[lints]\nworkspace = true\n";

macro_rules! files {
    ($kind:literal: $($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("template/", $kind, "/", $path, ".in")))),+]
    };
}

/// What a connector consists of that answers a question about one company.
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

/// What git should pass over.
pub(super) const IGNORED: File = (".gitignore", include_str!("template/gitignore.in"));
