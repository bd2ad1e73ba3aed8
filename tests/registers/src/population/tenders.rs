//! Public procurements that the company won, and the contacts that notices publish.
