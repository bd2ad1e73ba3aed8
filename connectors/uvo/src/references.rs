//! The scope `uvo_references`: the references that buyers wrote about one supplier.
//!
//! Counts and sums come from the list. Ratings and documents are on a separate page per reference, so only the
//! newest are read, within the request limit of a look-up. Pages that the stored section already contains are
//! not read again.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lustra_sdk::serde_json::{self, Number, Value};
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Evidence, Failure, Section, Subject, amount, malformed};
use serde::Serialize;

use crate::asking::Asking;
use crate::listing;
use crate::reference::{Details, LIST, Price, Reference, columns};
use crate::settings::{ICO, Lists, References, Settings};
use crate::{site, table};

/// Maximum number of references in `latest`.
const LATEST: usize = 25;
/// The name of the references' pages in `unread`.
const DETAILS: &str = "reference-details";
/// The currency of sums.
const EUR: &str = "EUR";

#[derive(Debug, Serialize)]
struct UvoReferences {
    /// Null if the list was not read to its end.
    count: Option<usize>,
    /// Null if the list, or an amount, was not read.
    total_value: Option<Number>,
    currency: &'static str,
    /// References without an amount.
    without_value: Option<usize>,
    /// Sums in currencies other than euro.
    other_currencies: Vec<Sum>,
    latest: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// The sum of the references in one currency.
#[derive(Debug, Serialize)]
struct Sum {
    currency: String,
    count: usize,
    total_value: Option<Number>,
}

#[derive(Debug, Serialize)]
struct Item {
    reference_number: String,
    buyer_name: String,
    contract_subject: String,
    document_url: Option<String>,
    rating: Option<String>,
    published_at: String,
    /// In euros. Null if the currency differs or the amount is unknown.
    value: Option<Number>,
    detail_url: Option<String>,
    is_detail_read: bool,
}

/// A reference with the facts of its page, if known.
struct Known {
    reference: Reference,
    details: Option<Details>,
}

/// Builds the section.
///
/// # Errors
/// The site's failure, or a changed page format.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let settings = Settings::read()?;
    let look_up = LookUp {
        lists: settings.lists,
        settings: settings.references,
        site: settings.site,
        previous: previous(subject),
    };
    look_up.section(&subject.ico, Asking::within(settings.most_requests))
}

struct LookUp {
    lists: Lists,
    settings: References,
    site: String,
    /// Items of the stored section with facts from their pages, by number.
    previous: BTreeMap<String, Value>,
}

/// Items of the stored section with facts from their pages.
fn previous(subject: &Subject) -> BTreeMap<String, Value> {
    let stored = subject.previous.as_deref();
    let stored: Value = stored
        .and_then(|stored| serde_json::from_str(stored).ok())
        .unwrap_or_default();
    let items = stored["latest"].as_array().into_iter().flatten();
    items
        .filter(|item| item["is_detail_read"] == true)
        .filter_map(|item| Some((item["reference_number"].as_str()?.to_owned(), item.clone())))
        .collect()
}

impl LookUp {
    fn section(&self, ico: &str, mut asking: Asking) -> Result<Section, Failure> {
        let columns = columns(&self.settings);
        let mut has_prices = true;
        let listed = listing::read(
            LIST,
            &self.settings.search.replace(ICO, ico),
            &mut asking,
            &self.lists,
            |page| {
                has_prices &= table::has(&page.document, &columns, "price");
                table::rows(&page.document, LIST, &columns)
            },
            |row| row.key("number"),
        )?;
        let (read, total, is_whole) = (listed.entries.len(), listed.total, listed.is_whole());
        let (rows, odd) = table::sift(listed.entries)?;
        let mut references = self.of_company(rows, ico)?;
        references.sort_by_key(|one| Reverse((one.published_at.clone(), one.number.clone())));
        let mut known = Vec::new();
        for (place, reference) in references.into_iter().enumerate() {
            let is_wanted = place < LATEST || !has_prices;
            let stored = self.stored(&reference, has_prices);
            let details = match stored {
                None if is_wanted && asking.may_go_on() => {
                    Some(self.asked(&reference, &mut asking)?)
                }
                stored => stored,
            };
            known.push(Known { reference, details });
        }
        let mut unread: Vec<Unread> = listing::left_out(LIST, odd).into_iter().collect();
        if !is_whole {
            unread.push(cut_short(&format!(
                "{read} of {total} references were read"
            )));
        }
        let is_priced = has_prices || known.iter().all(|one| one.details.is_some());
        if is_whole && !is_priced {
            unread.push(cut_short("not every amount was read"));
        }
        let newest = known.len().min(LATEST);
        let missing = known
            .iter()
            .take(LATEST)
            .filter(|one| one.details.is_none());
        let missing = missing.count();
        if missing > 0 {
            let gap = Gap::partly(format!(
                "{missing} of the {newest} newest were not read yet"
            ));
            unread.push(gap.unread(DETAILS, None));
        }
        self.build_section(
            &known,
            is_whole && odd == 0,
            is_priced,
            unread,
            asking.evidence,
        )
    }

