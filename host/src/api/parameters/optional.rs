//! Types of parameters that filter a list and may be missing.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{KnownFormat, Object, SchemaFormat};

use super::Parameter;
use crate::api::query::ParameterReader;
use crate::companies::{Ico, InvalidIco};

/// A registration number (IČO), if it is given.
pub(in crate::api) struct IcoIfAny;

impl Parameter for IcoIfAny {
    type Value = Option<Ico>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        let Some(text) = given.text(name) else {
            return Some(None);
        };
        let ico = Ico::parse(text).ok();
        if ico.is_none() {
            given.refuse(name, InvalidIco.to_string());
        }
        ico.map(Some)
    }

    fn schema() -> Object {
        <Ico as Parameter>::schema()
    }
}

/// A time of RFC 3339, if it is given.
pub(in crate::api) struct Time;

impl Parameter for Time {
    type Value = Option<OffsetDateTime>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        let Some(text) = given.text(name) else {
            return Some(None);
        };
        let time = OffsetDateTime::parse(text, &Rfc3339).ok();
        if time.is_none() {
            given.refuse(name, "a time of RFC 3339, such as 2026-01-15T08:00:00Z");
        }
        time.map(Some)
    }

    fn schema() -> Object {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .build()
    }
}
