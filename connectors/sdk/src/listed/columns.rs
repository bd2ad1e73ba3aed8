//! The setting `columns`: header texts of an operator's list.

/// Declares the columns of a list as a type with one member per column; the type is the setting
/// `columns`. A `required` column must be present for the table to be recognized, an `optional`
/// one need not. After each name follow the header texts that apply unless the operator sets
/// others.
///
/// The crate must depend on `serde`.
#[macro_export]
macro_rules! columns {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$doc:meta])* $need:ident $column:ident: [$($header:literal),+ $(,)?],)+ }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$doc])* pub $column: $crate::sheet::Headers,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($column: $crate::sheet::Headers::of(&[$($header),+]),)+ }
            }
        }

        impl $name {
            /// Reads the setting. A column that is left out keeps its default.
            ///
            /// # Errors
            /// [`$crate::Failure::Misconfigured`] if the setting has another shape.
            pub fn of_settings() -> Result<Self, $crate::Failure> {
                Ok($crate::runtime::setting("columns")?.unwrap_or_default())
            }

            /// The columns for a sheet reader, named after the members.
            #[must_use]
            pub fn wanted(&self) -> Vec<$crate::sheet::Column<'_>> {
                vec![$($crate::sheet::Column {
                    name: stringify!($column),
                    headers: &self.$column,
                    required: $crate::columns!(@ $need),
                },)+]
            }
        }
    };
    (@ required) => { true };
    (@ optional) => { false };
}
