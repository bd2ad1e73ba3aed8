//! What is told of insolvency proceedings.
