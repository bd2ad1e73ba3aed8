//! The datasets of the connector.

use crate::entries::RegisterEntry;
use crate::files::File;
use crate::table::Table;

/// The datasets. Within one day, entries of the first come first.
pub const DATASETS: [&str; 2] = [File::DATASET, RegisterEntry::DATASET];
