//! The scope `contracting_authority`: a company's buyer profiles at the office.
//!
//! The search for the company's orders leads to its profiles. A buyer may have a profile without orders, so
//! only the search for profiles can establish that there is none.

use std::cmp::Reverse;

use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject, ico, malformed, runtime};
use serde::Serialize;

use crate::asking::Asking;
use crate::classification;
use crate::labels::Pairs;
use crate::listing;
use crate::settings::{Authorities, ICO, Lists, Settings};
use crate::site::{self, Page};
use crate::table::{self, Column};

/// The register's name in failures and in `unread`.
const LIST: &str = "profiles";
/// The name of the search for orders in failures and in `unread`.
const ORDERS: &str = "orders";
/// If less of the call's time is left when the search for orders fails, there is no further search.
const SPARE_MS: u64 = 2_000;

/// The section. The members beside the list describe the newest profile.
#[derive(Debug, Default, Serialize)]
struct Authority {
    is_contracting_authority: bool,
    classification_section: Option<&'static str>,
    classification_label: Option<&'static str>,
    profiles: Vec<Profile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Clone, Serialize)]
struct Profile {
    /// The number in the address of its page.
    profile_id: Option<u64>,
    name: Option<String>,
    classification_section: Option<&'static str>,
    classification_label: Option<&'static str>,
    /// The page's own text.
    classification_text: Option<String>,
    /// The act named in that text.
    act: Option<&'static str>,
    activity: Option<String>,
    website: Option<String>,
    url: Option<String>,
}

/// Builds the section.
///
/// # Errors
/// The site's failure, or a changed page format.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let ico = subject.ico.as_str();
    let Settings {
        site,
        most_requests,
        lists,
        authorities: settings,
        ..
    } = Settings::read()?;
    let mut asking = Asking::within(most_requests);
    let found = match by_orders(ico, &settings, &lists, &mut asking) {
        Ok(found) if found.links.is_empty() => by_search(ico, &settings, &lists, &mut asking)?,
        Err(failure @ Failure::Unavailable(_)) if runtime::left().wall_ms >= SPARE_MS => {
            let found = by_search(ico, &settings, &lists, &mut asking).unwrap_or_default();
            // Without the orders, a search without results does not show that there is no profile.
            if found.links.is_empty() {
                return Err(failure);
            }
            let unread = Gap::Failed(failure).unread(ORDERS, subject.previous.as_deref());
            found.without(unread)
        }
        found => found?,
    };
    let mut authority = Authority {
        is_contracting_authority: !found.links.is_empty(),
        unread: found.unread,
        ..Authority::default()
    };
    for href in &found.links {
        if !asking.may_go_on() {
            break;
        }
        let page = asking.page(site::path_of(href, &site)?)?;
        let profile = profile(&page, &settings, ico, href, &site)?;
        authority.profiles.push(profile);
    }
    let is_named = authority.unread.iter().any(|one| one.source == LIST);
    if !is_named && authority.profiles.len() < found.links.len() {
        let (read, all) = (authority.profiles.len(), found.links.len() as u64);
        authority.unread.push(listing::cut_short(LIST, read, all));
    }
    authority
        .profiles
        .sort_by_key(|profile| Reverse(profile.profile_id));
    // The newest profile is known only if all profiles were read.
    if authority.unread.is_empty()
        && let Some(newest) = authority.profiles.first()
    {
        authority.classification_section = newest.classification_section;
        authority.classification_label = newest.classification_label;
    }
    unread::section(&authority, &authority.unread, asking.evidence)
}

/// The links to a company's profiles.
#[derive(Debug, Default)]
struct Found {
    links: Vec<String>,
    /// What was not read of the searches.
    unread: Vec<Unread>,
}

impl Found {
    fn without(mut self, unread: Unread) -> Self {
        self.unread.push(unread);
        self
    }
}

