//! What is told of execution authorizations.
