//! Fields of the index, and the version of its layout.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};

/// Increase it with every change of the fields, of their terms, of name folding or of ranking. An index with another layout is rebuilt.
pub const LAYOUT: u32 = 4;

/// Name of the field with the rank. The documents of each segment are sorted by it.
pub const RANK: &str = "rank";

/// Longest indexed prefix of a word, in characters; longer words are truncated.
pub const MAX_PREFIX_CHARS: usize = 24;

/// Fields with the words of names. Active and ended companies have separate fields, so that active ones are found
/// without scanning the others.
#[derive(Debug, Clone, Copy)]
pub struct NameFields {
    pub word: Field,
    /// All prefixes of all words.
    pub prefix: Field,
    pub first_word: Field,
    /// All prefixes of the first word.
    pub first_prefix: Field,
}

/// Fields with the former names. A term of a word or a prefix ends with the number of its name, so that words of
/// different names are not combined.
#[derive(Debug, Clone, Copy)]
pub struct FormerFields {
    pub word: Field,
    /// All prefixes of all words.
    pub prefix: Field,
    /// Name keys, including the legal form.
    pub key: Field,
    /// Name keys without the legal form.
    pub bare: Field,
    /// The names for display.
    pub shown: Field,
}

#[derive(Debug, Clone, Copy)]
pub struct Fields {
    /// Words of active companies.
    pub active: NameFields,
    /// Words of ended companies.
    pub ended: NameFields,
    pub former: FormerFields,
    /// The name key, including the legal form.
    pub key: Field,
    /// The name key without the legal form.
    pub bare: Field,
    /// The registration number; used to delete a company's older document.
    pub ico: Field,
    /// All sequences of three consecutive digits of the number.
    pub digits: Field,
    pub city: Field,
    /// The legal form: `c:` and its code, `t:` and its token, `w:` and each of its words.
    pub form: Field,
    /// `active`, `terminated` or `deleted`.
    pub status: Field,
    /// All prefixes of the main activity's code.
    pub nace: Field,
    /// The date of entry as an integer such as 20070129.
    pub established: Field,
    /// Sort key among equally good matches; lower comes first. See [`super::document::rank`].
    pub rank: Field,
    /// The name for display.
    pub shown_name: Field,
    /// The city for display.
    pub shown_city: Field,
}

/// Builds the schema and its fields.
pub fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    // Documents contain terms separated by spaces. Frequencies and positions are not needed.
    let terms = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer("whitespace")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false),
    );
    let whole = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false),
    );
    let mut names = |state: &str| NameFields {
        word: builder.add_text_field(&format!("{state}_word"), terms.clone()),
        prefix: builder.add_text_field(&format!("{state}_prefix"), terms.clone()),
        first_word: builder.add_text_field(&format!("{state}_first_word"), terms.clone()),
        first_prefix: builder.add_text_field(&format!("{state}_first_prefix"), terms.clone()),
    };
    let (active, ended) = (names("active"), names("ended"));
    let fields = Fields {
        active,
        ended,
        former: FormerFields {
            word: builder.add_text_field("former_word", terms.clone()),
            prefix: builder.add_text_field("former_prefix", terms.clone()),
            key: builder.add_text_field("former_key", whole.clone()),
            bare: builder.add_text_field("former_bare", whole.clone()),
            shown: builder.add_text_field("former_shown", STORED),
        },
        key: builder.add_text_field("key", whole.clone()),
        bare: builder.add_text_field("bare", whole.clone()),
        ico: builder.add_text_field("ico", whole.clone()),
        digits: builder.add_text_field("digits", terms.clone()),
        city: builder.add_text_field("city", terms.clone()),
        form: builder.add_text_field("form", terms.clone()),
        status: builder.add_text_field("status", whole | STORED),
        nace: builder.add_text_field("nace", terms),
        established: builder.add_u64_field("established", FAST | INDEXED),
        rank: builder.add_u64_field(RANK, FAST),
        shown_name: builder.add_text_field("shown_name", STORED),
        shown_city: builder.add_text_field("shown_city", STORED),
    };
    (builder.build(), fields)
}
