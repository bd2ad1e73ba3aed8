//! Queries for one term, and intersections of queries.

use tantivy::Term;
use tantivy::query::{BooleanQuery, EmptyQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

/// Query for one term of a field.
pub fn has(field: Field, text: &str) -> Box<dyn Query> {
    let term = Term::from_field_text(field, text);
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}

/// Intersection of queries; matches nothing if there are none.
pub fn all_of(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.len() {
        0 => Box::new(EmptyQuery),
        1 => queries.swap_remove(0),
        _ => Box::new(BooleanQuery::intersection(queries)),
    }
}

/// Intersection of queries, without the matches of others.
pub fn all_but(queries: Vec<Box<dyn Query>>, but: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    if but.is_empty() {
        return all_of(queries);
    }
    let wanted = queries.into_iter().map(|query| (Occur::Must, query));
    let unwanted = but.into_iter().map(|query| (Occur::MustNot, query));
    Box::new(BooleanQuery::new(wanted.chain(unwanted).collect()))
}
