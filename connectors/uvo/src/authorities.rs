//! The scope `contracting_authority`: the profiles that the office keeps of one company.

use std::cmp::Reverse;

use lustra_sdk::unread::{self, Unread};
use lustra_sdk::{Failure, Section, ico, malformed};
use serde::Serialize;

use crate::asking::Asking;
use crate::classification;
use crate::labels::Pairs;
use crate::listing;
use crate::settings::{self, Authorities, ICO, Lists};
use crate::site::{self, Page};
use crate::table::{self, Column};

/// The register's name in failures and in `unread`.
const LIST: &str = "profiles";

/// The section. What stands beside the list of profiles is of the newest one.
#[derive(Debug, Default, Serialize)]
struct Authority {
    is_contracting_authority: bool,
    classification_section: Option<&'static str>,
    classification_label: Option<&'static str>,
    profiles: Vec<Profile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// One profile.
#[derive(Debug, Clone, Serialize)]
struct Profile {
    /// The number in the address of its page.
    profile_id: Option<u64>,
    name: Option<String>,
    classification_section: Option<&'static str>,
    classification_label: Option<&'static str>,
    /// The page's own words.
    classification_text: Option<String>,
    /// The act that those name.
    act: Option<&'static str>,
    activity: Option<String>,
    website: Option<String>,
    url: Option<String>,
}

/// Makes the section.
///
/// # Errors
/// What the site failed with, or another form of its pages.
pub fn section(ico: &str) -> Result<Section, Failure> {
    let (lists, settings): (Lists, Authorities) =
        (settings::of("lists")?, settings::of("authorities")?);
    let site = settings::site()?;
    let mut asking = Asking::within(settings::most_requests()?);
    let columns = [Column {
        name: "ico",
        headers: &settings.ico_column,
        required: true,
    }];
    let link = |row: &table::Row| row.link(&lists.detail_mark).map(str::to_owned);
    let listed = listing::read(
        LIST,
        &settings.search.replace(ICO, ico),
        &mut asking,
        &lists,
        |page| table::rows(&page.document, LIST, &columns),
        |row| link(row).unwrap_or_default(),
    )?;
    let (read, is_whole) = (listed.entries.len(), listed.is_whole());
    let total = listed.total;
    let own = table::of_company(LIST, listed.entries, "ico", ico)?;
    let mut authority = Authority {
        is_contracting_authority: !own.is_empty(),
        ..Authority::default()
    };
    for row in &own {
        let href = link(row).ok_or_else(|| row.wrong("link", "a link to a profile"))?;
        if !asking.may_go_on() {
            break;
        }
        let page = asking.page(site::path_of(&href, &site)?)?;
        let profile = profile(&page, &settings, ico, &href, &site)?;
        authority.profiles.push(profile);
    }
    if !is_whole {
        authority.unread.push(listing::cut_short(LIST, read, total));
    } else if authority.profiles.len() < own.len() {
        let (read, all) = (authority.profiles.len(), own.len() as u64);
        authority.unread.push(listing::cut_short(LIST, read, all));
    }
    authority
        .profiles
        .sort_by_key(|profile| Reverse(profile.profile_id));
    // Which one is the newest is known of all alone.
    if authority.unread.is_empty()
        && let Some(newest) = authority.profiles.first()
    {
        authority.classification_section = newest.classification_section;
        authority.classification_label = newest.classification_label;
    }
    unread::section(&authority, &authority.unread, asking.evidence)
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

/// The number at the end of a path, before its query.
fn id(href: &str) -> Option<u64> {
    let path = href.split(['?', '#']).next()?;
    path.rsplit('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_profile_is_numbered_in_its_address() {
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
