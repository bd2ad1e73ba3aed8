//! The operator's settings, declared once: type, default, range and description.
//!
//! [`settings!`](crate::settings!) writes the struct, its defaults and its reader. Natively it also
//! writes `declared()`, which `Manifest::assert_settings_are` compares with the settings' schema in the
//! manifest, so that code and manifest cannot drift apart.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::ops::{RangeFrom, RangeInclusive};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Failure, runtime};

#[cfg(not(target_family = "wasm"))]
mod declared;
#[cfg(not(target_family = "wasm"))]
pub use declared::{Declared, Member, SettingType, Shape, range};

/// Declares settings of a connector, in one of three forms.
///
/// `struct`: settings that are read together. `Settings::read()` gives the operator's values, with the
/// default for each setting that is left out.
///
/// ```ignore
/// lustra_sdk::settings! {
///     /// The settings of the look-up.
///     pub struct Settings {
///         /// Path of the service.
///         path: String = "/decisions",
///         /// Number of decisions on a page. The service may return fewer.
///         page_size: u64 [1..=1000] = 100,
///         /// Status words.
///         words: Words = Words::default(),
///     }
/// }
/// ```
///
/// A field is a setting of the same name, or of another one with `field as "name": …`. `[1..=1000]` and `[1..]` are
/// the range of a number. A line `check Self::checked;` behind the struct names a function
/// `fn(Self) -> Result<Self, Failure>` for conditions that involve more than one value.
///
/// `group`: an object as the value of one setting. Members that are left out keep their default; unknown
/// members are refused.
///
/// `choice`: an enum of words, such as `File = "file",`.
///
/// The doc comment of each setting and of each member is its `description` in the manifest.
#[macro_export]
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident $(as $key:literal)? : $type:ty $([$range:expr])? = $default:expr,)+
        }
        $(check $check:path;)?
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::settings::IntoSetting::<$type>::into_setting($default),)+ }
            }
        }

        impl $name {
            /// Reads the settings, with the default for each one that is left out.
            ///
            /// # Errors
            /// [`Failure::Misconfigured`]($crate::Failure::Misconfigured) names a setting whose value has
            /// another type or is out of its range.
            pub fn read() -> Result<Self, $crate::Failure> {
                let default = Self::default();
                let settings = Self {
                    $($field: $crate::settings::read($crate::settings!(@key $field $($key)?), default.$field)?,)+
                };
                $($crate::settings!(@check ($crate::settings!(@key $field $($key)?)) (settings.$field) ($($range)?));)+
                $(let settings = $check(settings)?;)?
                Ok(settings)
            }

            /// These settings as the manifest must declare them.
            #[cfg(not(target_family = "wasm"))]
            #[must_use]
            pub fn declared() -> $crate::settings::Declared {
                let default = Self::default();
                $crate::settings::Declared(vec![$($crate::settings::Member {
                    name: $crate::settings!(@key $field $($key)?),
                    description: Some(concat!($($doc, "\n"),+)),
                    shape: <$type as $crate::settings::SettingType>::shape(),
                    range: $crate::settings!(@range $type, ($($range)?)),
                    default: $crate::serde_json::json!(&default.$field),
                },)+])
            }
        }
    };
    (
        $(#[$about:meta])*
        pub group $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident : $type:ty = $default:expr,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "lustra_sdk::serde", default, deny_unknown_fields)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::settings::IntoSetting::<$type>::into_setting($default),)+ }
            }
        }

        #[cfg(not(target_family = "wasm"))]
        impl $crate::settings::SettingType for $name {
            fn shape() -> $crate::settings::Shape {
                let default = Self::default();
                $crate::settings::Shape::Group(vec![$($crate::settings::Member {
                    name: stringify!($field),
                    description: Some(concat!($($doc, "\n"),+)),
                    shape: <$type as $crate::settings::SettingType>::shape(),
                    range: None,
                    default: $crate::serde_json::json!(&default.$field),
                },)+])
            }
        }
    };
    (
        $(#[$about:meta])*
        pub choice $name:ident {
            $($(#[$doc:meta])+ $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "lustra_sdk::serde")]
        pub enum $name {
            $($(#[$doc])+ #[serde(rename = $word)] $variant,)+
        }

        #[cfg(not(target_family = "wasm"))]
        impl $crate::settings::SettingType for $name {
            fn shape() -> $crate::settings::Shape {
                $crate::settings::Shape::Choice(vec![$($word),+])
            }
        }
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@check ($key:expr) ($value:expr) ()) => {};
    (@check ($key:expr) ($value:expr) ($range:expr)) => {
        $crate::settings::in_range($key, &$value, &$range)?
    };
    (@range $type:ty, ()) => { None };
    (@range $type:ty, ($range:expr)) => { Some($crate::settings::range::<$type>(&$range)) };
}

/// The default of a setting as `settings!` takes it: a value of its type, or text for a `String` and an array
/// for a list.
pub trait IntoSetting<T> {
    /// The value of the setting.
    fn into_setting(self) -> T;
}

impl<T> IntoSetting<T> for T {
    fn into_setting(self) -> T {
        self
    }
}

impl IntoSetting<String> for &str {
    fn into_setting(self) -> String {
        self.to_owned()
    }
}

impl<const N: usize> IntoSetting<Vec<String>> for [&str; N] {
    fn into_setting(self) -> Vec<String> {
        self.map(str::to_owned).into()
    }
}

impl<const N: usize> IntoSetting<BTreeSet<String>> for [&str; N] {
    fn into_setting(self) -> BTreeSet<String> {
        self.map(str::to_owned).into()
    }
}

#[cfg(feature = "sheet")]
impl<const N: usize> IntoSetting<crate::sheet::Headers> for [&str; N] {
    fn into_setting(self) -> crate::sheet::Headers {
        crate::sheet::Headers::of(&self)
    }
}

impl<T, const N: usize> IntoSetting<Vec<T>> for [T; N] {
    fn into_setting(self) -> Vec<T> {
        self.into()
    }
}

/// A password or key. Its debug output does not contain it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The text; `None` if it is empty.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        Some(self.0.as_str()).filter(|text| !text.is_empty())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// The range of a number: `1..=100` or `1..`.
pub trait Limits<T> {
    /// The smallest value that is allowed.
    fn smallest(&self) -> &T;
    /// The largest one, if there is one.
    fn largest(&self) -> Option<&T>;
}

impl<T> Limits<T> for RangeInclusive<T> {
    fn smallest(&self) -> &T {
        self.start()
    }

    fn largest(&self) -> Option<&T> {
        Some(self.end())
    }
}

impl<T> Limits<T> for RangeFrom<T> {
    fn smallest(&self) -> &T {
        &self.start
    }

    fn largest(&self) -> Option<&T> {
        None
    }
}

/// Reads a setting, or gives its default.
///
/// # Errors
/// [`Failure::Misconfigured`] if the value does not fit the type.
#[doc(hidden)]
pub fn read<T: DeserializeOwned>(name: &str, default: T) -> Result<T, Failure> {
    Ok(runtime::setting(name)?.unwrap_or(default))
}

/// Checks the range of a number.
///
/// # Errors
/// [`Failure::Misconfigured`] if the value is out of it.
#[doc(hidden)]
pub fn in_range<T: PartialOrd + Display>(
    name: &str,
    value: &T,
    range: &impl Limits<T>,
) -> Result<(), Failure> {
    let (smallest, largest) = (range.smallest(), range.largest());
    if value >= smallest && largest.is_none_or(|largest| value <= largest) {
        return Ok(());
    }
    let most = largest.map_or_else(String::new, |largest| format!(" and at most {largest}"));
    Err(Failure::Misconfigured(format!(
        "the setting {name} must be at least {smallest}{most}, not {value}"
    )))
}

#[cfg(test)]
mod tests;
