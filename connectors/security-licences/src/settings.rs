//! The operator's settings.

use lustra_sdk::listed::StatusWords;

use crate::columns::Columns;
use crate::kinds::KindWords;

lustra_sdk::settings! {
    /// The settings of the import.
    pub struct Settings {
        /// The texts that the headers of the columns may have, without regard to case, diacritics and punctuation. A
        /// header that equals a text wins over one that contains it. A column that is left out keeps its default.
        columns: Columns = Columns::default(),
        /// The words of the column of the status, without regard to case and diacritics. Any other word is an error. A
        /// list that is left out keeps its default.
        status_words: StatusWords = StatusWords::default(),
        /// Words and codes of what a licence is for, without regard to case and diacritics. A text that fits none is
        /// shown as it is. A list that is left out keeps its default.
        kind_words: KindWords = KindWords::default(),
    }
}
