//! Why a program and a store refuse each other because of the schema.

/// The refusal, as a sentence that names both versions and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaRefusal {
    /// A newer program has changed the store, and this program may not use it any more.
    #[error(
        "its schema {store}{} needs a program with schema {oldest_program} or newer, and this is lustra {program} with \
         schema {schema}; start the newer program, or restore a backup from before the upgrade", by(.applied_by)
    )]
    NewerStore {
        /// The migration that refuses this program.
        store: i64,
        /// The version of the program that applied it.
        applied_by: Option<String>,
        oldest_program: i64,
        program: &'static str,
        schema: i64,
    },
    /// A migration that this program does not know and that says nothing about programs.
    #[error(
        "its migration {migration} is unknown to lustra {program} with schema {schema} and does not declare which \
         programs may use the store; start the program that applied it, or restore a backup from before that"
    )]
    Undeclared {
        migration: i64,
        program: &'static str,
        schema: i64,
    },
    /// This program no longer has the migrations that the store lacks.
    #[error(
        "its schema {store} is older than {oldest_store}, the oldest that lustra {program} with schema {schema} can \
         migrate; first start a version between them"
    )]
    OlderStore {
        store: i64,
        oldest_store: i64,
        program: &'static str,
        schema: i64,
    },
}

fn by(version: &Option<String>) -> String {
    let version = version.as_ref();
    version.map_or_else(String::new, |version| format!(" (of lustra {version})"))
}
