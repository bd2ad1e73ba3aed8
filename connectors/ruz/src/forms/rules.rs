//! The lines of the figures in each form, by the lines' numbers.
//!
//! Numbers repeat between the tables of a form and between forms. So a template that is requested must also have the
//! label at the number. A form that differs counts as not mapped, and its figures are never guessed.

use super::{Sum, TermKind, core};
use crate::figure::{Family, Figure};
use crate::forms::Row;

use Figure::{
    DebtsTotal, FinancialIncome, FinancialResult, IncomeTax, NetTurnover, OperatingIncome,
    OperatingResult, ProfitBeforeTax, PropertyMinusDebts, PropertyTotal, ReceiptsMinusExpenditures,
    SalesRevenue, TotalExpenditures, TotalExpenses, TotalIncome, TotalReceipts,
};

/// A line of a figure.
#[derive(Debug, Clone, Copy)]
pub struct Term {
    /// The line's number. 0 if only its label is known.
    number: u32,
    /// How its label begins, folded. Empty if only its number is known.
    label: &'static str,
    kind: TermKind,
}

/// A figure and its lines, which are in one table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    figure: Figure,
    terms: &'static [Term],
}

/// What is known of a template.
#[derive(Debug, Clone, Copy)]
pub struct Mapping {
    pub family: Family,
    rules: &'static [Rule],
    /// Whether the template has the lines of all rules. Otherwise it is one of several forms that share them.
    has_all: bool,
    /// A line by which the table of the rules is recognised, if their labels are not known.
    anchor: Option<Term>,
}

/// The mapping of a template. `None` if its lines are not known.
#[must_use]
pub fn of(template: u64) -> Option<Mapping> {
    let mapping = |family, rules, has_all| Mapping {
        family,
        rules,
        has_all,
        anchor: None,
    };
    Some(match template {
        699 => mapping(Family::Company, COMPANY, true),
        687 => mapping(Family::Micro, MICRO, true),
        // Balance sheets, whose lines are found by their labels.
        20 | 21 => mapping(Family::Company, &[], true),
        22 => mapping(Family::Company, RESULT_2009, true),
        17 => mapping(Family::NonProfit, &[], true),
        385 | 1180 => mapping(Family::NonProfit, NON_PROFIT, true),
        18 | 19 => mapping(Family::NonProfit, NON_PROFIT, false),
        383 | 1164 => mapping(Family::NonProfitSingleEntry, NON_PROFIT_SINGLE_ENTRY, true),
        13..=16 => mapping(Family::NonProfitSingleEntry, NON_PROFIT_SINGLE_ENTRY, false),
        716 => mapping(Family::Person, PERSON, true),
        62 | 82 => mapping(Family::Person, PERSON, false),
        61 | 81 => mapping(Family::Person, PERSON_SHORT, false),
        7 | 8 => mapping(Family::Person, PERSON_2009, false),
        943 => Mapping {
            family: Family::IfrsExtract,
            rules: IFRS_EXTRACT,
            has_all: true,
            anchor: Some(line(2, "trzby celkom")),
        },
        _ => return None,
    })
}

impl Mapping {
    /// The sums of a table whose lines begin with this number, without a look at labels.
    #[must_use]
    pub fn sums_from(&self, first: u32) -> Vec<Sum> {
        let sum = |rule: &Rule| Sum {
            figure: rule.figure,
            terms: rule
                .terms
                .iter()
                .filter_map(|term| {
                    let row = usize::try_from(term.number.checked_sub(first)?).ok()?;
                    Some((row, term.kind))
                })
                .collect(),
        };
        self.rules.iter().map(sum).collect()
    }

    /// The sums of each table of a template. `None` if the template does not have the expected lines.
    #[must_use]
    pub fn sums(&self, tables: &[&[Row]]) -> Option<Vec<Vec<Sum>>> {
        let mut found: Vec<Vec<Sum>> = tables.iter().map(|_| Vec::new()).collect();
        let mut count = 0;
        for rule in self.rules {
            let of_tables = tables.iter().enumerate();
            let mut hits =
                of_tables.filter_map(|(place, rows)| Some((place, self.sum(rule, rows)?)));
            match (hits.next(), hits.next()) {
                (Some((place, sum)), None) => {
                    found.get_mut(place)?.push(sum);
                    count += 1;
                }
                (None, _) if !self.has_all => {}
                (None | Some(_), _) => return None,
            }
        }
        (count > 0 || self.rules.is_empty()).then_some(found)
    }

