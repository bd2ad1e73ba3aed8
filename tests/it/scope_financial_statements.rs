//! What is told of financial statements.
