//! Typed parameters: one declaration reads, checks and documents the parameters of a request.
//!
//! [`parameters!`] declares a struct whose fields name the [`Parameter`] types of [`types`]. The extractors
//! [`Query`] and [`Path`] read such a struct, and `utoipa::path` documents it from its `IntoParams`.

pub(super) mod optional;
pub(super) mod types;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use serde_json::Value;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{ParameterBuilder, ParameterIn};
use utoipa::openapi::{Object, Required};

use super::App;
use super::error::ApiError;
use super::query::ParameterReader;

/// The type of one parameter.
pub(super) trait Parameter {
    /// What the handler gets.
    type Value;

    const REQUIRED: bool = false;

    /// Reads the parameter. `None` after recording a mistake.
    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value>;

    /// The schema with every bound that [`Self::read`] checks.
    fn schema() -> Object;
}

/// Parameters that a request has in its path or its query; see [`parameters!`].
pub(super) trait Parameters: Sized {
    /// The names, in the order in which errors list them.
    const NAMES: &'static [&'static str];

    /// Reads all parameters. `None` after recording a mistake.
    fn read(given: &mut ParameterReader) -> Option<Self>;
}

/// Declares parameters that are read and documented from one place:
///
/// ```text
/// parameters! {
///     pub(super) struct HistoryQuery in Query {
///         /// The description in the OpenAPI document.
///         days: Whole<1, 365, 30>,
///         /// With an example, and an extension of the document.
///         ico: Ico = "99999901" [implementation_defined],
///         /// With a name that is not the field's. A field that begins with `_` is checked and not used.
///         _kind as "_type": Text,
///     }
/// }
/// ```
///
/// `struct … in Query checked by function` names a function that checks several parameters against each other.
macro_rules! parameters {
    (
        $visibility:vis struct $name:ident in $place:ident $(checked by $check:ident)? {
            $(
                $(#[doc = $doc:literal])+
                $field:ident $(as $wire:literal)?: $type:ty $(= $example:literal)? $([$extension:ident])?,
            )+
        }
    ) => {
        #[derive(Debug)]
        $visibility struct $name {
            $(
                $(#[doc = $doc])+
                pub(in crate::api) $field: <$type as $crate::api::parameters::Parameter>::Value,
            )+
        }

        impl $crate::api::parameters::Parameters for $name {
            const NAMES: &'static [&'static str] =
                &[$($crate::api::parameters::parameters!(@name $field $($wire)?)),+];

            fn read(given: &mut $crate::api::query::ParameterReader) -> Option<Self> {
                $(
                    let $field = <$type as $crate::api::parameters::Parameter>::read(
                        given,
                        $crate::api::parameters::parameters!(@name $field $($wire)?),
                    );
                )+
                $($check(given);)?
                Some(Self { $($field: $field?),+ })
            }
        }

        impl utoipa::IntoParams for $name {
            fn into_params(
                _place: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                vec![$(
                    $crate::api::parameters::documented::<$type>(
                        utoipa::openapi::path::ParameterIn::$place,
                        $crate::api::parameters::parameters!(@name $field $($wire)?),
                        &[$($doc),+],
                    )
                    $(.example(Some(serde_json::json!($example))))?
                    $(.extensions(Some($crate::api::parameters::extension(stringify!($extension)))))?
                    .build()
                ),+]
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $wire:literal) => { $wire };
}
pub(super) use parameters;

/// The documentation of a parameter. `doc` are the lines of its doc comment.
pub(super) fn documented<T: Parameter>(
    place: ParameterIn,
    name: &str,
    doc: &[&str],
) -> ParameterBuilder {
    let lines: Vec<&str> = doc.iter().map(|line| line.trim()).collect();
    let is_required = T::REQUIRED || place == ParameterIn::Path;
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .description(Some(lines.join(" ")))
        .required(if is_required {
            Required::True
        } else {
            Required::False
        })
        .schema(Some(T::schema()))
}

/// The extension of a parameter or operation that is not part of the service's specification.
pub(super) fn extension(name: &str) -> utoipa::openapi::extensions::Extensions {
    let name = format!("x-{}", name.replace('_', "-"));
    ExtensionsBuilder::new()
        .add(name, Value::Bool(true))
        .build()
}

/// The query of a request. Unknown, repeated and wrong parameters are rejected by name.
#[derive(Debug)]
pub(super) struct Query<T>(pub(super) T);

impl<T: Parameters> FromRequestParts<App> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let mut given =
            ParameterReader::of_query(parts.uri.query(), T::NAMES, app.search.longest_query());
        let read = T::read(&mut given);
        given.finish(read).map(Self)
    }
}

/// The parameters in the path of a request.
#[derive(Debug)]
pub(super) struct Path<T>(pub(super) T);

impl<T: Parameters> FromRequestParts<App> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        // A path that is not UTF-8 has no parameters: its ids exist nowhere, and its numbers are wrong.
        let raw = RawPathParams::from_request_parts(parts, app).await.ok();
        let mut given = ParameterReader::of_path(raw.iter().flatten());
        let read = T::read(&mut given);
        given.finish(read).map(Self)
    }
}

/// Reads the headers of a request.
///
/// # Errors
/// A 422 that names every wrong header.
pub(super) fn of_headers<T: Parameters>(headers: &HeaderMap) -> Result<T, ApiError> {
    let mut given = ParameterReader::of_headers(headers, T::NAMES);
    let read = T::read(&mut given);
    given.finish(read)
}

/// A request without a query.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoQuery;

impl FromRequestParts<App> for NoQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _app: &App) -> Result<Self, ApiError> {
        let given = ParameterReader::of_query(parts.uri.query(), &[], 0);
        given.finish(Some(Self))
    }
}