    fn sum(&self, rule: &Rule, rows: &[Row]) -> Option<Sum> {
        if let Some(anchor) = self.anchor {
            anchor.row(rows)?;
        }
        let terms = rule.terms.iter();
        let terms = terms.map(|term| Some((term.row(rows)?, term.kind)));
        Some(Sum {
            figure: rule.figure,
            terms: terms.collect::<Option<_>>()?,
        })
    }
}

impl Term {
    /// The only row that is this line.
    fn row(&self, rows: &[Row]) -> Option<usize> {
        let is_line = |row: &Row| {
            let has_number = self.number == 0 || row.number == Some(self.number);
            has_number && core(&row.label).starts_with(self.label)
        };
        let mut hits = rows.iter().zip(0..).filter(|(row, _)| is_line(row));
        let first = hits.next().map(|(_, place)| place);
        first.filter(|_| hits.next().is_none())
    }
}

/// A line without which the figure is not published.
const fn line(number: u32, label: &'static str) -> Term {
    Term {
        number,
        label,
        kind: TermKind::Needed,
    }
}

/// A line that adds to the figure if it is filled.
const fn part(number: u32, label: &'static str) -> Term {
    Term {
        number,
        label,
        kind: TermKind::Part,
    }
}

/// A line that is subtracted, and without which the figure is not published.
const fn minus(number: u32, label: &'static str) -> Term {
    Term {
        number,
        label,
        kind: TermKind::Subtracted,
    }
}

const fn rule(figure: Figure, terms: &'static [Term]) -> Rule {
    Rule { figure, terms }
}

/// The result in `Úč POD` of 2014.
const COMPANY: &[Rule] = &[
    rule(NetTurnover, &[line(1, "cisty obrat")]),
    rule(
        SalesRevenue,
        &[part(3, "trzby"), part(4, "trzby"), part(5, "trzby")],
    ),
    rule(OperatingIncome, &[line(2, "vynosy z hospodarskej")]),
    rule(
        TotalIncome,
        &[
            line(2, "vynosy z hospodarskej"),
            part(29, "vynosy z financnej"),
        ],
    ),
    rule(
        TotalExpenses,
        &[
            line(10, "naklady na hospodarsku"),
            part(45, "naklady na financnu"),
        ],
    ),
    rule(
        OperatingResult,
        &[line(27, "vysledok hospodarenia z hospodarskej")],
    ),
    rule(FinancialIncome, &[line(29, "vynosy z financnej")]),
    rule(
        FinancialResult,
        &[line(55, "vysledok hospodarenia z financnej")],
    ),
    rule(ProfitBeforeTax, &[line(56, BEFORE_TAX)]),
    rule(IncomeTax, &[line(57, INCOME_TAX)]),
];

/// The result in `Úč MUJ` of 2014. It has no line for the net turnover.
const MICRO: &[Rule] = &[
    rule(SalesRevenue, &[part(2, "trzby"), part(3, "trzby")]),
    rule(OperatingIncome, &[line(1, "vynosy z hospodarskej")]),
    rule(
        TotalIncome,
        &[
            line(1, "vynosy z hospodarskej"),
            part(20, "vynosy z financnej"),
        ],
    ),
    rule(
        TotalExpenses,
        &[
            line(8, "naklady na hospodarsku"),
            part(27, "naklady na financnu"),
        ],
    ),
    rule(
        OperatingResult,
        &[line(18, "vysledok hospodarenia z hospodarskej")],
    ),
    rule(FinancialIncome, &[line(20, "vynosy z financnej")]),
    rule(
        FinancialResult,
        &[line(34, "vysledok hospodarenia z financnej")],
    ),
    rule(ProfitBeforeTax, &[line(35, BEFORE_TAX)]),
    rule(IncomeTax, &[line(36, INCOME_TAX)]),
];

/// The result of 2009 to 2013. It has no totals of income and expenses.
const RESULT_2009: &[Rule] = &[
    rule(SalesRevenue, &[part(1, "trzby"), part(5, "trzby")]),
    rule(
        OperatingResult,
        &[line(26, "vysledok hospodarenia z hospodarskej")],
    ),
    rule(
        FinancialResult,
        &[line(46, "vysledok hospodarenia z financnej")],
    ),
    // Line 47 is the result of ordinary activity only.
    rule(ProfitBeforeTax, &[line(59, BEFORE_TAX)]),
    rule(IncomeTax, &[part(48, INCOME_TAX), part(55, INCOME_TAX)]),
];

