//! Rows of the lists of [`tax_lists`](crate::population::tax_lists).

use super::rows::{Row, country, some};
use crate::population::calendar::Dotted;
use crate::population::tax_lists;
use crate::population::{Company, Money};

/// Excess deductions and own VAT.
pub(super) fn deductions(company: &Company) -> Vec<Row> {
    let seat = company.seat();
    let ico = tax_lists::vat_rows_have_ico(company).then(|| company.ico.clone());
    let row = |deduction: tax_lists::Deduction| {
        vec![
            company.dic.clone(),
            tax_lists::vat_number(company),
            ico.clone(),
            some(company.name()),
            some(seat.city),
            some(seat.postal_code()),
            Some(seat.street_line()),
            country(company),
            Some(deduction.period),
            deduction.excess.map(Money::dotted),
            deduction.own_tax.map(Money::dotted),
        ]
    };
    tax_lists::deductions(company)
        .into_iter()
        .map(row)
        .collect()
}

/// Times under a special regime.
pub(super) fn regimes(company: &Company) -> Vec<Row> {
    let seat = company.seat();
    let row = |regime: tax_lists::Regime| {
        vec![
            tax_lists::vat_number(company),
            some(&company.ico),
            some(company.name()),
            some(seat.city),
            some(seat.postal_code()),
            Some(seat.street_line()),
            Some(Dotted(regime.since).to_string()),
            regime.until.map(|until| Dotted(until).to_string()),
            some("štvrťrok"),
        ]
    };
    tax_lists::regimes(company).into_iter().map(row).collect()
}

pub(super) fn assessments(company: &Company) -> Vec<Row> {
    let seat = company.seat();
    let row = |assessment: tax_lists::Assessment| {
        let (from, to) = tax_lists::year(assessment.year);
        vec![
            some(&company.ico),
            company.dic.clone(),
            some(company.name()),
            some(seat.city),
            some(seat.postal_code()),
            Some(seat.street_line()),
            country(company),
            Some(Dotted(from).to_string()),
            Some(Dotted(to).to_string()),
            assessment.tax.map(Money::dotted),
            assessment.additional.map(Money::dotted),
            assessment.loss.map(Money::dotted),
        ]
    };
    tax_lists::assessments(company)
        .into_iter()
        .map(row)
        .collect()
}

/// The account for paying VAT.
pub(super) fn office_account(company: &Company) -> Option<Row> {
    let seat = company.seat();
    let ico = tax_lists::account_row_has_ico(company).then(|| company.ico.clone());
    Some(vec![
        tax_lists::vat_number(company),
        ico,
        Some(tax_lists::office_account(company)?),
        some(company.name()),
        some(seat.city),
        Some(seat.street_line()),
        some(seat.postal_code()),
        country(company),
    ])
}

/// Deductions for research. The list has no IČO.
pub(super) fn research(company: &Company) -> Vec<Row> {
    let seat = company.seat();
    let row = |research: tax_lists::Research| {
        vec![
            company.dic.clone(),
            some(company.name()),
            Some(format!("{}, {}", seat.street_line(), seat.city)),
            Some(research.amount.comma(' ')),
            Some(research.period),
            Some(Dotted(research.since).to_string()),
            some(research.project),
        ]
    };
    tax_lists::research(company).into_iter().map(row).collect()
}

pub(super) fn investments(company: &Company) -> Vec<Row> {
    let row = |investment: tax_lists::Investment| {
        vec![
            company.dic.clone(),
            some(&company.ico),
            some(company.name()),
            Some(investment.period),
            Some(investment.amount.dotted()),
            Some(investment.invested.dotted()),
            Some(format!("{} %", investment.percent)),
        ]
    };
    tax_lists::investments(company)
        .into_iter()
        .map(row)
        .collect()
}

/// Exempt income from patents.
pub(super) fn patents(company: &Company) -> Vec<Row> {
    let row = |patent: tax_lists::Patent| {
        vec![
            company.dic.clone(),
            some(&company.ico),
            some(company.name()),
            some(patent.subtype),
            Some(patent.period),
            Some(patent.exemption.dotted()),
            some(patent.patent),
        ]
    };
    tax_lists::patents(company).into_iter().map(row).collect()
}

pub(super) fn branches(company: &Company) -> Vec<Row> {
    let row = |branch: tax_lists::Branch| {
        vec![
            some(&company.ico),
            some(company.name()),
            some(branch.name),
            Some(Dotted(branch.from).to_string()),
            branch.to.map(|to| Dotted(to).to_string()),
        ]
    };
    tax_lists::branches(company).into_iter().map(row).collect()
}
