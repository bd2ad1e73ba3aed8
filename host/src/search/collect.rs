//! Collects the best matches by rank, and counts all matches.

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::schema::Schema;
use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use super::document::number_of;

/// Sort order of matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortOrder {
    /// By rank; lower ranks come first.
    Rank,
    /// By number; only numbers that begin with these digits.
    Beginning(String),
    /// By number; only numbers that contain these digits after their beginning.
    Inside(String),
}

impl SortOrder {
    /// Sort key of a company. `None`: the number does not match, so the company is excluded.
    fn key(&self, rank: u64) -> Option<u64> {
        match self {
            Self::Rank => Some(rank),
            Self::Beginning(digits) => {
                let number = number_of(rank);
                let ico = digits_of(number);
                ico.starts_with(digits.as_bytes()).then_some(number)
            }
            Self::Inside(digits) => {
                let number = number_of(rank);
                let (ico, digits) = (digits_of(number), digits.as_bytes());
                let inside = !ico.starts_with(digits)
                    && ico.windows(digits.len().max(1)).any(|part| part == digits);
                inside.then_some(number)
            }
        }
    }
}

/// The 8 digits of a registration number. It runs for every candidate of a query, so it avoids allocating a string.
fn digits_of(mut number: u64) -> [u8; 8] {
    let mut digits = [b'0'; 8];
    for digit in digits.iter_mut().rev() {
        *digit += u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
    }
    digits
}

/// A match with its sort key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ranked {
    key: u64,
    pub rank: u64,
    /// Address of its document in the index.
    pub address: DocAddress,
}

/// The best matches in order, and the number of all matches.
pub struct Best {
    /// Number of all matches.
    pub count: u64,
    pub ranked: Vec<Ranked>,
}

/// Collector of the best matches.
pub struct BestByRank {
    /// Maximum number of matches to keep.
    pub limit: usize,
    pub order: SortOrder,
}

impl Collector for BestByRank {
    type Fruit = Best;
    type Child = OfSegment;

    fn check_schema(&self, _schema: &Schema) -> tantivy::Result<()> {
        Ok(())
    }

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<OfSegment> {
        Ok(OfSegment {
            segment,
            ranks: reader.fast_fields().u64("rank")?.first_or_default_col(0),
            order: self.order.clone(),
            limit: self.limit,
            count: 0,
            ranked: Vec::with_capacity((self.limit * 2).min(1_024)),
            worst: u64::MAX,
        })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, segments: Vec<Best>) -> tantivy::Result<Best> {
        let count = segments.iter().map(|segment| segment.count).sum();
        let mut ranked: Vec<Ranked> = segments
            .into_iter()
            .flat_map(|segment| segment.ranked)
            .collect();
        ranked.sort_unstable();
        ranked.truncate(self.limit);
        Ok(Best { count, ranked })
    }
}

/// Collector for one segment: buffers up to twice the limit, then drops the worse half.
pub struct OfSegment {
    segment: SegmentOrdinal,
    ranks: std::sync::Arc<dyn ColumnValues<u64>>,
    order: SortOrder,
    limit: usize,
    count: u64,
    ranked: Vec<Ranked>,
    /// Keys from this value on are not kept.
    worst: u64,
}

impl OfSegment {
    fn take(&mut self, doc: DocId, rank: u64) {
        let Some(key) = self.order.key(rank) else {
            return;
        };
        self.count += 1;
        if key >= self.worst {
            return;
        }
        self.ranked.push(Ranked {
            key,
            rank,
            address: DocAddress::new(self.segment, doc),
        });
        if self.ranked.len() >= self.limit.saturating_mul(2).max(1) {
            self.prune();
        }
    }

    fn prune(&mut self) {
        if self.limit == 0 {
            self.ranked.clear();
            self.worst = 0;
        } else if self.ranked.len() > self.limit {
            let (_, last, _) = self.ranked.select_nth_unstable(self.limit - 1);
            self.worst = last.key;
            self.ranked.truncate(self.limit);
        }
    }
}

impl SegmentCollector for OfSegment {
    type Fruit = Best;

    fn collect(&mut self, doc: DocId, _score: Score) {
        let rank = self.ranks.get_val(doc);
        self.take(doc, rank);
    }

    fn collect_block(&mut self, docs: &[DocId]) {
        let mut ranks = [0; COLLECT_BLOCK_BUFFER_LEN];
        for docs in docs.chunks(COLLECT_BLOCK_BUFFER_LEN) {
            let ranks = &mut ranks[..docs.len()];
            self.ranks.get_vals(docs, ranks);
            for (doc, rank) in docs.iter().zip(ranks) {
                self.take(*doc, *rank);
            }
        }
    }

    fn harvest(mut self) -> Best {
        self.prune();
        Best {
            count: self.count,
            ranked: self.ranked,
        }
    }
}
