//! What is told of notices in the commercial bulletin.
