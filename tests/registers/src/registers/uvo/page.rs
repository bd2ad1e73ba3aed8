//! The frame of the pages, lists with totals and pagers, tables, and labels with values.

use std::collections::HashMap;

/// A page of the site.
pub(super) fn frame(title: &str, content: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"sk\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} - Úrad pre verejné \
         obstarávanie</title>\n<script>var found = \"0 záznamov\";</script>\n</head>\n<body class=\"body\">\n\
         <ul role=\"menu\"><li><a href=\"/\">Úvod</a></li><li><a href=\"/o-urade-2aa.html\">O úrade</a></li></ul>\n\
         <h1>{title}</h1>\n{content}\n<footer>Simulovaný úrad</footer>\n</body>\n</html>\n"
    )
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// One page of a list with the total number of entries, or the sentence for an empty list.
pub(super) fn list<T>(
    entries: &[T],
    size: usize,
    parameters: &HashMap<String, String>,
    write: impl Fn(&[T]) -> String,
) -> String {
    if entries.is_empty() {
        return "<div class=\"empty\"><p>Zadaný výraz nebol nájdený.</p></div>".to_owned();
    }
    let page = parameters.get("pageNo").and_then(|page| page.parse().ok());
    let page: usize = page.unwrap_or(1).max(1);
    let mut pages = entries.chunks(size);
    let shown = pages.nth(page - 1).unwrap_or_default();
    format!(
        "<div class=\"pag-info\"><span class=\"red\">{} záznamov</span></div>\n{}\n<ul class=\"pager\"><li>{page}</li></ul>",
        entries.len(),
        write(shown)
    )
}

/// A table; cells are HTML.
pub(super) fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    table_named("lists-table", headers, rows)
}

/// A table with a name.
pub(super) fn table_named(name: &str, headers: &[&str], rows: &[Vec<String>]) -> String {
    let header: String = headers
        .iter()
        .map(|header| format!("<th><a href=\"#\" class=\"sortable\">\n  {header}  </a></th>"))
        .collect();
    let rows: String = rows
        .iter()
        .map(|row| {
            let cells: String = row.iter().map(|cell| format!("<td>{cell}</td>")).collect();
            format!("<tr>{cells}</tr>\n")
        })
        .collect();
    format!(
        "<table id=\"{name}\" class=\"table table-striped\">\n<thead>\n<tr>{header}</tr>\n</thead>\n<tbody>\n{rows}</tbody>\n</table>"
    )
}

/// Labels with their HTML values.
pub(super) fn details(labels: &[(&str, String)]) -> String {
    let pairs: String = labels
        .iter()
        .map(|(label, value)| format!("<dt>{label}:</dt>\n<dd>{value}</dd>\n"))
        .collect();
    format!("<dl class=\"detail\">\n{pairs}</dl>")
}
