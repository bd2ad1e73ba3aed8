//! Nested XML records: SOAP answers, notices, lists whose records contain lists.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::of_xml;
use crate::formats::entities::of_reference;
use crate::{Failure, malformed};

/// Maximum nesting depth. No register comes near it, and a deeper document must not exhaust the
/// stack.
const DEEPEST: usize = 100;

/// An element with its content. Name prefixes are dropped, since registers choose them freely.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Element {
    /// The name without its prefix.
    pub name: String,
    /// The attributes in document order: names without prefix, values with entities resolved.
    pub attributes: Vec<(String, String)>,
    /// The text directly in the element, without surrounding white space.
    pub text: String,
    /// The direct child elements.
    pub children: Vec<Element>,
}

impl Element {
    /// The first child with that name.
    #[must_use]
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The element at a path of names, using the first child with each name.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter()
            .try_fold(self, |element, name| element.child(name))
    }

    /// All children with that name.
    pub fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The text of the first child with that name. `None` if there is no such child or it is
    /// empty.
    #[must_use]
    pub fn text_of(&self, name: &str) -> Option<&str> {
        let text = self.child(name)?.text.as_str();
        (!text.is_empty()).then_some(text)
    }

    /// The value of the attribute with that name. `None` if there is no such attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// All descendants with that name, in document order.
    #[must_use]
    pub fn below(&self, name: &str) -> Vec<&Self> {
        let mut found = Vec::new();
        self.collect(name, &mut found);
        found
    }

    fn collect<'a>(&'a self, name: &str, found: &mut Vec<&'a Self>) {
        for child in &self.children {
            if child.name == name {
                found.push(child);
            }
            child.collect(name, found);
        }
    }
}

/// Reads a whole document; `what` names it in failures.
///
/// # Errors
/// As [`Elements::next_element`]; [`Failure::Malformed`] for a document without an element.
pub fn parse(what: &str, text: &str) -> Result<Element, Failure> {
    let mut elements = Elements::of_root(what, text.as_bytes());
    match elements.next_element()? {
        Some(root) => {
            // Read to the end to detect a document that is truncated inside its root.
            elements.next_element()?;
            Ok(root)
        }
        None => Err(malformed(what, "an element", text)),
    }
}

/// Reads the elements with one name, at any place, one by one from a stream of any size.
///
/// The surrounding elements do not matter, since registers change them. A document that ends
/// before its root is closed is `malformed`: a truncated list must not look complete.
pub struct Elements<R: BufRead> {
    what: String,
    reader: Reader<R>,
    /// Wanted element names. Empty means the root itself.
    wanted: Vec<String>,
    root: Option<Element>,
    buffer: Vec<u8>,
    depth: usize,
    begun: bool,
    read: u64,
}

impl<R: BufRead> Elements<R> {
    /// Reads from UTF-8 input; `what` names the file in failures.
    pub fn new(what: &str, input: R, element: &str) -> Self {
        Self::any_of(what, input, &[element])
    }

    /// Like [`Elements::new`] with several names, for lists whose head is an element like their
    /// entries.
    pub fn any_of(what: &str, input: R, elements: &[&str]) -> Self {
        Self {
            wanted: elements.iter().map(|name| (*name).to_owned()).collect(),
            ..Self::of_root(what, input)
        }
    }

    fn of_root(what: &str, input: R) -> Self {
        let mut reader = Reader::from_reader(input);
        reader.config_mut().check_end_names = true;
        Self {
            what: what.to_owned(),
            reader,
            wanted: Vec::new(),
            root: None,
            buffer: Vec::with_capacity(4096),
            depth: 0,
            begun: false,
            read: 0,
        }
    }

    /// The next element, or `None` after the root is closed.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for invalid or truncated XML, [`Failure::Unavailable`] for an HTML
    /// page.
    pub fn next_element(&mut self) -> Result<Option<Element>, Failure> {
        // The currently open elements, from the wanted one inwards.
        let mut open: Vec<Element> = Vec::new();
        loop {
            self.buffer.clear();
            let event = match self.reader.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(error) => return Err(of_xml(&self.what, self.read, &error)),
            };
            let ended = match event {
                Event::Start(start) => {
                    let element = element(&self.what, self.read, &start)?;
                    self.depth += 1;
                    self.begin(element, &mut open)?;
                    false
                }
                Event::Empty(start) => {
                    let element = element(&self.what, self.read, &start)?;
                    let before = open.len();
                    self.begin(element, &mut open)?;
                    open.len() > before
                }
                Event::Text(piece) => add(&mut open, &piece),
                Event::CData(piece) => add(&mut open, &piece),
                Event::GeneralRef(reference) => match of_reference(&reference) {
                    Some(resolved) => add(&mut open, &resolved),
                    None => {
                        let place = format!("{}: behind element {}", self.what, self.read);
                        return Err(malformed(place, "a known entity", &*reference));
                    }
                },
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    !open.is_empty()
                }
                Event::Eof => {
                    if !self.begun || self.depth > 0 {
                        let place = format!("{}: behind element {}", self.what, self.read);
                        return Err(malformed(
                            place,
                            "the end of the document",
                            "the end of the file",
                        ));
                    }
                    return Ok(None);
                }
                Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => false,
            };
            if ended && let Some(mut done) = open.pop() {
                done.text = done.text.trim().to_owned();
                match open.last_mut() {
                    Some(parent) => parent.children.push(done),
                    None => {
                        self.read += 1;
                        return Ok(Some(done));
                    }
                }
            }
        }
    }

    /// Number of elements read so far.
    pub fn elements_read(&self) -> u64 {
        self.read
    }

    /// The root with its attributes but without its content, once its start tag was read.
    pub fn root(&self) -> Option<&Element> {
        self.root.as_ref()
    }

    fn begin(&mut self, element: Element, open: &mut Vec<Element>) -> Result<(), Failure> {
        if !self.begun && element.name.eq_ignore_ascii_case("html") {
            return Err(Failure::Unavailable(format!(
                "{} is a page of HTML instead of XML",
                self.what
            )));
        }
        let is_root = !self.begun;
        self.begun = true;
        if is_root {
            self.root = Some(element.clone());
        }
        let is_wanted = match self.wanted.as_slice() {
            [] => is_root,
            wanted => wanted.contains(&element.name),
        };
        if !open.is_empty() || is_wanted {
            if open.len() >= DEEPEST {
                let place = format!("{}: element {}", self.what, self.read + 1);
                return Err(malformed(place, "elements less deep", element.name));
            }
            open.push(element);
        }
        Ok(())
    }
}