    /// The references that count, each once.
    fn of_company(&self, rows: Vec<table::Row>, ico: &str) -> Result<Vec<Reference>, Failure> {
        let mut references: BTreeMap<String, Reference> = BTreeMap::new();
        for row in table::of_company(LIST, rows, "supplier_ico", ico)? {
            let Some(reference) = Reference::of(&row, &self.settings, &self.lists)? else {
                continue;
            };
            let number = reference.number.clone();
            let before = references.insert(number, reference.clone());
            if before.is_some_and(|before| before != reference) {
                return Err(row.wrong("number", "a number of its own"));
            }
        }
        Ok(references.into_values().collect())
    }

    /// The facts that the stored section has from the page of an unchanged reference.
    fn stored(&self, reference: &Reference, has_prices: bool) -> Option<Details> {
        let item = self.previous.get(&reference.number)?;
        let is_same = item["buyer_name"] == reference.buyer_name.as_str()
            && item["contract_subject"] == reference.contract_subject.as_str()
            && item["published_at"] == reference.published_at.as_str();
        let text = |name: &str| item[name].as_str().map(str::to_owned);
        (is_same && has_prices).then(|| Details {
            rating: text("rating"),
            document_url: text("document_url"),
            price: None,
        })
    }

    fn asked(&self, reference: &Reference, asking: &mut Asking) -> Result<Details, Failure> {
        let Some(link) = &reference.link else {
            let what = format!("{LIST}: link to the details");
            return Err(malformed(what, "one in each row", "none"));
        };
        let page = asking.page(site::path_of(link, &self.site)?)?;
        Details::of(&page, &reference.number, &self.settings, &self.site)
    }

    fn build_section(
        &self,
        known: &[Known],
        is_whole: bool,
        is_priced: bool,
        unread: Vec<Unread>,
        evidence: Vec<Evidence>,
    ) -> Result<Section, Failure> {
        let mut sums: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for price in known.iter().filter_map(Known::price) {
            let of_currency = sums.entry(price.currency.as_str()).or_default();
            of_currency.push(&price.amount);
        }
        let without_value = known.iter().filter(|one| one.price().is_none()).count();
        let is_known = is_whole && is_priced;
        let euros = sums.remove(EUR).unwrap_or_default();
        let others = sums.into_iter().map(|(currency, amounts)| Sum {
            currency: currency.to_owned(),
            count: amounts.len(),
            total_value: sum(&amounts),
        });
        let content = UvoReferences {
            count: is_whole.then_some(known.len()),
            total_value: if is_known { sum(&euros) } else { None },
            currency: EUR,
            without_value: is_known.then_some(without_value),
            other_currencies: if is_known {
                others.collect()
            } else {
                Vec::new()
            },
            latest: known
                .iter()
                .take(LATEST)
                .map(|one| self.item(one))
                .collect(),
            unread,
        };
        unread::section(&content, &content.unread, evidence)
    }

    fn item(&self, known: &Known) -> Item {
        let reference = &known.reference;
        let details = known.details.as_ref();
        let link = reference.link.as_deref();
        let euros = known.price().filter(|price| price.currency == EUR);
        Item {
            reference_number: reference.number.clone(),
            buyer_name: reference.buyer_name.clone(),
            contract_subject: reference.contract_subject.clone(),
            document_url: details.and_then(|details| details.document_url.clone()),
            rating: details.and_then(|details| details.rating.clone()),
            published_at: reference.published_at.clone(),
            value: euros.and_then(|price| amount::to_number(&price.amount)),
            detail_url: link.and_then(|link| site::address_of(link, &self.site)),
            is_detail_read: details.is_some(),
        }
    }
}

impl Known {
    /// The price from the list, else from the page.
    fn price(&self) -> Option<&Price> {
        let of_page = self
            .details
            .as_ref()
            .and_then(|details| details.price.as_ref());
        self.reference.price.as_ref().or(of_page)
    }
}

fn sum(amounts: &[&str]) -> Option<Number> {
    amount::sum(amounts.iter().copied()).and_then(|sum| amount::to_number(&sum))
}

/// A retry would read no more.
fn cut_short(why: &str) -> Unread {
    Gap::Truncated(format!("{why}, see the setting most_requests")).unread(LIST, None)
}
