//! The legal status of a company, its successors, and its statistical codes.

use time::Date;

use super::parts::{self, Style};
use crate::population::calendar::Iso;
use crate::population::{Company, LegalForm};
use crate::registers::json::Json;

/// Winding up is mostly visible only in the name: only every other record has the status.
pub(crate) fn statuses(json: &mut Json, company: &Company, style: Style) {
    let is_recorded = company.index.is_multiple_of(2);
    let mut statuses: Vec<(&str, &str, Date)> = Vec::new();
    if let Some(ending) = company.ending.as_ref().filter(|end| end.is_erased_error) {
        statuses.push(("Vymazaný ako technická chyba", "19", ending.date));
    } else if let Some(ending) = &company.ending {
        let reason =
            "Zrušená spoločnosť na základe rozhodnutia spoločníkov alebo orgánu spoločnosti";
        statuses.push((reason, "10", ending.date));
        statuses.push(("Zaniknutá spoločnosť", "17", ending.date));
    } else if let Some(since) = company.liquidation_since.filter(|_| is_recorded) {
        statuses.push(("V likvidácii", "2", since));
    } else if let Some(since) = company.bankruptcy_since.filter(|_| is_recorded) {
        statuses.push(("V konkurze", "3", since));
    } else if company.index.is_multiple_of(3) {
        statuses.push(("Bez záznamu", "1", company.established));
    }
    if statuses.is_empty() {
        return;
    }
    json.key("legalStatuses").array(|json| {
        for (text, code, since) in statuses {
            json.object(|json| {
                json.key("value");
                style.code(json, text, code, "CL010108");
                parts::validity(json, since, None);
            });
        }
    });
}

pub(crate) fn predecessors(json: &mut Json, company: &Company, style: Style) {
    let predecessors = company.predecessors();
    if predecessors.is_empty() {
        return;
    }
    json.key("predecessors").array(|json| {
        for predecessor in &predecessors {
            json.object(|json| {
                json.key("identifier").string(&predecessor.ico);
                json.key("fullName").string(&predecessor.name);
                related_address(json, style);
                json.key("validFrom").plain(Iso(predecessor.since));
            });
        }
    });
}

/// The address of a predecessor or successor has no postal code.
fn related_address(json: &mut Json, style: Style) {
    json.key("address").object(|json| {
        json.key("regNumber").raw(0);
        json.key("municipality")
            .object(|json| json.key("value").string("Bratislava"));
        json.key("country");
        style.code(json, "Slovenská republika", "703", "CL000086");
    });
}

pub(crate) fn successors(json: &mut Json, company: &Company, style: Style) {
    let Some(ending) = &company.ending else {
        return;
    };
    let Some((name, ico)) = &ending.successor else {
        return;
    };
    json.key("successors").array(|json| {
        json.object(|json| {
            json.key("identifier").string(ico);
            json.key("fullName").string(name);
            related_address(json, style);
            json.key("validFrom").plain(Iso(ending.date));
        });
    });
}

pub(crate) fn statistics(json: &mut Json, company: &Company, style: Style) {
    let (code, list, since) = if company.nace.is_old {
        (company.nace.old_class, "CL005205", "2024-01-01")
    } else {
        (company.nace.class, "CL010579", "2026-01-01")
    };
    let (sector, sector_text) = match company.legal_form {
        LegalForm::Trader => ("14200", "Samostatne zárobkovo činné osoby"),
        LegalForm::FlatOwners | LegalForm::Association => {
            ("15000", "Neziskové inštitúcie slúžiace domácnostiam")
        }
        LegalForm::GeneralPartnership
        | LegalForm::LimitedCompany
        | LegalForm::LimitedPartnership
        | LegalForm::JointStockCompany
        | LegalForm::SimpleShareCompany
        | LegalForm::Cooperative => ("11002", "Národné súkromné nefinančné korporácie"),
    };
    let is_active = company.is_active();
    json.key("statisticalCodes").object(|json| {
        json.key("statCodesActualization").plain(since);
        if is_active {
            json.key("mainActivity");
            style.code(json, company.nace.title, code, list);
        }
        json.key("esa2010");
        style.code(json, sector_text, sector, "CL010010");
    });
}
