//! What is told of public sector partners.
