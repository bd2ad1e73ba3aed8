//! One filter's values of all rows, interned: rows hold numbers of values, which are sorted.
//!
//! So every condition is a few ranges of numbers: the words with a beginning, one value, or all others.

use std::collections::HashMap;
use std::ops::Range;

use super::question::Sought;

/// Estimated bytes of a value besides its text, and of a number.
const VALUE_BYTES: usize = 48;
const NUMBER_BYTES: usize = 4;

/// The values of one filter.
#[derive(Debug, Default)]
pub(super) struct Column {
    /// Each value once, in order.
    values: Vec<Box<str>>,
    /// Where each row's numbers begin; one more than rows.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

/// What one row must have: a number in one of the ranges, for each element.
pub(super) type Required = Vec<Vec<Range<u32>>>;

impl Column {
    /// Whether a row has what is required.
    pub(super) fn has(&self, row: usize, required: &Required) -> bool {
        let numbers = &self.numbers[self.starts[row] as usize..self.starts[row + 1] as usize];
        required.iter().all(|ranges| {
            let is_in = |number: &u32| ranges.iter().any(|range| range.contains(number));
            numbers.iter().any(is_in)
        })
    }

    /// The ranges of what is sought.
    pub(super) fn required(&self, sought: &Sought) -> Required {
        match sought {
            Sought::Anything => Vec::new(),
            Sought::Equal(value) => vec![vec![self.place(value)]],
            Sought::Not(value) => {
                let place = self.place(value);
                let all = number(self.values.len());
                vec![vec![0..place.start, place.end..all]]
            }
            Sought::Words(words) => {
                let ranges = words.iter().map(|word| vec![self.beginning_with(word)]);
                ranges.collect()
            }
        }
    }

    fn place(&self, value: &str) -> Range<u32> {
        match self.values.binary_search_by(|known| (**known).cmp(value)) {
            Ok(place) => number(place)..number(place + 1),
            Err(place) => number(place)..number(place),
        }
    }

    fn beginning_with(&self, beginning: &str) -> Range<u32> {
        let start = self.values.partition_point(|value| &**value < beginning);
        let behind = &self.values[start..];
        let count = behind.partition_point(|value| value.starts_with(beginning));
        number(start)..number(start + count)
    }
}

/// The number of a value or row. An index is bounded far below 2^32 of them.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Collects a column row by row.
#[derive(Debug)]
pub(super) struct ColumnBuilder {
    known: HashMap<Box<str>, u32>,
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Default for ColumnBuilder {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            starts: vec![0],
            numbers: Vec::new(),
        }
    }
}

impl ColumnBuilder {
    /// Adds a row and returns its estimated bytes.
    pub(super) fn add(&mut self, values: impl IntoIterator<Item = String>) -> usize {
        let mut bytes = NUMBER_BYTES;
        for value in values {
            let next = number(self.known.len());
            let text = value.len();
            let place = *self.known.entry(value.into_boxed_str()).or_insert_with(|| {
                bytes += text + VALUE_BYTES;
                next
            });
            self.numbers.push(place);
            bytes += NUMBER_BYTES;
        }
        self.starts.push(number(self.numbers.len()));
        bytes
    }

    /// The column with the rows in this order.
    pub(super) fn finish(self, order: &[u32]) -> Column {
        let mut values: Vec<(Box<str>, u32)> = self.known.into_iter().collect();
        values.sort_unstable();
        let mut sorted = vec![0; values.len()];
        for (place, (_, before)) in values.iter().enumerate() {
            sorted[*before as usize] = number(place);
        }
        let mut column = Column {
            values: values.into_iter().map(|(value, _)| value).collect(),
            starts: vec![0],
            numbers: Vec::with_capacity(self.numbers.len()),
        };
        for row in order.iter().map(|row| *row as usize) {
            let of_row = self.starts[row] as usize..self.starts[row + 1] as usize;
            let numbers = self.numbers[of_row]
                .iter()
                .map(|before| sorted[*before as usize]);
            column.numbers.extend(numbers);
            column.starts.push(number(column.numbers.len()));
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(column: &Column, rows: usize, sought: &Sought) -> Vec<usize> {
        let required = column.required(sought);
        (0..rows)
            .filter(|row| column.has(*row, &required))
            .collect()
    }

    #[test]
    fn rows_are_found_by_value_word_and_absence() {
        let mut builder = ColumnBuilder::default();
        for row in [
            vec!["sk"],
            vec!["cz", "sk"],
            vec![],
            vec!["at"],
            vec!["skala"],
        ] {
            builder.add(row.into_iter().map(str::to_owned));
        }
        let column = builder.finish(&[4, 3, 2, 1, 0]);
        let find = |sought: Sought| found(&column, 5, &sought);
        assert_eq!(find(Sought::Equal("sk".to_owned())), [3, 4]);
        assert_eq!(find(Sought::Not("sk".to_owned())), [0, 1, 3]);
        assert_eq!(find(Sought::Not("xx".to_owned())), [0, 1, 3, 4]);
        assert_eq!(find(Sought::Words(vec!["sk".to_owned()])), [0, 3, 4]);
        let both = vec!["c".to_owned(), "sk".to_owned()];
        assert_eq!(find(Sought::Words(both)), [3]);
        assert_eq!(find(Sought::Anything), [0, 1, 2, 3, 4]);
        assert!(find(Sought::Equal("x".to_owned())).is_empty());
    }
}
