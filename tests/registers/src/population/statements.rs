//! Financial statements of the company.