/// The profiles linked from the company's newest orders. The rows have no IČO; the pages of the profiles state
/// their owner.
fn by_orders(
    ico: &str,
    settings: &Authorities,
    lists: &Lists,
    asking: &mut Asking,
) -> Result<Found, Failure> {
    if settings.orders.is_empty() {
        return Ok(Found::default());
    }
    let columns = [Column {
        name: "buyer",
        headers: &settings.buyer_column,
        required: true,
    }];
    let page = asking.page(settings.orders.replace(ICO, ico))?;
    if listing::total(&page, ORDERS, lists)? == 0 {
        return Ok(Found::default());
    }
    let mut links: Vec<String> = Vec::new();
    let (rows, odd) = table::sift(table::rows(&page.document, ORDERS, &columns)?)?;
    for row in rows {
        if let Some(link) = row.link(&settings.profile_mark)
            && !links.iter().any(|known| path(known) == path(link))
        {
            links.push(link.to_owned());
        }
    }
    if links.is_empty() {
        let what = format!("{ORDERS}: buyer");
        return Err(malformed(what, "links to profiles", "rows without them"));
    }
    Ok(Found {
        links,
        unread: listing::left_out(ORDERS, odd).into_iter().collect(),
    })
}

/// The profiles found by the search for profiles.
fn by_search(
    ico: &str,
    settings: &Authorities,
    lists: &Lists,
    asking: &mut Asking,
) -> Result<Found, Failure> {
    let columns = [Column {
        name: "ico",
        headers: &settings.ico_column,
        required: true,
    }];
    let link = |row: &table::Row| row.link(&lists.detail_mark).map(str::to_owned);
    let listed = listing::read(
        LIST,
        &settings.search.replace(ICO, ico),
        asking,
        lists,
        |page| table::rows(&page.document, LIST, &columns),
        |row| link(row).unwrap_or_else(|| row.key("ico")),
    )?;
    let (read, total) = (listed.entries.len(), listed.total);
    let cut_short = (!listed.is_whole()).then(|| listing::cut_short(LIST, read, total));
    let (rows, odd) = table::sift(listed.entries)?;
    let own = table::of_company(LIST, rows, "ico", ico)?;
    let links = own
        .iter()
        .map(|row| link(row).ok_or_else(|| row.wrong("link", "a link to a profile")))
        .collect::<Result<_, _>>()?;
    let unread = cut_short.into_iter().chain(listing::left_out(LIST, odd));
    Ok(Found {
        links,
        unread: unread.collect(),
    })
}

fn profile(
    page: &Page,
    settings: &Authorities,
    wanted: &str,
    href: &str,
    site: &str,
) -> Result<Profile, Failure> {
    let pairs = Pairs::of(&page.document);
    let place = "profile: ico";
    let Some(number) = pairs.find(place, &settings.ico)? else {
        return Err(site::strange(page, place, "a label of the settings"));
    };
    if number.text.as_deref().and_then(ico::parse).as_deref() != Some(wanted) {
        return Err(malformed(place, wanted, "another one, or none"));
    }
    let text = pairs.text("profile: classification", &settings.classification)?;
    let class = text.as_deref().map(classification::of).unwrap_or_default();
    let own = |what: &str, labels: &[String]| {
        let value = pairs.find(what, labels)?;
        Ok::<_, Failure>(value.and_then(|value| value.text.clone()))
    };
    Ok(Profile {
        profile_id: id(href),
        name: pairs.text("profile: name", &settings.name)?,
        classification_section: class.section,
        classification_label: class.label,
        classification_text: text,
        act: class.act,
        activity: own("profile: activity", &settings.activity)?,
        website: own("profile: website", &settings.website)?,
        url: site::address_of(href, site),
    })
}

/// A link without its query.
fn path(href: &str) -> &str {
    href.split(['?', '#']).next().unwrap_or_default()
}

/// The number at the end of a path, before its query.
fn id(href: &str) -> Option<u64> {
    path(href).rsplit('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn profile_id_is_read_from_its_address() {
        for (href, id) in [
            ("/a/detail/123?cHash=0f", Some(123)),
            ("/a/detail/123", Some(123)),
            ("/a/detail/abc", None),
            ("", None),
        ] {
            assert_eq!(super::id(href), id, "{href}");
        }
    }
}
