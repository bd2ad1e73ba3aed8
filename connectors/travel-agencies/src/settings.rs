//! The operator's settings.

use crate::bans::BanWords;
use crate::columns::Columns;

lustra_sdk::settings! {
    /// The settings of the import.
    pub struct Settings {
        /// The texts that the headers of the columns may have, without regard to case, diacritics and punctuation. A
        /// header that equals a text wins over one that contains it. A column that is left out keeps its default.
        columns: Columns = Columns::default(),
        /// The words of the column of the status, without regard to case and diacritics. Any other word is an error. A
        /// list that is left out keeps its default.
        status_words: StatusWords = StatusWords::default(),
        /// Words for a ban, in its own column or as a status, without regard to case and diacritics. Any other word in
        /// the column is an error; an empty cell means that there is no ban. A list that is left out keeps its default.
        ban_words: BanWords = BanWords::default(),
    }
}

lustra_sdk::settings! {
    /// The words of the column `status`: the setting `status_words`.
    pub group StatusWords {
        /// Words for an agency whose customers are protected.
        valid: Vec<String> = ["v ochrane", "chránená", "platná", "aktívna"],
        /// Words for an agency whose customers are not protected at present.
        suspended: Vec<String> = ["bez ochrany", "nechránená"],
        /// Words for an agency that ended its business.
        ended: Vec<String> = ["zrušená", "vymazaná", "ukončená", "ukončená činnosť"],
    }
}
