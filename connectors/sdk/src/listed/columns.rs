//! The setting `columns`: header texts of an operator's list.

/// Declares the columns of a list as the type of the setting `columns`, with one member per column.
/// A `required` column must be present for the table to be recognized, an `optional` one need not.
/// After each name follow the header texts that apply unless the operator sets others. The doc
/// comment of a column is its description in the manifest; for a required one, with *Required.* added.
#[macro_export]
macro_rules! columns {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[doc = $doc:literal])+ $need:ident $column:ident: [$($header:literal),+ $(,)?],)+ }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "lustra_sdk::serde", default, deny_unknown_fields)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $column: $crate::sheet::Headers,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($column: $crate::sheet::Headers::of(&[$($header),+]),)+ }
            }
        }

        impl $name {
            /// The columns for a sheet reader, named after the members.
            #[must_use]
            pub fn wanted(&self) -> Vec<$crate::sheet::Column<'_>> {
                vec![$($crate::sheet::Column {
                    name: stringify!($column),
                    headers: &self.$column,
                    required: $crate::columns!(@ $need true false),
                },)+]
            }
        }

        #[cfg(not(target_family = "wasm"))]
        impl $crate::settings::SettingType for $name {
            fn shape() -> $crate::settings::Shape {
                let default = Self::default();
                $crate::settings::Shape::Group(vec![$($crate::settings::Member {
                    name: stringify!($column),
                    description: Some(concat!($($doc, "\n",)+ $crate::columns!(@ $need "Required." ""))),
                    shape: <$crate::sheet::Headers as $crate::settings::SettingType>::shape(),
                    range: None,
                    default: $crate::serde_json::json!(&default.$column),
                },)+])
            }
        }
    };
    (@ required $if_required:literal $otherwise:literal) => { $if_required };
    (@ optional $if_required:literal $otherwise:literal) => { $otherwise };
}
