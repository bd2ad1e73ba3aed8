//! The frame of the pages and the nested tables that every section consists of.

use time::Date;

use crate::population::calendar::Dotted;

/// The top of a page, up to the line under the emblem.
pub(crate) fn head(title: &str, own_address: &str) -> String {
    format!(
        "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<html lang =\"sk\">\n<head>\n\
         <meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1250\">\n\
         <meta http-equiv=\"Content-Language\" content=\"sk\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"inc/styleS.css\" type=\"text/css\" media=\"screen\">\n</head>\n\n\
         <body bgcolor=\"#FFFFFF\" text=\"#000000\" link=\"#000066\">\n\
         <table border=\"0\" width=\"100%\" cellpadding=\"3\" cellspacing=\"0\">\n<tr>\n        <td width=\"100\">\n\
         \x20               <a href=\"default.asp\"><img border=\"0\" src=\"images/znak50.gif\" alt=\"Hlavná stránka\"></a>\n\
         \x20       </td>\n        <td>\n                <h2 align=\"center\" class=\"reg\">SIMULOVANÝ OBCHODNÝ REGISTER<br>\
         <span class=\"int\">NA INTERNETE</span></h2>\n\t\t<div align=\"center\" class=\"min\">\n\
         \x20               <a href= /{own_address}&lan=en class=\"link\">English</a>\n\t\t</div> \n\n\t </td>\n</tr>\n</table>\n\
         <hr noshade align=\"center\" class=\"rul\">\n"
    )
}

/// The bottom of a page.
pub(crate) const FOOT: &str = "<hr noshade align=\"center\" class=\"rul\">\n<p class=\"bmkbot\" align=\"center\">\n\
    <a href=\"about.asp\" class=link>O registri</a> | \n<a href=\"help.asp#mail\" class=link>Naša adresa&nbsp;\
    <img src=\"images/obalka.gif\" ALT=email width=17 height=12 border=0></a><br></p>\n\n</body>\n</html>\n";

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// One entry of a section: lines of spans, and its validity.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The left cell, spans and line breaks.
    content: String,
    since: Date,
    until: Option<Date>,
    /// The last day of an entry that is still valid.
    ends: Option<Date>,
}

impl Entry {
    pub(crate) fn new(since: Date, until: Option<Date>) -> Self {
        Self {
            content: String::new(),
            since,
            until,
            ends: None,
        }
    }

    /// A valid entry with an end date.
    pub(crate) fn ending(self, ends: Option<Date>) -> Self {
        Self { ends, ..self }
    }

    pub(crate) fn is_current(&self) -> bool {
        self.until.is_none()
    }

    /// `ra` for a valid entry, `ro` for a historic one.
    fn class(&self) -> &'static str {
        if self.is_current() { "ra" } else { "ro" }
    }

    pub(crate) fn span(mut self, text: &str) -> Self {
        let class = self.class();
        self.content.push_str(&format!(
            " <span class='{class}'>  {} </span>",
            escape(text)
        ));
        self
    }

    /// A span with a label, which has one space less than other spans.
    pub(crate) fn labelled(mut self, text: &str) -> Self {
        let class = self.class();
        self.content
            .push_str(&format!(" <span class='{class}'> {} </span>", escape(text)));
        self
    }

    /// Raw HTML, not escaped.
    pub(crate) fn raw(mut self, html: &str) -> Self {
        self.content.push_str(html);
        self
    }

    pub(crate) fn line(mut self) -> Self {
        self.content.push_str("<br>");
        self
    }

    /// A line of one span.
    pub(crate) fn text(self, text: &str) -> Self {
        self.span(text).line()
    }
}

/// A section: the label on the left, a table for each entry on the right.
pub(crate) fn section(page: &mut String, label: &str, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    page.push_str(
        "<table width=\"100%\" border=\"0\" align=\"center\" cellspacing=\"3\" cellpadding=\"0\" bgcolor='#ffffff'>\n",
    );
    page.push_str(
        "                 <tr>\n                 <td align=\"left\" valign=\"top\" width=\"20%\"> ",
    );
    page.push_str(&format!("<span class=\"tl\">{label}:&nbsp;</span></td>\n"));
    page.push_str("                 <td align=\"left\" width=\"80%\">");
    for entry in entries {
        let class = entry.class();
        let until = entry
            .until
            .or(entry.ends)
            .map(|until| format!(" do: {}", Dotted(until)))
            .unwrap_or_default();
        page.push_str("<table width=\"100%\" border=\"0\">\n                 <tr>\n                 <td width=\"67%\">");
        page.push_str(&entry.content);
        page.push_str("</td>\n                <td width=\"33%\" valign='top'>&nbsp; ");
        page.push_str(&format!(
            "<span class='{class}'>(od: {}{until})</span></td>\n",
            Dotted(entry.since)
        ));
        page.push_str("                </tr>\n                </table>");
    }
    page.push_str("</td>\n</tr>\n</table>\n");
}
