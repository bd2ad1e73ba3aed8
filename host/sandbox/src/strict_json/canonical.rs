//! Checks a text and writes it again without building its value, several times faster than [`super::parse`].

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use serde::Serialize;
use serde::de::{self, Deserialize, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::{JsonPath, NotAccepted, Step, read};

/// Members of one object that are compared one by one. A set of more members is cheaper.
const FEW_MEMBERS: usize = 16;

/// The text that the value of [`super::parse`] has: without white space, with the shortest form of each text and
/// number.
///
/// # Errors
/// Those of [`super::parse`].
pub fn canonical(text: &str) -> Result<String, NotAccepted> {
    let mut output = Output {
        text: Vec::with_capacity(text.len()),
        names: Vec::new(),
    };
    read(text, |reader, path| {
        let output = &mut output;
        Rewriter { path, output }.deserialize(reader)
    })?;
    Ok(String::from_utf8(output.text).expect("serde_json writes UTF-8"))
}

struct Output {
    text: Vec<u8>,
    /// Where the written names of all open objects are, innermost last.
    names: Vec<Range<usize>>,
}

impl Output {
    fn push<E: de::Error>(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), E> {
        serde_json::to_writer(&mut self.text, value).map_err(E::custom)
    }

    /// Separates an element from the one before it.
    fn next(&mut self, is_first: bool) {
        if !is_first {
            self.text.push(b',');
        }
    }
}

/// The names of one object. Equal names are written equally, so what was written is compared.
#[derive(Default)]
struct Names {
    /// Holds all names once there are more than a few.
    set: HashSet<Vec<u8>>,
}

impl Names {
    /// Adds the name that was written last. False if the object has it already.
    fn add(&mut self, output: &mut Output, first: usize, name: Range<usize>) -> bool {
        let Output { text, names } = output;
        let own = &names[first..];
        let is_new = if own.len() < FEW_MEMBERS {
            own.iter()
                .all(|other| text[other.clone()] != text[name.clone()])
        } else {
            if self.set.is_empty() {
                let known = own.iter().map(|other| text[other.clone()].to_vec());
                self.set.extend(known);
            }
            self.set.insert(text[name.clone()].to_vec())
        };
        names.push(name);
        is_new
    }
}

/// The name of a member, borrowed from the text if it has no escapes.
struct Name<'t>(Cow<'t, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: de::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        reader.deserialize_str(Text)
    }
}

struct Rewriter<'a> {
    path: &'a JsonPath<'a>,
    output: &'a mut Output,
}

impl<'de> DeserializeSeed<'de> for Rewriter<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Rewriter<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.output.push(&())
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.output.push(&value)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.output.push(&value)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.output.push(&value)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        let number = Number::from_f64(value);
        let number = number.ok_or_else(|| E::custom("a number is out of range"))?;
        self.output.push(&number)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<(), E> {
        self.output.push(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Self { path, output } = self;
        output.text.push(b'[');
        let mut count = 0;
        loop {
            // The separator is taken back after the last element.
            let end = output.text.len();
            output.next(count == 0);
            let path = &path.below(Step::Element(count));
            let element = Rewriter {
                path,
                output: &mut *output,
            };
            if elements.next_element_seed(element)?.is_none() {
                output.text.truncate(end);
                break;
            }
            count += 1;
        }
        output.text.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self { path, output } = self;
        output.text.push(b'{');
        let first = output.names.len();
        let mut names = Names::default();
        while let Some(name) = members.next_key::<Name<'de>>()? {
            output.next(output.names.len() == first);
            let began = output.text.len();
            output.push::<A::Error>(&*name.0)?;
            let written = began..output.text.len();
            let path = &path.below(Step::Member(&name.0));
            if !names.add(output, first, written) {
                return Err(path.twice());
            }
            output.text.push(b':');
            let output = &mut *output;
            members.next_value_seed(Rewriter { path, output })?;
        }
        output.names.truncate(first);
        output.text.push(b'}');
        Ok(())
    }
}