/// Non-profit units with double entry (`Úč NUJ`). Donations are income and no sales.
const NON_PROFIT: &[Rule] = &[
    rule(TotalExpenses, &[line(38, "uctovna trieda 5")]),
    rule(
        SalesRevenue,
        &[part(39, "trzby"), part(40, "trzby"), part(41, "trzby")],
    ),
    rule(TotalIncome, &[line(74, "uctovna trieda 6")]),
    rule(
        ProfitBeforeTax,
        &[line(75, "vysledok hospodarenia pred zdanenim")],
    ),
    rule(
        IncomeTax,
        &[part(76, INCOME_TAX), part(77, "dodatocne odvody dane")],
    ),
];

/// Non-profit units with single entry (`Úč NO`).
const NON_PROFIT_SINGLE_ENTRY: &[Rule] = &[
    rule(TotalReceipts, &[line(16, RECEIPTS)]),
    rule(TotalExpenditures, &[line(25, EXPENDITURES)]),
    rule(ReceiptsMinusExpenditures, &[line(26, "rozdiel prijmov")]),
    rule(PropertyTotal, &[line(11, PROPERTY)]),
    rule(DebtsTotal, &[line(16, DEBTS)]),
    rule(PropertyMinusDebts, &[line(17, PROPERTY_LESS_DEBTS)]),
];

/// `Úč FO` of 2014, and the longer form before it.
const PERSON: &[Rule] = &[
    rule(TotalReceipts, &[line(4, RECEIPTS)]),
    rule(TotalExpenditures, &[line(11, EXPENDITURES)]),
    rule(ReceiptsMinusExpenditures, &[line(12, "rozdiel prijmov")]),
    rule(PropertyTotal, &[line(15, PROPERTY)]),
    rule(DebtsTotal, &[line(20, DEBTS)]),
    rule(PropertyMinusDebts, &[line(21, PROPERTY_LESS_DEBTS)]),
];

/// The shorter form of persons before 2014. The lines of its property are known by their labels only.
const PERSON_SHORT: &[Rule] = &[
    rule(TotalReceipts, &[line(4, RECEIPTS)]),
    rule(TotalExpenditures, &[line(10, EXPENDITURES)]),
    rule(ReceiptsMinusExpenditures, &[line(11, "rozdiel prijmov")]),
    rule(PropertyTotal, &[line(0, PROPERTY)]),
    rule(DebtsTotal, &[line(0, DEBTS)]),
    rule(PropertyMinusDebts, &[line(0, PROPERTY_LESS_DEBTS)]),
];

/// The forms of persons of 2009, known by their labels only.
const PERSON_2009: &[Rule] = &[
    rule(TotalReceipts, &[line(0, RECEIPTS)]),
    rule(TotalExpenditures, &[line(0, EXPENDITURES)]),
    rule(ReceiptsMinusExpenditures, &[line(0, "rozdiel prijmov")]),
    rule(PropertyTotal, &[line(0, PROPERTY)]),
    rule(DebtsTotal, &[line(0, DEBTS)]),
    rule(PropertyMinusDebts, &[line(0, PROPERTY_LESS_DEBTS)]),
];

/// The result in `VÚ POD` of 2023. Lines 31 and 32 are those of discontinued operations.
const IFRS_EXTRACT: &[Rule] = &[
    rule(OperatingIncome, &[line(1, "")]),
    rule(SalesRevenue, &[line(2, "trzby celkom")]),
    rule(TotalIncome, &[line(1, ""), part(21, "")]),
    rule(TotalExpenses, &[line(9, ""), part(24, "")]),
    rule(OperatingResult, &[line(20, "")]),
    rule(FinancialIncome, &[line(21, "")]),
    rule(FinancialResult, &[line(21, ""), minus(24, "")]),
    rule(ProfitBeforeTax, &[line(28, ""), part(31, "")]),
    rule(IncomeTax, &[part(29, ""), part(32, "")]),
    rule(Figure::NetProfit, &[line(34, "")]),
];

const BEFORE_TAX: &str = "vysledok hospodarenia za uctovne obdobie pred zdanenim";
const INCOME_TAX: &str = "dan z prijmov";
const RECEIPTS: &str = "prijmy celkom";
const EXPENDITURES: &str = "vydavky celkom";
const PROPERTY: &str = "majetok celkom";
const DEBTS: &str = "zavazky celkom";
const PROPERTY_LESS_DEBTS: &str = "rozdiel majetku a zavazkov";
