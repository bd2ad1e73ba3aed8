//! Finds what a stray `"` does to a CSV list.
//!
//! A quote that is never closed turns the rest of the list into one cell. A quote that a later one
//! closes turns several rows into one, often of the right width. The CSV parser accepts both.

/// Follows the quotes of an input by the rules of the CSV parser.
#[derive(Debug, Clone, Copy)]
pub struct Quotes {
    delimiter: u8,
    state: QuoteState,
}

/// Where the next byte of the input belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuoteState {
    CellStart,
    PlainCell,
    QuotedCell,
    /// After a quote in a quoted cell: the end of the cell, or the first of two quotes that stand
    /// for one.
    AfterQuote,
}

impl Quotes {
    /// At the start of an input, behind its byte order mark.
    pub fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            state: QuoteState::CellStart,
        }
    }

    /// Follows the next bytes of the input.
    pub fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.state = match (self.state, byte) {
                (QuoteState::CellStart | QuoteState::AfterQuote, b'"') => QuoteState::QuotedCell,
                (QuoteState::QuotedCell, b'"') => QuoteState::AfterQuote,
                (QuoteState::QuotedCell, _) => QuoteState::QuotedCell,
                (_, b'\n' | b'\r') => QuoteState::CellStart,
                (_, byte) if *byte == self.delimiter => QuoteState::CellStart,
                (QuoteState::CellStart | QuoteState::PlainCell | QuoteState::AfterQuote, _) => {
                    QuoteState::PlainCell
                }
            };
        }
    }

    /// True if a quoted cell is not closed. At the end of an input this means that it ends within
    /// a row, or that a stray quote hides all rows after it.
    pub fn are_open(self) -> bool {
        self.state == QuoteState::QuotedCell
    }
}

/// The number of rows that a stray quote joined to a row of a table of `width` columns.
///
/// Such a cell contains a line break and the delimiters of at least one row. An address on several
/// lines has fewer. A comma before white space is part of a text and not counted.
pub fn joined_rows<'a>(
    cells: impl Iterator<Item = &'a [u8]>,
    width: usize,
    delimiter: u8,
) -> usize {
    let per_row = width.saturating_sub(1);
    if per_row == 0 {
        return 0;
    }
    let is_delimiter = |pair: &[u8]| match pair {
        [b',', after] if after.is_ascii_whitespace() => false,
        [first, ..] => *first == delimiter,
        [] => false,
    };
    cells
        .filter(|cell| cell.iter().any(|byte| matches!(byte, b'\n' | b'\r')))
        .map(|cell| {
            let last = cell.len().saturating_sub(1);
            let inner = cell.windows(2).filter(|pair| is_delimiter(pair)).count();
            inner + usize::from(cell.get(last) == Some(&delimiter))
        })
        .map(|delimiters| delimiters / per_row)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_quote_is_found_as_the_parser_reads_it() {
        for (text, is_open) in [
            ("a;b\n1;2\n", false),
            ("\"a\";\"b;c\"\r\n", false),
            ("a;\"b\n1;2\n", true),
            ("a;\"b\"\"\n1;2\n", true),
            ("a;\"b\"\"\"\n", false),
            ("a;b \"c\n1;2\n", false),
            ("\"a\"b;c\n\"d", true),
            ("\"\"", false),
            ("", false),
        ] {
            let mut quotes = Quotes::new(b';');
            for byte in text.as_bytes() {
                quotes.read(std::slice::from_ref(byte));
            }
            assert_eq!(quotes.are_open(), is_open, "{text:?}");
        }
    }

    #[test]
    fn joined_rows_differ_from_cells_of_several_lines() {
        let joined = |cell: &str, width, delimiter| {
            joined_rows([cell.as_bytes()].into_iter(), width, delimiter)
        };
        assert_eq!(joined("A;1;2\nB\"", 3, b';'), 1);
        assert_eq!(joined("2\r\nA;1;2\r\nB;1;", 3, b';'), 2);
        assert_eq!(joined("A;1;2", 3, b';'), 0);
        assert_eq!(joined("Vzorová 1;\nŽilina", 3, b';'), 0);
        assert_eq!(joined("Vzor, a. s.,\nŽilina, Slovensko", 3, b','), 0);
        assert_eq!(joined("Vzor,1,2\nDruhá", 3, b','), 1);
        assert_eq!(joined("A\nB", 1, b';'), 0);
    }
}
