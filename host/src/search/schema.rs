//! The fields of the index, and what its files are a version of.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};

/// Grows with every change of fields, of how names are folded or of how companies are ranked: an index of another
/// layout is thrown away and made again.
pub const LAYOUT: u32 = 1;

/// Words are found by beginnings of up to this many characters; longer words are cut.
pub const LONGEST_PREFIX: usize = 24;

/// Where the words of names stand. Active companies and ended ones have fields of their own, so that the first are found
/// without looking at the second.
#[derive(Debug, Clone, Copy)]
pub struct NameFields {
    /// Every word.
    pub word: Field,
    /// The beginnings of every word.
    pub prefix: Field,
    /// The first word.
    pub first_word: Field,
    /// Its beginnings.
    pub first_prefix: Field,
}

/// The fields of a company.
#[derive(Debug, Clone, Copy)]
pub struct Fields {
    /// The words of active companies.
    pub active: NameFields,
    /// The words of ended companies.
    pub ended: NameFields,
    /// The name key: everything, with the legal form.
    pub key: Field,
    /// The name key without the legal form.
    pub bare: Field,
    /// The registration number, by which a company's older document is removed.
    pub ico: Field,
    /// Every three digits in a row of it.
    pub digits: Field,
    /// The words of the city.
    pub city: Field,
    /// The legal form: `c:` and its code, `t:` and its token, `w:` and each of its words.
    pub form: Field,
    /// `active`, `terminated` or `deleted`.
    pub status: Field,
    /// The beginnings of the code of the main activity.
    pub nace: Field,
    /// The date of entry as a number, 20070129.
    pub established: Field,
    /// The order among companies that match alike; the lower comes first. See [`super::document::rank`].
    pub rank: Field,
    /// The name, as it is shown.
    pub shown_name: Field,
    /// The city, as it is shown.
    pub shown_city: Field,
}

/// The schema and its fields.
pub fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    // Documents bring their terms with spaces between them. Neither how often nor where a term stands matters.
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
        key: builder.add_text_field("key", whole.clone()),
        bare: builder.add_text_field("bare", whole.clone()),
        ico: builder.add_text_field("ico", whole.clone()),
        digits: builder.add_text_field("digits", terms.clone()),
        city: builder.add_text_field("city", terms.clone()),
        form: builder.add_text_field("form", terms.clone()),
        status: builder.add_text_field("status", whole | STORED),
        nace: builder.add_text_field("nace", terms),
        established: builder.add_u64_field("established", FAST | INDEXED),
        rank: builder.add_u64_field("rank", FAST),
        shown_name: builder.add_text_field("shown_name", STORED),
        shown_city: builder.add_text_field("shown_city", STORED),
    };
    (builder.build(), fields)
}
