//! The supported part of `OData`: query options, and rows reduced to the requested members.

use serde_json::{Map, Value};

use super::rows::{self, Entity};
use super::{PAGE, Refused};

/// The options of a query.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) filter: Option<String>,
    expand: Option<String>,
    select: Option<String>,
    pub(super) skip: usize,
    /// The page starts after this id.
    pub(super) after: u64,
}

impl Options {
    pub(super) fn parse(query: &str) -> Result<Self, Refused> {
        let mut options = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            options.set(&decoded(name)?, decoded(value)?)?;
        }
        Ok(options)
    }

    /// Options within an expansion: `$expand=A;$select=B`.
    fn nested(text: &str) -> Result<Self, Refused> {
        let mut options = Self::default();
        for option in split(text, ';') {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            match name {
                "$expand" | "$select" => options.set(name, value.to_owned())?,
                _ => return Err(refused(format!("{name} in an expansion"))),
            }
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), Refused> {
        match name {
            "$filter" => self.filter = Some(value),
            "$expand" => self.expand = Some(value),
            "$select" => self.select = Some(value),
            "$skip" => self.skip = value.parse().or(Err(refused("$skip")))?,
            "$skiptoken" => {
                let id = value.strip_prefix("Id-").and_then(|id| id.parse().ok());
                self.after = id.ok_or_else(|| refused("$skiptoken"))?;
            }
            _ => return Err(refused(format!("Query option '{name}' is not allowed."))),
        }
        Ok(())
    }
}

fn refused(why: impl Into<String>) -> Refused {
    Refused::Query(why.into())
}

/// Percent-decodes a text. A `+` is not a space here.
fn decoded(text: &str) -> Result<String, Refused> {
    if text.contains('+') {
        return Err(refused("Syntax error at '+'."));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let escaped = behind.get(..2).filter(|_| *byte == b'%');
        match escaped.and_then(|digits| std::str::from_utf8(digits).ok()) {
            Some(digits) => {
                let value = u8::from_str_radix(digits, 16).or(Err(refused("percent")))?;
                bytes.push(value);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*byte);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).or(Err(refused("not UTF-8")))
}

/// Splits at a character outside parentheses.
fn split(text: &str, at: char) -> Vec<&str> {
    let (mut parts, mut depth, mut begun) = (Vec::new(), 0_u32, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if letter == at && depth == 0 => {
                parts.push(&text[begun..place]);
                begun = place + at.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[begun..]);
    parts
}

/// The numbers of `PartneriVerejnehoSektora/any(p:p/Ico eq '…' or p/Ico eq '…')`.
pub(super) fn numbers_within(filter: &str) -> Result<Vec<String>, Refused> {
    let within = filter
        .strip_prefix("PartneriVerejnehoSektora/any(p:")
        .and_then(|rest| rest.strip_suffix(')'))
        .ok_or_else(|| refused("$filter"))?;
    numbers(within, "p/")
}

/// The numbers of `Ico eq '…' or Ico eq '…'`.
pub(super) fn numbers(filter: &str, prefix: &str) -> Result<Vec<String>, Refused> {
    let conditions = filter.split(" or ").map(|condition| {
        let number = condition
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix("Ico eq '"))
            .and_then(|rest| rest.strip_suffix('\''))
            .filter(|number| !number.contains('\''));
        number.map(str::to_owned).ok_or_else(|| refused("$filter"))
    });
    conditions.collect()
}

/// The query of the page after an id.
pub(super) fn behind(query: &str, id: u64) -> String {
    let kept = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("$skip"));
    let mut pairs: Vec<String> = kept.map(str::to_owned).collect();
    pairs.push(format!("$skiptoken=Id-{id}"));
    pairs.join("&")
}

/// The requested members of a row.
#[derive(Debug)]
pub(super) struct Projection {
    entity: Entity,
    select: Option<Vec<String>>,
    expanded: Vec<Expanded>,
}

#[derive(Debug)]
struct Expanded {
    name: &'static str,
    /// The options in the parentheses.
    options: String,
    projection: Projection,
}

impl Projection {
    /// Parses the options. Names are case-insensitive.
    pub(super) fn of(entity: Entity, options: &Options) -> Result<Self, Refused> {
        let select = options.select.as_ref().map(|select| {
            let names = select.split(',').map(|name| name.trim().to_owned());
            names.collect::<Vec<String>>()
        });
        let mut expanded = Vec::new();
        for item in options.expand.iter().flat_map(|expand| split(expand, ',')) {
            let item = item.trim();
            let (name, nested) = match item.split_once('(') {
                Some((name, rest)) => (name, rest.strip_suffix(')').unwrap_or(rest)),
                None => (item, ""),
            };
            let known = entity
                .navigation()
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name));
            let Some((name, below)) = known else {
                let set = entity.set();
                return Err(refused(format!(
                    "Could not find a property named '{name}' on '{set}'."
                )));
            };
            let options = if nested.is_empty() {
                Options::default()
            } else {
                Options::nested(nested)?
            };
            expanded.push(Expanded {
                name,
                options: nested.replace(';', "&"),
                projection: Self::of(*below, &options)?,
            });
        }
        Ok(Self {
            entity,
            select,
            expanded,
        })
    }

    /// The names of the expanded members, for the context.
    pub(super) fn names(&self) -> String {
        let names = self.expanded.iter().map(|one| format!("{}()", one.name));
        names.collect::<Vec<_>>().join(",")
    }

    /// A row of a list below `base`. Lists within it are truncated, with links to the rest.
    pub(super) fn cut(&self, row: Value, base: &str) -> Value {
        let id = rows::id(&row);
        self.projected(row, Some(&format!("{base}({id})")))
    }

    /// A row with complete lists.
    pub(super) fn whole(&self, row: Value) -> Value {
        self.projected(row, None)
    }

    fn projected(&self, row: Value, cut_below: Option<&str>) -> Value {
        let Value::Object(members) = row else {
            return row;
        };
        let is_navigation = |name: &str| {
            self.entity
                .navigation()
                .iter()
                .any(|(known, _)| *known == name)
        };
        let mut kept = Map::new();
        for (name, value) in members {
            if is_navigation(&name) {
                let expanded = self.expanded.iter().find(|one| one.name == name);
                if let Some(expanded) = expanded {
                    expanded.put(value, cut_below, &mut kept);
                }
            } else if self
                .select
                .as_ref()
                .is_none_or(|names| names.contains(&name))
            {
                kept.insert(name, value);
            }
        }
        Value::Object(kept)
    }
}

impl Expanded {
    fn put(&self, value: Value, cut_below: Option<&str>, into: &mut Map<String, Value>) {
        let name = self.name;
        let value = if let Value::Array(mut rows) = value {
            if let Some(row) = cut_below.filter(|_| rows.len() > PAGE) {
                rows.truncate(PAGE);
                let last = rows.last().map_or(0, rows::id);
                let query = behind(&self.options, last);
                let link = format!("{row}/{name}?{query}");
                into.insert(format!("{name}@odata.nextLink"), Value::from(link));
            }
            let rows = rows.into_iter().map(|row| self.projection.whole(row));
            Value::Array(rows.collect())
        } else {
            self.projection.whole(value)
        };
        into.insert(name.to_owned(), value);
    }
}