/// Always returns false, because text never completes an element.
fn add(open: &mut [Element], piece: &str) -> bool {
    if let Some(element) = open.last_mut() {
        element.text.push_str(piece);
    }
    false
}

fn element(what: &str, read: u64, start: &BytesStart<'_>) -> Result<Element, Failure> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| {
            let place = format!("{what}: behind element {read}");
            malformed(place, "well-formed attributes", error.to_string())
        })?;
        let name = attribute.key.local_name().as_ref().to_owned();
        attributes.push((name, unescaped(&attribute.value)));
    }
    Ok(Element {
        name: start.local_name().as_ref().to_owned(),
        attributes,
        text: String::new(),
        children: Vec::new(),
    })
}

/// The value with its entities resolved. Unknown entities stay as they are.
fn unescaped(raw: &str) -> String {
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('&') {
        value.push_str(before);
        match after
            .split_once(';')
            .and_then(|(name, behind)| Some((of_reference(name)?, behind)))
        {
            Some((resolved, behind)) => {
                value.push_str(&resolved);
                rest = behind;
            }
            None => {
                value.push('&');
                rest = after;
            }
        }
    }
    value.push_str(rest);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOAP: &str = r#"<?xml version="1.0"?><s:Envelope xmlns:s="urn:s" xmlns:d="urn:d"><s:Body><d:Answer xsi:type="d:Big &amp; small">
        <d:Item><d:Id>1</d:Id><d:Of><d:Id>2</d:Id></d:Of></d:Item><d:Item/><d:Total> 2 &lt;all&gt; </d:Total></d:Answer></s:Body></s:Envelope>"#;

    #[test]
    fn a_nested_answer_is_read_whole() {
        let root = parse("answer", SOAP).expect("it is XML");
        let answer = root.at(&["Body", "Answer"]).expect("it is there");
        assert_eq!(answer.attribute("type"), Some("d:Big & small"));
        assert_eq!(answer.text_of("Total"), Some("2 <all>"));
        assert_eq!(answer.text_of("Missing"), None);
        let items: Vec<&Element> = answer.children_named("Item").collect();
        assert_eq!(items.len(), 2);
        assert_eq!(items[0].text_of("Id"), Some("1"));
        assert_eq!(items[1].children, []);
        let ids: Vec<&str> = root.below("Id").iter().map(|id| id.text.as_str()).collect();
        assert_eq!(ids, ["1", "2"]);
    }

    #[test]
    fn records_come_one_by_one() {
        let mut items = Elements::new("answer", SOAP.as_bytes(), "Item");
        let first = items
            .next_element()
            .expect("it is XML")
            .expect("there are two");
        assert_eq!(
            first.at(&["Of", "Id"]).map(|id| id.text.as_str()),
            Some("2")
        );
        assert_eq!(
            items.next_element().expect("it is XML"),
            Some(Element {
                name: "Item".to_owned(),
                ..Element::default()
            })
        );
        assert_eq!(items.next_element().expect("it is XML"), None);
        assert_eq!(items.elements_read(), 2);
    }

    #[test]
    fn a_list_has_a_head_and_its_root_attributes() {
        let list = r#"<list day="2026-01-15"><head><n>1</n></head><of><item/></of></list>"#;
        let mut elements = Elements::any_of("list", list.as_bytes(), &["head", "item"]);
        let mut names = Vec::new();
        while let Some(element) = elements.next_element().expect("it is XML") {
            names.push(element.name);
        }
        assert_eq!(names, ["head", "item"]);
        let root = elements.root().expect("it was begun");
        assert_eq!(root.attribute("day"), Some("2026-01-15"));
        assert_eq!(root.children, []);
    }

    #[test]
    fn truncated_or_foreign_document_fails() {
        let cut = &SOAP[..SOAP.len() - 12];
        assert!(matches!(parse("answer", cut), Err(Failure::Malformed(_))));
        assert!(matches!(parse("answer", ""), Err(Failure::Malformed(_))));
        assert!(matches!(
            parse("answer", "garbage"),
            Err(Failure::Malformed(_))
        ));
        assert!(matches!(
            parse("answer", "<!DOCTYPE html><html><body>x</body></html>"),
            Err(Failure::Unavailable(_))
        ));
        let deep = "<a>".repeat(5_000);
        assert!(matches!(parse("answer", &deep), Err(Failure::Malformed(_))));
    }
}
