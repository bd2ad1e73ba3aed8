//! The extract: the frame and the order of its sections.

use time::Date;

use super::html::{Entry, FOOT, head, section};
use super::{court_of, sections};
use crate::population::calendar::Dotted;
use crate::population::{Company, LegalForm, Role};

/// The labels that differ between the recordings of 2020 and 2025.
struct Labels {
    activities: &'static str,
    capital: &'static str,
}

const LABELS_2020: Labels = Labels {
    activities: "Predmet činnosti",
    capital: "Základné imanie",
};
const LABELS_2025: Labels = Labels {
    activities: "Predmet podnikania (činnosti)",
    capital: "Výška základného imania",
};

/// The page of one file.
pub(crate) fn write(company: &Company, is_ceded: bool, has_history: bool, today: Date) -> String {
    let Some(file) = &company.orsr else {
        return String::new();
    };
    let labels = if file.old_labels {
        LABELS_2020
    } else {
        LABELS_2025
    };
    let (id, court) = file
        .ceded
        .filter(|_| is_ceded)
        .unwrap_or((file.id, file.court));
    let mut page = head(
        "Výpis z obchodného registra SR",
        &format!("vypis.asp?ID={id}&SID={court}&P=1"),
    );
    if !file.old_labels {
        page.push_str(&format!(
            "<p align=\"center\"><a href=\"https://sluzby.orsr.sk/vypis.asp?ID={id}&SID={court}\" class=link>\
             Výpis na novom portáli</a></p>\n"
        ));
    }
    page.push_str("<table border=\"0\" align=\"center\" width=\"100%\">\n<tr>\n");
    page.push_str(&format!(
        "  <td align=\"center\" width=\"100%\" class=\"src\"> Výpis z Obchodného registra {}</td>\n</tr>\n<tr>\n\
         \x20 <td align=\"center\" class=\"wrn\">Tento výpis má len informatívny charakter a nie je použiteľný pre právne \
         úkony !</td>\n</tr>\n",
        court_of(company, is_ceded)
    ));
    if is_ceded {
        page.push_str(
            "<tr>\n  <td align=\"center\" class=\"wrn\">Spis odstúpený na iný registrový súd - spis postúpený z dôvodu \
             miestnej nepríslušnosti</td>\n</tr>\n",
        );
    }
    page.push_str("</table><br><table width=\"100%\" border=\"0\" align=\"center\" cellspacing=\"0\" cellpadding=\"0\">\n<tr>\n");
    page.push_str(&format!(
        "  <td align=\"left\"> <span class=\"tl\">Oddiel:&nbsp;</span> <span class=\"ra\">{}</span></td>\n\
         \x20 <td align=\"right\"> <span class=\"tl\">Vložka číslo:&nbsp;</span> <span class=\"ra\">{}/{} </span></td>\n\
         </tr>\n</table><br>\n",
        file.section, file.insert, file.letter
    ));
    for (label, mut entries) in all(company, &labels) {
        if !has_history {
            entries.retain(Entry::is_current);
        }
        section(&mut page, label, &entries);
    }
    page.push_str("\n<table border=\"0\" width=\"100%\">\n");
    for (label, date) in [
        ("Dátum aktualizácie údajov:", today - time::Duration::DAY),
        ("Dátum výpisu:", today),
    ] {
        page.push_str(&format!(
            "<tr>\n  <td width=\"20%\" class=\"tl\">{label}</td>\n  <td width=\"80%\" class=\"tl\">&nbsp;{}</td>\n</tr>\n",
            Dotted(date)
        ));
    }
    page.push_str("</table>\n");
    page.push_str(FOOT);
    // Real pages occur with both kinds of line ends.
    if company.index.is_multiple_of(2) {
        page
    } else {
        page.replace('\n', "\r\n")
    }
}

/// The sections in the order of the site; newest entries first.
fn all(company: &Company, labels: &Labels) -> Vec<(&'static str, Vec<Entry>)> {
    let is_recent = company.orsr.as_ref().is_some_and(|file| !file.old_labels);
    let officers = |role| sections::officers(company, role, is_recent);
    let mut sections = vec![
        ("Obchodné meno", sections::names(company)),
        ("Sídlo", sections::seats(company)),
        ("IČO", sections::identifier(company)),
        ("Deň zápisu", sections::day(company, company.established)),
    ];
    if let Some(ending) = &company.ending {
        sections.push(("Deň výmazu", sections::day(company, ending.date)));
        sections.push((
            "Dôvod výmazu",
            vec![Entry::new(ending.date, None).text("dobrovoľný výmaz")],
        ));
    }
    sections.extend([
        ("Právna forma", sections::form(company)),
        (labels.activities, sections::activities(company)),
        ("Spoločníci", sections::partners(company, is_recent)),
        (
            "Výška vkladu každého spoločníka",
            sections::deposits(company),
        ),
        (
            "Štatutárny orgán",
            sections::statutory_body(company, is_recent),
        ),
        (acting_label(company.legal_form), sections::acting(company)),
        ("Prokúra", officers(Role::Procurist)),
        (labels.capital, sections::capital(company)),
        ("Akcie", sections::shares(company)),
        ("Akcionár", sections::single_shareholder(company, is_recent)),
        ("Dozorná rada", officers(Role::Supervisor)),
        ("Likvidátor", officers(Role::Liquidator)),
        ("Ďalšie právne skutočnosti", sections::facts(company)),
        ("Právny nástupca", sections::successor(company)),
    ]);
    sections
}

fn acting_label(form: LegalForm) -> &'static str {
    match form {
        LegalForm::Cooperative => "Konanie",
        LegalForm::Trader
        | LegalForm::GeneralPartnership
        | LegalForm::LimitedCompany
        | LegalForm::LimitedPartnership
        | LegalForm::JointStockCompany
        | LegalForm::SimpleShareCompany
        | LegalForm::FlatOwners
        | LegalForm::Association => "Konanie menom spoločnosti",
    }
}
