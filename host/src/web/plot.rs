//! Small plots over years or days, drawn as SVG.

use std::collections::BTreeMap;

/// Most years of a plot; earlier ones are left out.
const MAX_YEARS: usize = 12;

/// The width that a plot's years share, and the height of its bars, in units of the drawing.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 70.0;

/// A bar for each year or day.
#[derive(Debug)]
pub(super) struct Plot {
    pub(super) title: String,
    /// The newest value as text.
    pub(super) newest: String,
    /// All values as a text, for those who do not see the drawing.
    pub(super) described: String,
    pub(super) bars: Vec<Bar>,
    /// Height of the line from which bars begin.
    pub(super) zero: String,
}

#[derive(Debug)]
pub(super) struct Bar {
    /// The year or the day below the bar; empty where there is no room for it.
    pub(super) label: String,
    pub(super) x: String,
    pub(super) y: String,
    pub(super) width: String,
    pub(super) height: String,
    pub(super) middle: String,
    pub(super) is_negative: bool,
}

impl Plot {
    /// The plot of numbers and their texts by year. `None` for less than two years, or zeros only.
    pub(super) fn of(title: String, values: BTreeMap<i64, (f64, String)>) -> Option<Self> {
        let skipped = values.len().saturating_sub(MAX_YEARS);
        let values = values.into_iter().skip(skipped);
        let values = values.map(|(year, (number, text))| (year.to_string(), number, text));
        Self::drawn(title, &values.collect::<Vec<_>>(), 1)
    }

    /// The plot of counts and their texts by day, oldest first. `None` for less than two days, or zeros only.
    pub(super) fn of_days(title: String, values: Vec<(String, i64, String)>) -> Option<Self> {
        let count = |number: i64| u32::try_from(number).map_or(f64::from(u32::MAX), f64::from);
        let values = values.into_iter();
        let values: Vec<_> = values
            .map(|(day, number, text)| (day, count(number), text))
            .collect();
        let labelled = values.len().div_ceil(2).max(1);
        Self::drawn(title, &values, labelled)
    }

    /// The middle one of each `labelled` bars has its label.
    fn drawn(title: String, values: &[(String, f64, String)], labelled: usize) -> Option<Self> {
        let numbers = || values.iter().map(|(_, number, _)| *number);
        let highest = numbers().fold(0.0, f64::max);
        let lowest = numbers().fold(0.0, f64::min);
        let range = highest - lowest;
        if values.len() < 2 || range <= 0.0 || !range.is_finite() {
            return None;
        }
        let count = u32::try_from(values.len()).ok()?;
        let step = WIDTH / f64::from(count);
        let zero = highest / range * HEIGHT;
        let mut left = 0.0;
        let mut bars = Vec::new();
        for (at, (label, number, _)) in values.iter().enumerate() {
            // A value near zero is still visible.
            let height = (number.abs() / range * HEIGHT).max(1.0);
            let top = if *number < 0.0 { zero } else { zero - height };
            let is_labelled = at % labelled == labelled / 2;
            bars.push(Bar {
                label: if is_labelled {
                    label.clone()
                } else {
                    String::new()
                },
                x: written(left + step * 0.15),
                y: written(top),
                width: written(step * 0.7),
                height: written(height),
                middle: written(left + step / 2.0),
                is_negative: *number < 0.0,
            });
            left += step;
        }
        let described: Vec<String> = values
            .iter()
            .map(|(label, _, text)| format!("{label}: {text}"))
            .collect();
        Some(Self {
            newest: described.last().cloned().unwrap_or_default(),
            described: format!("{title}; {}", described.join("; ")),
            title,
            bars,
            zero: written(zero),
        })
    }
}

fn written(number: f64) -> String {
    format!("{number:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(values: &[(i64, f64)]) -> Option<Plot> {
        let values = values
            .iter()
            .map(|(year, number)| (*year, (*number, number.to_string())));
        Plot::of("Profit".to_owned(), values.collect())
    }

    #[test]
    fn negative_values_stand_below_the_line() {
        let plot = plot(&[(2022, 30.0), (2023, -10.0)]).expect("two years");
        assert_eq!(plot.zero, "52.5");
        let places: Vec<_> = plot
            .bars
            .iter()
            .map(|bar| (bar.y.as_str(), bar.height.as_str()))
            .collect();
        assert_eq!(places, [("0.0", "52.5"), ("52.5", "17.5")]);
        assert_eq!(plot.newest, "2023: -10");
    }

    #[test]
    fn single_year_and_zeros_have_no_plot() {
        assert!(plot(&[(2023, 5.0)]).is_none());
        assert!(plot(&[(2022, 0.0), (2023, 0.0)]).is_none());
        let many: Vec<(i64, f64)> = (1990..2024).map(|year| (year, 1.0)).collect();
        assert_eq!(plot(&many).map(|plot| plot.bars.len()), Some(MAX_YEARS));
    }
}
