//! Damages an item of a JSON list.

use std::ops::Range;

use super::{Damage, position, replaced, with_odd_date, with_odd_number};

/// The JSON text with one odd item in a list of objects. The rest keeps its layout, because some registers put each
/// record on its own line.
pub(super) fn with_odd_item(body: &[u8], ico: Option<&str>, damage: Damage) -> Option<Vec<u8>> {
    serde_json::from_slice::<serde::de::IgnoredAny>(body).ok()?;
    let (items, number) = json_lists(body).into_iter().find_map(|items| {
        let number = match ico {
            Some(ico) => items.iter().position(|item| {
                let item = body.get(item.clone()).unwrap_or_default();
                position(item, ico.as_bytes()).is_some()
            })?,
            None => items.len() / 2,
        };
        Some((items, number))
    })?;
    let range = items.get(number)?.clone();
    let item = body.get(range.clone())?;
    match damage {
        Damage::Number => replaced(body, range, &with_odd_json_number(item, ico?)?),
        Damage::Date => replaced(body, range, &with_odd_date(item)?),
        Damage::Form => replaced(body, range, b"7"),
        Damage::Cell => replaced(body, range, b"{}"),
        Damage::Removal => {
            let range = match (items.get(number + 1), number.checked_sub(1)) {
                (Some(next), _) => range.start..next.start,
                (None, before) => items.get(before?)?.end..range.end,
            };
            replaced(body, range, b"")
        }
    }
}

/// Places of the items of each list that has several items, all of them objects, in the order of the lists.
fn json_lists(text: &[u8]) -> Vec<Vec<Range<usize>>> {
    /// An open list or object.
    struct Open {
        at: usize,
        is_list: bool,
        items: Vec<Range<usize>>,
        /// The offset at which the current item begins.
        item: Option<usize>,
    }
    let (mut open, mut lists) = (Vec::<Open>::new(), Vec::new());
    let (mut is_text, mut is_escaped) = (false, false);
    for (at, byte) in text.iter().enumerate() {
        if is_text {
            is_text = is_escaped || *byte != b'"';
            is_escaped = !is_escaped && *byte == b'\\';
            continue;
        }
        if matches!(byte, b',' | b']' | b'}')
            && let Some(top) = open.last_mut()
            && let Some(start) = top.item.take()
        {
            let item = text.get(start..at).unwrap_or_default().trim_ascii_end();
            top.items.push(start..start + item.len());
        }
        match byte {
            b']' | b'}' => lists.extend(open.pop()),
            b',' => {}
            byte if byte.is_ascii_whitespace() => {}
            byte => {
                if let Some(top) = open.last_mut() {
                    top.item.get_or_insert(at);
                }
                is_text = *byte == b'"';
                if matches!(byte, b'[' | b'{') {
                    open.push(Open {
                        at,
                        is_list: *byte == b'[',
                        items: Vec::new(),
                        item: None,
                    });
                }
            }
        }
    }
    let is_object = |item: &Range<usize>| text.get(item.start) == Some(&b'{');
    lists.retain(|list| list.is_list && list.items.len() > 1 && list.items.iter().all(is_object));
    lists.sort_by_key(|list| list.at);
    lists.into_iter().map(|list| list.items).collect()
}

/// The item with a letter in its company number. A JSON number cannot contain a letter, so it becomes a text.
fn with_odd_json_number(item: &[u8], ico: &str) -> Option<Vec<u8>> {
    let at = position(item, ico.as_bytes())?;
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in item.get(..at)? {
        is_text ^= *byte == b'"' && !is_escaped;
        is_escaped = !is_escaped && *byte == b'\\';
    }
    if is_text {
        return with_odd_number(item, Some(ico));
    }
    let odd = with_odd_number(ico.as_bytes(), Some(ico))?;
    replaced(
        item,
        at..at + ico.len(),
        &[b"\"", odd.as_slice(), b"\""].concat(),
    )
}
