//! Reads HTML pages leniently, as browsers do.

use scraper::{ElementRef, Html, Node, Selector};

pub use scraper;

/// Parses a page; markup errors never fail.
#[must_use]
pub fn parse(page: &str) -> Html {
    Html::parse_document(page)
}

/// Parses a CSS selector that is a constant of the connector.
///
/// # Panics
/// If the selector is not valid CSS. Any test that runs the code finds this mistake.
#[must_use]
#[expect(clippy::expect_used, clippy::allow_attributes_without_reason)]
pub fn selector(css: &'static str) -> Selector {
    Selector::parse(css).expect("selectors are written in the connector and are CSS")
}

/// All text below an element, with white space squeezed.
#[must_use]
pub fn text(element: ElementRef<'_>) -> String {
    super::text::squeeze(&element.text().collect::<Vec<_>>().join(" "))
}

/// The text below an element, split into lines at each `<br>`. Empty lines are dropped.
#[must_use]
pub fn lines(element: ElementRef<'_>) -> Vec<String> {
    let mut lines = vec![String::new()];
    for node in element.descendants() {
        if let Node::Text(piece) = node.value() {
            if let Some(line) = lines.last_mut() {
                line.push_str(piece);
                line.push(' ');
            }
        } else if node
            .value()
            .as_element()
            .is_some_and(|element| element.name() == "br")
        {
            lines.push(String::new());
        }
    }
    lines
        .iter()
        .map(|line| super::text::squeeze(line))
        .filter(|line| !line.is_empty())
        .collect()
}
