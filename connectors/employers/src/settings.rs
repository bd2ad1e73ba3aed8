//! The operator's settings.

use crate::columns::Columns;

lustra_sdk::settings! {
    /// The settings of the import.
    pub struct Settings {
        /// The texts that the headers of the columns may have, without regard to case, diacritics and punctuation. A
        /// header that equals a text wins over one that contains it. A column that is left out keeps its default.
        columns: Columns = Columns::default(),
    }
}
