//! Settings as the code declares them, for the comparison with the manifest.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::{Limits, Secret};

/// Settings of a connector, from `settings!`.
#[derive(Debug, Clone)]
pub struct Declared(pub Vec<Member>);

/// A setting, or a member of one.
#[derive(Debug, Clone)]
pub struct Member {
    pub name: &'static str,
    /// Its doc comment. `None` if the text is written in the manifest alone.
    pub description: Option<&'static str>,
    pub shape: Shape,
    /// The smallest and the largest value of a number.
    pub range: Option<(Value, Option<Value>)>,
    /// Null if there is none.
    pub default: Value,
}

/// The form of a setting's value.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A type by its name in JSON Schema.
    Type(&'static str),
    /// An integer that is not negative.
    Unsigned,
    /// A text that the manifest marks as `writeOnly`, so that the host masks it.
    Secret,
    /// A value or null.
    Nullable(Box<Shape>),
    List(Box<Shape>),
    /// An object whose members all have this form.
    Map(Box<Shape>),
    /// One of these words.
    Choice(Vec<&'static str>),
    /// An object with these members and no others.
    Group(Vec<Member>),
}

/// A type that a setting can have.
pub trait SettingType {
    /// The form of its values.
    fn shape() -> Shape;
}

macro_rules! shapes {
    ($($shape:expr => $($type:ty),+;)+) => {
        $($(impl SettingType for $type {
            fn shape() -> Shape {
                $shape
            }
        })+)+
    };
}

shapes! {
    Shape::Type("string") => String;
    Shape::Type("boolean") => bool;
    Shape::Type("number") => f64;
    Shape::Type("integer") => i64;
    Shape::Unsigned => u8, u16, u32, u64, usize;
    Shape::Secret => Secret;
}

#[cfg(feature = "sheet")]
impl SettingType for crate::sheet::Headers {
    fn shape() -> Shape {
        Vec::<String>::shape()
    }
}

impl<T: SettingType> SettingType for Vec<T> {
    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()))
    }
}

impl<T: SettingType> SettingType for BTreeSet<T> {
    fn shape() -> Shape {
        Vec::<T>::shape()
    }
}

impl<T: SettingType> SettingType for Option<T> {
    fn shape() -> Shape {
        Shape::Nullable(Box::new(T::shape()))
    }
}

impl<T: SettingType> SettingType for BTreeMap<String, T> {
    fn shape() -> Shape {
        Shape::Map(Box::new(T::shape()))
    }
}

/// The ends of a range as JSON numbers.
pub fn range<T: Serialize>(range: &impl Limits<T>) -> (Value, Option<Value>) {
    let number = |end: &T| serde_json::json!(end);
    (number(range.smallest()), range.largest().map(number))
}
