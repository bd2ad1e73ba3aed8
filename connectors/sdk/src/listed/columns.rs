//! The columns of an operator's list as a setting.

/// Declares the columns of a list: a type with a member of texts for each of them, which is the setting `columns`. A
/// column without which the table is another one is `required`, others are `optional`; behind each stand the texts that
/// its header may have where the operator says nothing else.
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
            /// As the operator set them. A column that is left out keeps its default.
            ///
            /// # Errors
            /// [`$crate::Failure::Misconfigured`] for a setting of another form.
            pub fn of_settings() -> Result<Self, $crate::Failure> {
                Ok($crate::runtime::setting("columns")?.unwrap_or_default())
            }

            /// The columns for a reader, by the names of the members.
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
