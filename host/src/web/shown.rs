//! The forms in which facts are shown.

use askama::Template;

use super::plot::Plot;
use super::texts::Texts;

/// Rows and items that are shown at once; further ones are folded.
const SHOWN: usize = 8;
/// Most rows or items on a page.
pub(super) const MAX_ITEMS: usize = 300;

/// Facts in the order of their object.
#[derive(Debug, Template)]
#[template(path = "facts.html")]
pub(super) struct Facts {
    pub(super) t: &'static Texts,
    pub(super) facts: Vec<Fact>,
    /// Whether the labels are for screen readers only, since a heading above says the same.
    pub(super) is_titled: bool,
}

#[derive(Debug)]
pub(super) struct Fact {
    pub(super) label: String,
    pub(super) shown: Shown,
}

/// How a value is shown.
#[derive(Debug)]
pub(super) enum Shown {
    Line(Cell),
    /// A verdict that cannot be given, because a source was not read.
    NotKnown,
    /// A list without any items.
    None,
    Lines(Folded<Cell>),
    Rows(Rows),
    Items(Folded<Item>),
    Years(Years),
    Facts(Facts),
}

impl Shown {
    /// Whether it needs the page's whole width.
    fn is_wide(&self) -> bool {
        match self {
            Self::Line(_) | Self::NotKnown | Self::None | Self::Lines(_) => false,
            Self::Rows(_) | Self::Items(_) | Self::Years(_) | Self::Facts(_) => true,
        }
    }
}

/// A text, or a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) link: Option<String>,
    pub(super) is_number: bool,
}

/// A list of which the beginning is shown.
#[derive(Debug)]
pub(super) struct Folded<T> {
    pub(super) first: Vec<T>,
    pub(super) rest: Vec<T>,
    /// Number of items that are left out.
    pub(super) omitted: usize,
}

impl<T> Folded<T> {
    pub(super) fn of(mut first: Vec<T>) -> Self {
        let omitted = first.len().saturating_sub(MAX_ITEMS);
        first.truncate(MAX_ITEMS);
        // A few further rows are not worth a click.
        let rest = if first.len() > SHOWN + 2 {
            first.split_off(SHOWN)
        } else {
            Vec::new()
        };
        Self {
            first,
            rest,
            omitted,
        }
    }
}

#[derive(Debug)]
pub(super) struct Rows {
    pub(super) columns: Vec<String>,
    pub(super) rows: Folded<Vec<Cell>>,
}

#[derive(Debug)]
pub(super) struct Item {
    pub(super) heading: String,
    pub(super) facts: Facts,
}

/// A list with one item for each year: the years are columns.
#[derive(Debug)]
pub(super) struct Years {
    pub(super) years: Vec<String>,
    pub(super) rows: Vec<(String, Vec<Cell>)>,
    pub(super) plots: Vec<Plot>,
    /// What does not fit into a table, by year.
    pub(super) further: Vec<Item>,
}
