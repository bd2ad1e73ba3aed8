//! What is told of public procurements that a company won, and of its contacts.
