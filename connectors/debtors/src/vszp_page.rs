//! The health insurer `VšZP`'s answer to a question for one IČO: a page with a row for each debtor found.
//!
//! Only a row of this very IČO is a hit, and only the page's own words are *nothing found*. A page without either,
//! whatever it is, says nothing.

use lustra_sdk::html::{self, scraper::ElementRef};
use lustra_sdk::text::{fold, present, squeeze};
use lustra_sdk::{Failure, amount, ico, malformed};

use crate::debt::{Debt, Notes, Raw};

const WHAT: &str = "vszp: list of debtors";

/// What the page says, folded, when it knows no debtor.
const NOTHING_FOUND: &str = "nenasli sa ziadne zaznamy";

/// The entries of one IČO, none when the page says that there are none.
///
/// # Errors
/// [`Failure::Malformed`] for every other page.
pub fn parse(page: &str, wanted: &str) -> Result<Vec<Debt>, Failure> {
    let document = html::parse(page);
    let (mut found, mut others) = (Vec::new(), 0_u32);
    for row in document.select(&html::selector("tr")) {
        let cells: Vec<ElementRef<'_>> = row
            .children()
            .filter_map(ElementRef::wrap)
            .filter(|cell| cell.value().name() == "td")
            .collect();
        let [name, city, street, postal_code, claim] = cells.as_slice() else {
            continue;
        };
        let (name, number) = debtor(*name);
        if number.as_deref() != Some(wanted) {
            others += 1;
            continue;
        }
        let claim = html::text(*claim);
        if amount::parse(&claim).is_none() {
            return Err(malformed(
                format!("{WHAT}: fifth column"),
                "an amount",
                claim,
            ));
        }
        let raw = Raw {
            name: &name,
            ico: wanted,
            street: &html::text(*street),
            city: &html::text(*city),
            postal_code: &html::text(*postal_code),
            amount: &claim,
            as_of: "",
        };
        found.extend(Debt::read(&raw, &mut Notes::default()));
    }
    let shown = shown(document.root_element());
    if found.is_empty() && !fold(&shown).contains(NOTHING_FOUND) {
        let expected = format!("a row of the IČO {wanted}, or the words that nothing was found");
        // The failure may be shown with the company, and the page may name others: it is told by its title.
        let title = document
            .select(&html::selector("title"))
            .next()
            .map(html::text)
            .unwrap_or_default();
        return Err(malformed(
            WHAT,
            expected,
            format!("{others} other rows, title: {title}"),
        ));
    }
    if found.is_empty() && !repeats_question(&document, wanted) {
        return Err(malformed(
            format!("{WHAT}: the question that the page repeats"),
            wanted,
            "another, or none",
        ));
    }
    Ok(found)
}

/// Whether an input of the page's form holds the number that was asked for.
fn repeats_question(document: &html::scraper::Html, wanted: &str) -> bool {
    document
        .select(&html::selector("input"))
        .filter_map(|input| input.attr("value").and_then(ico::parse))
        .any(|number| number == wanted)
}

/// The name in a row's first cell, and the IČO that stands behind its line break.
fn debtor(cell: ElementRef<'_>) -> (String, Option<String>) {
    let (mut name, mut number) = (Vec::new(), None);
    for line in html::lines(cell) {
        match line.split_once(':') {
            Some((label, value)) if fold(label) == "ico" => {
                number = present(value).and_then(|value| ico::parse(&value));
            }
            _ => name.push(line),
        }
    }
    (name.join(" "), number)
}

/// The text that a reader sees: a script may hold the words of every outcome.
fn shown(root: ElementRef<'_>) -> String {
    let mut text = String::new();
    for node in root.descendants() {
        let hidden = || {
            node.ancestors()
                .filter_map(ElementRef::wrap)
                .any(|element| {
                    matches!(
                        element.value().name(),
                        "head" | "script" | "style" | "template" | "noscript"
                    )
                })
        };
        if let Some(piece) = node.value().as_text()
            && !hidden()
        {
            text.push_str(piece);
            text.push(' ');
        }
    }
    squeeze(&text)
}
