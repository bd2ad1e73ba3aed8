//! The statements that a company files.

use time::{Date, Month};

use super::{Shown, Statement, StatementFigures, StatementForm, StatementKind, day, dice};
use crate::population::calendar::after;
use crate::population::company::Company;

/// A statement before it has a number.
#[derive(Debug, Clone)]
pub(super) struct Filing {
    pub(super) kind: StatementKind,
    pub(super) from: Date,
    pub(super) to: Date,
    pub(super) submitted: Date,
    pub(super) consolidated: bool,
    pub(super) form: StatementForm,
    pub(super) shown: Shown,
    pub(super) figures: StatementFigures,
}

impl Filing {
    /// A regular statement of a year, or of its part since the company began. Another salt gives other figures.
    pub(super) fn of(company: &Company, year: i32, form: StatementForm, salt: u64) -> Self {
        let from = day(year, Month::January, 1);
        let began = company
            .established
            .replace_day(1)
            .unwrap_or(company.established);
        let to = day(year, Month::December, 31);
        let year_of = u64::try_from(year).unwrap_or(0);
        let mut dice = dice(company, 100 + (salt << 16) + year_of);
        let submitted = after(to, 60 + dice.below(120));
        Self {
            kind: StatementKind::Regular,
            from: if (from..=to).contains(&began) {
                began
            } else {
                from
            },
            to,
            submitted,
            consolidated: false,
            form,
            shown: if form == StatementForm::Ifrs {
                Shown::File
            } else {
                Shown::Figures
            },
            figures: figures(form, &mut dice),
        }
    }

    pub(super) fn filed_later(self, days: u32) -> Self {
        Self {
            submitted: after(self.submitted, days),
            ..self
        }
    }

    pub(super) fn numbered(self, id: u64) -> Statement {
        Statement {
            id,
            kind: self.kind,
            from: self.from,
            to: self.to,
            submitted: self.submitted,
            consolidated: self.consolidated,
            form: self.form,
            shown: self.shown,
            figures: self.figures,
        }
    }
}

/// Figures that balance, as far as the form has lines for them. One in eight has more debts than assets.
fn figures(form: StatementForm, dice: &mut crate::population::dice::Dice) -> StatementFigures {
    let assets = i64::from(1_000 + dice.below(2_000_000));
    let share = i64::from(dice.below(80)) - 10;
    let equity = assets / 100 * share;
    let accruals = i64::from(dice.below(900));
    let revenue = i64::from(dice.below(5_000_000));
    let profit = i64::from(dice.below(200_000)) - 60_000;
    let form_has = Lines::of(form);
    // The micro form has no line for accruals.
    let accruals = Some(accruals).filter(|_| form_has.double_entry && form != StatementForm::Micro);
    let own = if form_has.double_entry { equity } else { 0 };
    let mut figures = StatementFigures {
        assets: Some(assets),
        equity: Some(equity).filter(|_| form_has.double_entry),
        liabilities: Some(assets - own - accruals.unwrap_or(0)),
        accruals,
        revenue: Some(revenue).filter(|_| form_has.income),
        profit: Some(profit).filter(|_| form_has.double_entry),
        ..StatementFigures::default()
    };
    add_result(&mut figures, form_has, (revenue, profit), dice);
    figures
}

/// The lines that a form has.
#[derive(Debug, Clone, Copy)]
struct Lines {
    double_entry: bool,
    /// All income or receipts. The result forms of 2009 to 2013 have no such line.
    income: bool,
    turnover: bool,
    /// Separate lines for the financial activity.
    financial: bool,
    /// The number of lines for sales.
    sales: usize,
    /// The number of lines for income tax.
    tax: usize,
}

impl Lines {
    fn of(form: StatementForm) -> Self {
        let company = Self {
            double_entry: true,
            income: true,
            turnover: true,
            financial: true,
            sales: 3,
            tax: 1,
        };
        match form {
            StatementForm::Company | StatementForm::Ifrs => company,
            StatementForm::Micro => Self {
                turnover: false,
                sales: 2,
                ..company
            },
            StatementForm::Old2009 | StatementForm::Old2011 => Self {
                turnover: false,
                income: false,
                sales: 2,
                tax: 2,
                ..company
            },
            StatementForm::NonProfit => Self {
                turnover: false,
                financial: false,
                tax: 2,
                ..company
            },
            StatementForm::SingleEntry => Self {
                double_entry: false,
                turnover: false,
                financial: false,
                sales: 0,
                tax: 0,
                ..company
            },
        }
    }
}

/// Adds what is behind the result: sales, expenses, the financial activity and tax.
fn add_result(
    figures: &mut StatementFigures,
    form_has: Lines,
    (revenue, profit): (i64, i64),
    dice: &mut crate::population::dice::Dice,
) {
    let mut amount = |most: u32| i64::from(dice.below(most));
    let rolled = [amount(3_000_000), amount(900_000), amount(700_000)];
    let (financial_income, financial_expenses) = (amount(20_000), amount(30_000));
    let (tax, other_tax) = (amount(40_000), amount(5_000));
    // Some lines stay blank, as filers leave them.
    let is_filled = |rolled: i64| rolled % 4 != 0;
    if !form_has.double_entry {
        figures.expenditures = Some(revenue - profit);
        return;
    }
    for (sales, rolled) in figures.sales.iter_mut().zip(rolled).take(form_has.sales) {
        *sales = Some(rolled).filter(|rolled| is_filled(*rolled));
    }
    figures.turnover = Some(revenue - 13).filter(|_| form_has.turnover);
    if form_has.financial {
        figures.financial_income = Some(financial_income).filter(|_| is_filled(financial_income));
        figures.financial_expenses =
            Some(financial_expenses).filter(|_| is_filled(financial_expenses));
    }
    let second = Some(other_tax).filter(|_| form_has.tax > 1 && is_filled(other_tax));
    figures.tax = [Some(tax), second];
    let operating = figures.operating_result().unwrap_or(0);
    figures.expenses = Some(revenue - operating).filter(|_| form_has.income);
}
