//! Paginated lists with their stated totals.
//!
//! A list states its number of entries, or that it is empty, and the entries on its pages must add up to that
//! number.

use std::collections::HashSet;

use lustra_sdk::html::{self, scraper::ElementRef};
use lustra_sdk::text::fold;
use lustra_sdk::unread::{Gap, Unread};
use lustra_sdk::{Failure, malformed};

use crate::asking::Asking;
use crate::settings::Lists;
use crate::site::{self, Page};

/// What was read of a list.
#[derive(Debug)]
pub struct Listed<T> {
    /// The entries, in the list's order.
    pub entries: Vec<T>,
    /// The number of entries according to the list.
    pub total: u64,
}

impl<T> Listed<T> {
    /// True if the list was read to its end.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.entries.len() as u64 == self.total
    }
}

/// Marks a list, or the pages of its entries, as not read to the end. A retry would read no more.
#[must_use]
pub fn cut_short(source: &str, read: usize, total: u64) -> Unread {
    let why = format!("{read} of {total} were read, see the setting most_requests");
    Gap::Truncated(why).unread(source, None)
}

/// Marks a list of which odd rows were left out. `None` if there were none.
#[must_use]
pub fn left_out(source: &str, rows: usize) -> Option<Unread> {
    let why = format!("{rows} rows of {source} have another form and were left out");
    (rows > 0).then(|| Gap::InPart(why).unread(source, None))
}

/// The element with the number of entries; pages without it are searched as a whole.
const COUNT: &str = ".pag-info";

/// The number of entries that a page states: `3 záznamov`, or the sentence for an empty list.
///
/// # Errors
/// [`Failure::Malformed`] if it states neither, or both; [`Failure::Unavailable`] for an outage page.
pub fn total(page: &Page, what: &str, lists: &Lists) -> Result<u64, Failure> {
    let folded = fold(&page.text);
    let nothing = |text: &String| !fold(text).is_empty() && folded.contains(&fold(text));
    let is_nothing = lists.nothing_found.iter().any(nothing);
    let places: Vec<ElementRef<'_>> = page.document.select(&html::selector(COUNT)).collect();
    let places = if places.is_empty() {
        vec![page.document.root_element()]
    } else {
        places
    };
    let mut counts: Vec<u64> = places
        .into_iter()
        .flat_map(|place| place.descendants())
        .filter_map(ElementRef::wrap)
        .filter_map(|element| count(&html::text(element)))
        .collect();
    counts.dedup();
    let place = format!("{what}: number of entries");
    match (is_nothing, counts.as_slice()) {
        (true, []) => Ok(0),
        (false, [count]) if *count > 0 => Ok(*count),
        (_, []) => Err(site::strange(
            page,
            &place,
            "a number of entries, or the words for nothing found",
        )),
        (true, _) => Err(malformed(place, "none or some", "both")),
        (false, [..]) => Err(malformed(
            place,
            "one number above 0",
            format!("{counts:?}"),
        )),
    }
}

/// The number in `3 záznamov`, in any grammatical case.
fn count(text: &str) -> Option<u64> {
    let folded = fold(text);
    let (number, word) = folded.rsplit_once(' ')?;
    if !["zaznam", "zaznamy", "zaznamov"].contains(&word) {
        return None;
    }
    number.replace(' ', "").parse().ok()
}

/// Reads a list page by page, as far as `asking` allows. `path` is the first page, `read` reads the entries of
/// a page, and `key` identifies an entry.
///
/// # Errors
/// The failures of `asking` and `read`; [`Failure::Malformed`] if the pages do not add up, or if every page is
/// the first one; [`Failure::Unavailable`] if the list changed between two pages.
pub fn read<T>(
    what: &str,
    path: &str,
    asking: &mut Asking,
    lists: &Lists,
    mut read: impl FnMut(&Page) -> Result<Vec<T>, Failure>,
    key: impl Fn(&T) -> String,
) -> Result<Listed<T>, Failure> {
    let page = asking.page(path)?;
    let mut listed = Listed {
        entries: Vec::new(),
        total: total(&page, what, lists)?,
    };
    if listed.total == 0 {
        return Ok(listed);
    }
    let mut seen = HashSet::new();
    let mut entries = read(&page)?;
    for number in lists.first_page + 1.. {
        add(what, entries, &mut listed, &mut seen, &key)?;
        if listed.is_whole() || !asking.may_go_on() {
            break;
        }
        let page = asking.page(lists.further(path, number))?;
        if total(&page, what, lists)? != listed.total {
            return Err(changed(what));
        }
        entries = read(&page)?;
    }
    Ok(listed)
}

fn add<T>(
    what: &str,
    entries: Vec<T>,
    listed: &mut Listed<T>,
    seen: &mut HashSet<String>,
    key: &impl Fn(&T) -> String,
) -> Result<(), Failure> {
    let keys: Vec<String> = entries.iter().map(key).collect();
    let known = keys.iter().filter(|key| seen.contains(*key)).count();
    if known > 0 && known == keys.len() {
        return Err(malformed(
            format!("{what}: further page"),
            "other entries than on the page before, see the setting lists",
            "the same",
        ));
    }
    if known > 0 {
        return Err(changed(what));
    }
    seen.extend(keys);
    let is_empty = entries.is_empty();
    listed.entries.extend(entries);
    let read = listed.entries.len() as u64;
    if read > listed.total || is_empty {
        return Err(malformed(
            format!("{what}: entries"),
            format!("{} in all", listed.total),
            format!("{read} up to this page"),
        ));
    }
    Ok(())
}

fn changed(what: &str) -> Failure {
    Failure::Unavailable(format!("{what} changed while its pages were read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total_of(body: &str) -> Result<u64, Failure> {
        let page =
            format!("<html><title>Úrad pre verejné obstarávanie</title><body>{body}</body></html>");
        total(&site::page(&page)?, "list", &Lists::default())
    }

    #[test]
    fn total_of_a_list_is_read() {
        for (body, expected) in [
            ("<p>1 záznamov</p>", Some(1)),
            ("<div><span>1 záznam</span></div>", Some(1)),
            ("<span>2 záznamy</span>", Some(2)),
            ("<span class=red>1\u{a0}234 záznamov</span>", Some(1_234)),
            ("<p>Zadaný výraz nebol nájdený.</p>", Some(0)),
            ("<p>0 záznamov</p>", None),
            ("<p>Záznamov na stranu: 20</p>", None),
            ("<p>x</p>", None),
            ("<p>1 záznam</p><p>2 záznamy</p>", None),
            (
                "<div class=pag-info><span>45 záznamov</span> na 3 stranách</div><p>2 záznamy</p>",
                Some(45),
            ),
            ("<p>1 záznam</p><p>Zadaný výraz nebol nájdený.</p>", None),
        ] {
            assert_eq!(total_of(body).ok(), expected, "{body}");
        }
        let outage = total_of("<p>Prebieha údržba.</p>");
        assert!(matches!(outage, Err(Failure::Unavailable(_))));
    }
}
