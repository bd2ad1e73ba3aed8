//! Settings of files that clients send.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::tables::Bounds;

/// Limits of lists of companies that clients send as CSV or XLSX, and of imports of watch lists.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Files {
    /// Maximum size of a file. At least 1.
    pub most_mib: usize,
    /// Maximum size of a workbook after unpacking. At least 1.
    pub unpacked_mib: u64,
    /// Maximum rows with a value. At least 1.
    pub rows: usize,
    /// Maximum columns. At least 1.
    pub columns: usize,
    /// Maximum cells of all rows, also empty ones between others. At least 1.
    pub cells: usize,
    /// Maximum lines of a watch list that is imported while the client waits. Longer ones, and those that take longer
    /// than `batch.synchronous_seconds`, are imported in the background. 0: all of them.
    pub synchronous_lines: usize,
    /// How long the report of an import is kept after its end. At least 1.
    pub report_hours: u64,
    /// Maximum imports of one account that have not ended. At least 1.
    pub waiting_imports: u32,
}

impl Default for Files {
    fn default() -> Self {
        Self {
            most_mib: 10,
            unpacked_mib: 128,
            rows: 50_000,
            columns: 256,
            cells: 1_000_000,
            synchronous_lines: 100,
            report_hours: 168,
            waiting_imports: 5,
        }
    }
}

impl Files {
    /// The limits of reading a file.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds {
            rows: self.rows,
            columns: self.columns,
            cells: self.cells,
            unpacked_bytes: self.unpacked_mib.saturating_mul(1 << 20),
        }
    }

    /// Mistakes in these settings.
    pub(super) fn mistakes(&self) -> Vec<&'static str> {
        let right = [
            (self.most_mib > 0, "files.most_mib: at least 1"),
            (self.unpacked_mib > 0, "files.unpacked_mib: at least 1"),
            (self.rows > 0, "files.rows: at least 1"),
            (self.columns > 0, "files.columns: at least 1"),
            (self.cells > 0, "files.cells: at least 1"),
            (self.report_hours > 0, "files.report_hours: at least 1"),
            (
                self.waiting_imports > 0,
                "files.waiting_imports: at least 1",
            ),
        ];
        let mistakes = right.into_iter().filter(|(holds, _)| !holds);
        mistakes.map(|(_, mistake)| mistake).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn file_settings_of_zero_are_mistakes() {
        let text = "[files]\nmost_mib = 0\nunpacked_mib = 0\nrows = 0\ncolumns = 0\ncells = 0\nreport_hours = 0\n\
            waiting_imports = 0\n";
        let mistakes = Config::read(text, |_| None).expect_err("all of them are wrong");
        assert_eq!(mistakes.0.len(), 7, "{mistakes}");
    }
}
