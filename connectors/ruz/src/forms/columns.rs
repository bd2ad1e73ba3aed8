//! Finds the columns of a table that hold the statement's own year.

use lustra_sdk::text::fold;

use super::TemplateTable;

/// The columns of the year among those with cells, counted from 0. Their sum is the amount of the year. Empty if
/// neither the head nor the number of columns shows them. Such a table yields no figures.
///
/// Two columns of the untaxed and the taxed activity are both of the year and have no total.
#[must_use]
pub fn current(table: &TemplateTable) -> Vec<usize> {
    let over: Vec<String> = (0..table.data_columns)
        .map(|column| head_over(table, column))
        .collect();
    let of_activity = |head: &str, word: &str| {
        let mut words = head.split(' ');
        words.any(|found| found == word) && !head.contains("predchadzajuce")
    };
    if let [untaxed, taxed] = over.as_slice()
        && of_activity(untaxed, "nezdanovana")
        && of_activity(taxed, "zdanovana")
    {
        return vec![0, 1];
    }
    single(table, &over).into_iter().collect()
}

/// The only column of the year. Among the columns below `Bežné účtovné obdobie`, the net or total one counts. If the
/// head has no such words, the register's convention applies: of four columns, the third is the net or total of the
/// year; of two columns, the first is the year.
fn single(table: &TemplateTable, over: &[String]) -> Option<usize> {
    let is_current = |column: &&usize| {
        let head = over.get(**column).map(String::as_str).unwrap_or_default();
        head.contains("bezne") && !head.contains("predchadzajuce")
    };
    let all: Vec<usize> = (0..table.data_columns).collect();
    let of_year: Vec<usize> = all.iter().filter(is_current).copied().collect();
    match of_year.as_slice() {
        [] => by_custom(table.data_columns, over.iter().all(|head| is_plain(head))),
        [only] => Some(*only),
        several => {
            let is_total = |column: &&usize| {
                let head = over.get(**column).map(String::as_str).unwrap_or_default();
                head.contains("netto") || head.contains("spolu")
            };
            let totals: Vec<usize> = several.iter().filter(is_total).copied().collect();
            match totals.as_slice() {
                [only] => Some(*only),
                [] if table.data_columns == 4 && several.contains(&2) => Some(2),
                _ => None,
            }
        }
    }
}

/// All words of the head above a column, folded.
fn head_over(table: &TemplateTable, column: usize) -> String {
    // The columns without cells (mark, label, number) come first; the head counts from 1.
    let place = table.columns.saturating_sub(table.data_columns) + column + 1;
    let cells = table
        .head
        .iter()
        .filter(|cell| (cell.column..cell.column + cell.width.max(1)).contains(&place));
    let words: Vec<&str> = cells.map(|cell| cell.text.as_str()).collect();
    fold(&words.join(" "))
}

/// Whether a head consists only of numbers and letters of columns, without words that could mean something else.
fn is_plain(head: &str) -> bool {
    head.split(' ').all(|word| word.chars().count() <= 2)
}

fn by_custom(columns: usize, is_plain: bool) -> Option<usize> {
    match columns {
        1 => Some(0),
        4 => Some(2),
        2 if is_plain => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Head;
    use super::*;

    fn table(columns: usize, data_columns: usize, head: &[(&str, usize, usize)]) -> TemplateTable {
        TemplateTable {
            name: None,
            columns,
            data_columns,
            head: head
                .iter()
                .map(|(text, column, width)| Head {
                    text: (*text).to_owned(),
                    column: *column,
                    width: *width,
                })
                .collect(),
            rows: Vec::new(),
        }
    }

    #[test]
    fn year_column_is_found_by_the_head() {
        let (year, before) = (
            "Bežné účtovné obdobie",
            "Bezprostredne predchádzajúce účtovné obdobie",
        );
        let assets = [
            (year, 4, 3),
            (before, 7, 1),
            ("Brutto - časť 1", 4, 1),
            ("Korekcia - časť 2", 5, 1),
            ("Netto 2", 6, 1),
            ("Netto 3", 7, 1),
        ];
        let costs = [
            (year, 4, 3),
            (before, 7, 1),
            ("Hlavná činnosť", 4, 1),
            ("Podnikateľská činnosť", 5, 1),
            ("Spolu", 6, 1),
        ];
        let turned = [(before, 4, 1), (year, 5, 1)];
        let three = [(year, 4, 2), (before, 6, 1), ("Spolu", 5, 1)];
        let years_of_kinds = [
            ("Nezdaňovaná činnosť", 4, 1),
            ("Bezprostredne predchádzajúce, zdaňovaná činnosť", 5, 1),
        ];
        for (columns, data_columns, head, expected) in [
            (7, 4, assets.as_slice(), Some(2)),
            (7, 4, costs.as_slice(), Some(2)),
            (7, 4, [(year, 4, 3)].as_slice(), Some(2)),
            (7, 4, [].as_slice(), Some(2)),
            (5, 2, turned.as_slice(), Some(1)),
            (5, 2, [].as_slice(), Some(0)),
            (5, 2, [("1", 4, 1), ("2", 5, 1)].as_slice(), Some(0)),
            (5, 2, years_of_kinds.as_slice(), None),
            (6, 3, three.as_slice(), Some(1)),
            (6, 3, [].as_slice(), None),
            (4, 1, [].as_slice(), Some(0)),
            (5, 2, [(year, 4, 2)].as_slice(), None),
        ] {
            assert_eq!(
                current(&table(columns, data_columns, head)),
                Vec::from_iter(expected),
                "{head:?}"
            );
        }
    }

    #[test]
    fn columns_of_both_activities_are_of_the_year() {
        let kinds = [("Nezdaňovaná činnosť", 4, 1), ("Zdaňovaná činnosť", 5, 1)];
        assert_eq!(current(&table(5, 2, &kinds)), [0, 1]);
        let turned = [("Zdaňovaná činnosť", 4, 1), ("Nezdaňovaná činnosť", 5, 1)];
        assert_eq!(current(&table(5, 2, &turned)), [] as [usize; 0]);
    }
}
