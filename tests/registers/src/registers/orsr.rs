//! `/orsr`: the classic site of the commercial register (`https://www.orsr.sk`).
//!
//! Pages are windows-1250 and invalid HTML. The labels are those of 2020 for some companies and those of 2025 for
//! the others. A file is named by `ID` and `SID` together.

mod extract;
pub(super) mod html;
mod sections;

use std::sync::Arc;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use encoding_rs::WINDOWS_1250;

use crate::World;
use crate::population::{Company, places};
pub(super) use html::escape;
use html::{FOOT, head};

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/orsr/hladaj_ico.asp", get(by_ico))
        .route("/orsr/vypis.asp", get(extract_page))
}

/// A page in the encoding of the site.
fn page(text: &str) -> Response {
    let (bytes, _, _) = WINDOWS_1250.encode(text);
    (
        [(header::CONTENT_TYPE, "text/html; charset=windows-1250")],
        bytes.into_owned(),
    )
        .into_response()
}

/// A parameter by name, case-insensitive as on the site. Only its digits are used.
fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    let pairs = query?.split('&').filter_map(|pair| pair.split_once('='));
    let mut values = pairs
        .filter(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value);
    values
        .next()
        .map(|value| value.replace("%20", "").replace('+', ""))
}

async fn by_ico(State(world): State<Arc<World>>, RawQuery(query): RawQuery) -> Response {
    let ico = parameter(query.as_deref(), "ICO").unwrap_or_default();
    let court = parameter(query.as_deref(), "SID")
        .and_then(|court| court.parse::<u8>().ok())
        .unwrap_or(0);
    let is_ico = ico.len() == 8 && ico.bytes().all(|byte| byte.is_ascii_digit());
    let company = world
        .population
        .by_ico(&ico)
        .map(|index| world.population.company(index, world.clock.day()));
    let mut rows = Vec::new();
    if let Some((company, file)) = company
        .as_ref()
        .and_then(|company| Some((company, company.orsr.as_ref()?)))
    {
        // The ceded file comes first, as on the real page.
        if let Some((id, sid)) = file.ceded {
            rows.push((company, id, sid, true));
        }
        rows.push((company, file.id, file.court, false));
    }
    rows.retain(|(_, _, sid, _)| court == 0 || court == *sid);
    let question = format!("hladaj_ico.asp?{}", query.unwrap_or_default());
    let shown = if is_ico { &ico } else { "neplatné" };
    page(&results(shown, &escape(&question), &rows))
}

fn results(ico: &str, question: &str, rows: &[(&Company, u32, u8, bool)]) -> String {
    let mut text = head(
        "Obchodný register SR - Výsledky vyhľadávania podľa indentifikačného čísla organizácie",
        question,
    );
    text.push_str(
        "<h3 align=\"center\" class=\"src\">Výsledky vyhľadávania podľa identifikačného čísla</h3>\n",
    );
    let (from, to) = if rows.is_empty() {
        (0, 0)
    } else {
        (1, rows.len())
    };
    // The page repeats the requested number.
    text.push_str(&format!(
        "<table border=\"0\" cellpadding=\"10\" cellspacing=\"2\" align=\"center\">\n<tr>\n\
         <td width=\"50%\" class=\"con\">\nIČO:&nbsp;<b>{ico}</b><BR>\nSúd:&nbsp;<b>akýkoľvek</b>\n</td>\n\
         <td width=\"50%\" class=\"con\">\nZáznamy:&nbsp;<b>{from}&nbsp;-&nbsp;{to}&nbsp;/&nbsp;{to}</b></td>\n</tr>\n</table>\n<br>\n"
    ));
    if rows.is_empty() {
        text.push_str("<p align=\"center\" class=\"wrn\">Kritériám vyhľadávania nezodpovedá žiadny záznam!</p>\n");
        text.push_str(FOOT);
        return text;
    }
    text.push_str("<table width=\"100%\" border=\"0\" align=\"center\" cellspacing=\"3\" cellpadding=\"0\">\n");
    text.push_str("<tr bgcolor=\"#CCCCCC\">\n<th width=\"5%\">č.</th><th>Obchodné meno</th><th>Výpis</th>\n</tr>\n");
    for (place, (company, id, sid, is_ceded)) in rows.iter().enumerate() {
        let name = escape(company.name());
        // Half of the cells have no closing tags, and attributes have no quotes.
        text.push_str(&format!(
            "<tr bgcolor=\"#EFEFEF\">\n<td align=center><div class=\"num\">{}.</div>\n<td><div class=\"sbj\">{name}</div>",
            place + 1
        ));
        if *is_ceded {
            text.push_str(
                "<br><span class=\"wrn\">Spis postúpený z dôvodu miestnej nepríslušnosti</span>",
            );
        }
        text.push_str(&format!(
            "</td>\n<td align=\"center\"><div class=\"bmk\"><a href=\"vypis.asp?ID={id}&SID={sid}&P=0\" class=\"link\" \
             alt=\"Aktuálny výpis\" title=\"Aktuálny výpis\">Aktuálny</a>&nbsp;&nbsp;\
             <a href=\"vypis.asp?ID={id}&SID={sid}&P=1\" class=\"link\" alt=\"Úplný výpis\" \
             title=\"Úplný výpis\">Úplný</a></div></td>\n</tr>\n"
        ));
    }
    text.push_str("</table>\n");
    text.push_str(FOOT);
    text
}

async fn extract_page(State(world): State<Arc<World>>, RawQuery(query): RawQuery) -> Response {
    let number = |name| parameter(query.as_deref(), name).and_then(|text| text.parse::<u32>().ok());
    let id = number("ID").unwrap_or(0);
    let court = number("SID")
        .and_then(|court| u8::try_from(court).ok())
        .unwrap_or(0);
    let has_history = number("P") == Some(1);
    let found = world.population.by_orsr_file(id, court, world.clock.day());
    let Some((company, is_ceded)) = found else {
        return page(&no_such_file(id, court, has_history));
    };
    page(&extract::write(
        &company,
        is_ceded,
        has_history,
        world.clock.today(),
    ))
}

/// The home page, which the site returns for a file that does not exist. Its link to the English version
/// repeats the query.
fn no_such_file(id: u32, court: u8, has_history: bool) -> String {
    let full = u8::from(has_history);
    let mut text = head(
        "Obchodný register SR na Internete - hlavná stránka",
        &format!("vypis.asp?ID={id}&SID={court}&P={full}"),
    );
    text.push_str(
        "<h3 align=\"center\" class=\"src\">Posledná aktualizácia databáz</h3>\n\
         <table border=\"0\" cellspacing=\"0\" cellpadding=\"4\">\n\
         <tr><td class=\"inf\">Vymyslená Bystrica</td><td class=\"inp\">01.01.2026</td></tr>\n</table>\n",
    );
    text.push_str(FOOT);
    text
}

/// The court of a file after `Výpis z Obchodného registra`.
fn court_of(company: &Company, is_ceded: bool) -> &'static str {
    let file = company.orsr.as_ref();
    let former = file
        .and_then(|file| file.ceded)
        .filter(|_| is_ceded)
        .map(|(_, court)| court);
    places::court_genitive(former.or(file.map(|file| file.court)).unwrap_or(2))
}
