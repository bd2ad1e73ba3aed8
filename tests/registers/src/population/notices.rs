//! Notices about the company in the commercial bulletin.
