//! Reads the answer of the health insurer `VšZP` to a search by IČO: a page with one table row per debtor found.
//!
//! Columns are found by their headers, because the insurer has added columns before. Only a row with the requested IČO
//! is a hit. *Nothing found* is accepted only from the page's own sentence, on a page that shows no other debtor and
//! repeats the requested number. Every other page is `malformed`.

use lustra_sdk::html::{
    self,
    scraper::{ElementRef, Html},
};
use lustra_sdk::text::{fold, present, squeeze};
use lustra_sdk::{Failure, amount, ico, malformed};

use crate::debt::{Debt, Notes, Raw};

const WHAT: &str = "vszp: list of debtors";

/// The page's sentence for an empty result, folded. Folding also removes its non-breaking spaces.
const NOTHING_FOUND: &str = "nenasli sa ziadne zaznamy";

/// Words of each column's header, folded. An equal header wins over one that contains the word.
const NAME: &[&str] = &["obchodne meno", "nazov", "meno"];
const CITY: &[&str] = &["obec", "mesto"];
const STREET: &[&str] = &["ulica", "adresa"];
const POSTAL_CODE: &[&str] = &["psc"];
const CLAIM: &[&str] = &["pohladavka", "pohladavky", "vyska", "suma"];

/// The entries of one IČO. Empty if the page says that there are none.
///
/// # Errors
/// [`Failure::Malformed`] for every other page, and for a row of this IČO without a readable claim.
pub fn parse(page: &str, wanted: &str) -> Result<Vec<Debt>, Failure> {
    let document = html::parse(page);
    let (mut found, mut others) = (Vec::new(), 0_u32);
    let mut columns: Option<Columns> = None;
    for row in document.select(&html::selector("tr")) {
        let cells: Vec<ElementRef<'_>> = row
            .children()
            .filter_map(ElementRef::wrap)
            .filter(|cell| matches!(cell.value().name(), "td" | "th"))
            .collect();
        let may_be_header =
            columns.is_none() || cells.iter().all(|cell| cell.value().name() == "th");
        if may_be_header && let Some(header) = Columns::of(&cells) {
            columns = Some(header);
            continue;
        }
        let Some(columns) = &columns else {
            continue;
        };
        let Some((name, number)) = cells.get(columns.name).map(|cell| debtor(*cell)) else {
            continue;
        };
        if number.as_deref() == Some(wanted) {
            found.extend(columns.debt(&cells, &name, wanted)?);
        } else {
            others += 1;
        }
    }
    if found.is_empty() {
        check_nothing_found(&document, wanted, others)?;
    }
    Ok(found)
}

/// The places of the columns in the result table.
struct Columns {
    name: usize,
    claim: usize,
    city: Option<usize>,
    street: Option<usize>,
    postal_code: Option<usize>,
}

impl Columns {
    /// The columns, if this row is the table's header. It needs at least the name and the claim.
    fn of(cells: &[ElementRef<'_>]) -> Option<Self> {
        let texts: Vec<String> = cells.iter().map(|cell| fold(&html::text(*cell))).collect();
        let place = |words: &[&str], taken: Option<usize>| {
            let free = |place: &usize| Some(*place) != taken;
            let equal = |place: &usize| words.iter().any(|word| texts[*place] == *word);
            let contains = |place: &usize| words.iter().any(|word| texts[*place].contains(word));
            let mut places = (0..texts.len()).filter(free);
            let found = places.clone().find(equal);
            found.or_else(|| places.find(contains))
        };
        let name = place(NAME, None)?;
        // A debtor's name may contain a header's word, but a header carries no IČO.
        if cells
            .get(name)
            .is_some_and(|cell| debtor(*cell).1.is_some())
        {
            return None;
        }
        Some(Self {
            name,
            claim: place(CLAIM, Some(name))?,
            city: place(CITY, Some(name)),
            street: place(STREET, Some(name)),
            postal_code: place(POSTAL_CODE, Some(name)),
        })
    }

    /// The entry in a row of the requested IČO. A dash or an empty claim is a listing without an amount.
    fn debt(
        &self,
        cells: &[ElementRef<'_>],
        name: &str,
        wanted: &str,
    ) -> Result<Option<Debt>, Failure> {
        let text = |place: Option<usize>| {
            place
                .and_then(|at| cells.get(at))
                .map(|cell| html::text(*cell))
                .unwrap_or_default()
        };
        let column = || format!("{WHAT}: column of the claim");
        let Some(claim) = cells.get(self.claim).map(|cell| html::text(*cell)) else {
            let found = format!("{} cells", cells.len());
            return Err(malformed(column(), "a cell below the header", found));
        };
        if present(&claim).is_some() && amount::parse(&claim).is_none() {
            return Err(malformed(column(), "an amount", claim));
        }
        let raw = Raw {
            name,
            ico: wanted,
            street: &text(self.street),
            city: &text(self.city),
            postal_code: &text(self.postal_code),
            amount: &claim,
            ..Raw::default()
        };
        Ok(Debt::read(&raw, &mut Notes::default()))
    }
}

/// Accepts a page without a hit only if it says that nothing was found for this IČO.
fn check_nothing_found(document: &Html, wanted: &str, others: u32) -> Result<(), Failure> {
    let says_nothing = fold(&shown(document.root_element())).contains(NOTHING_FOUND);
    if says_nothing && others == 0 && repeats_question(document, wanted) {
        return Ok(());
    }
    let expected = format!("a row of the IČO {wanted}, or the words that nothing was found for it");
    // The failure may be shown with the company, and the page may name others. So it quotes only the page's title.
    let title = document
        .select(&html::selector("title"))
        .next()
        .map(html::text)
        .unwrap_or_default();
    Err(malformed(
        WHAT,
        expected,
        format!("{others} other rows, title: {title}"),
    ))
}

/// Whether the form on the page repeats the requested number. That is never evidence for a hit.
fn repeats_question(document: &Html, wanted: &str) -> bool {
    document
        .select(&html::selector("input[value]"))
        .filter_map(|input| input.attr("value").and_then(ico::parse))
        .any(|number| number == wanted)
}

/// The name in a row's first line and the IČO that stands below it.
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

/// The visible text. A script may hold the words of every outcome.
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
