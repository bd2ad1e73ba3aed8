//! Collects the best matches by rank or by number, and counts all matches.

use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::ColumnValues;
use tantivy::query::{EnableScoring, Query};
use tantivy::schema::Schema;
use tantivy::{
    COLLECT_BLOCK_BUFFER_LEN, DocAddress, DocId, DocSet, Score, Searcher, SegmentOrdinal,
    SegmentReader, TERMINATED,
};

use super::document::number_of;
use super::schema::RANK;

/// Sort order of matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortOrder {
    /// By rank; lower ranks come first.
    Rank,
    /// By number.
    Number(Digits),
}

/// Which numbers are found by some digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Digits {
    /// Numbers that begin with them.
    AtBeginning(String),
    /// Numbers that contain them after their beginning.
    Inside(String),
}

impl Digits {
    fn matches(&self, number: u64) -> bool {
        let ico = digits_of(number);
        match self {
            Self::AtBeginning(digits) => ico.starts_with(digits.as_bytes()),
            Self::Inside(digits) => {
                let digits = digits.as_bytes();
                !ico.starts_with(digits)
                    && ico.windows(digits.len().max(1)).any(|part| part == digits)
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

impl Ranked {
    fn by_rank(segment: SegmentOrdinal, doc: DocId, ranks: &Arc<dyn ColumnValues<u64>>) -> Self {
        let rank = ranks.get_val(doc);
        Self {
            key: rank,
            rank,
            address: DocAddress::new(segment, doc),
        }
    }
}

/// The best matches in order, and the number of all matches.
#[derive(Default)]
pub struct Best {
    /// Number of all matches. By rank it may be lower, but then it is above the limit.
    pub count: u64,
    pub ranked: Vec<Ranked>,
}

/// The ranks of the documents in one state of the index. Opening them reads a few bytes for every 512 documents, which
/// takes longer than most searches.
pub struct Ranks {
    generation: u64,
    /// One column for each segment.
    segments: Vec<Arc<dyn ColumnValues<u64>>>,
}

impl Ranks {
    pub fn open(searcher: &Searcher) -> tantivy::Result<Self> {
        let segments = searcher.segment_readers().iter().map(ranks_of);
        Ok(Self {
            generation: searcher.generation().generation_id(),
            segments: segments.collect::<tantivy::Result<_>>()?,
        })
    }

    pub fn are_of(&self, searcher: &Searcher) -> bool {
        self.generation == searcher.generation().generation_id()
    }
}

fn ranks_of(segment: &SegmentReader) -> tantivy::Result<Arc<dyn ColumnValues<u64>>> {
    Ok(segment.fast_fields().u64(RANK)?.first_or_default_col(0))
}

/// The best matches of a query by rank, at most `limit`. With `count` all matches are counted.
///
/// The documents of each segment are in this order, so only the first matches of each segment are read, and one more,
/// which shows that more exist.
pub fn best_by_rank(
    searcher: &Searcher,
    ranks: &Ranks,
    query: &dyn Query,
    limit: usize,
    count: bool,
) -> tantivy::Result<Best> {
    let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
    let mut best = Best::default();
    let segments = searcher.segment_readers().iter().zip(&ranks.segments);
    for (number, (segment, ranks)) in (0..).zip(segments) {
        let mut matches = weight.scorer(segment, 1.0)?;
        let alive = segment.alive_bitset();
        let mut read = 0;
        let mut doc = matches.doc();
        while doc != TERMINATED && read <= limit {
            if alive.is_none_or(|alive| alive.is_alive(doc)) {
                read += 1;
                best.ranked.push(Ranked::by_rank(number, doc, ranks));
            }
            doc = matches.advance();
        }
        let rest = match alive {
            _ if !count => 0,
            Some(alive) => matches.count(alive),
            None => matches.count_including_deleted(),
        };
        best.count += read as u64 + u64::from(rest);
    }
    best.ranked.sort_unstable();
    best.ranked.truncate(limit);
    Ok(best)
}

/// The matches of a query in two tiers. `None`: the tier needs a query of its own.
#[derive(Default)]
pub struct Split {
    pub upper: Option<Best>,
    pub lower: Option<Best>,
}

/// How many matches a split reads at most for each wanted result.
const READ_PER_RESULT: usize = 4;

/// Splits the matches of a query into those that also match `upper` and the others. At most `limit` of each are kept.
///
/// For few matches, one pass over them is faster than a query for each tier. It ends after a limited number of matches;
/// then only an upper tier with more matches than `limit` is known. With `count`, a tier is known only if all matches
/// were read.
pub fn split_by_rank(
    searcher: &Searcher,
    ranks: &Ranks,
    (query, upper): (&dyn Query, &dyn Query),
    limit: usize,
    count: bool,
) -> tantivy::Result<Split> {
    let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
    let of_upper = upper.weight(EnableScoring::disabled_from_searcher(searcher))?;
    let most = limit.saturating_add(1).saturating_mul(READ_PER_RESULT);
    let (mut upper, mut lower) = (Vec::new(), Vec::new());
    let mut is_complete = true;
    let segments = searcher.segment_readers().iter().zip(&ranks.segments);
    for (number, (segment, ranks)) in (0..).zip(segments) {
        let mut matches = weight.scorer(segment, 1.0)?;
        let mut doc = matches.doc();
        if doc == TERMINATED {
            continue;
        }
        let mut uppers = of_upper.scorer(segment, 1.0)?;
        let alive = segment.alive_bitset();
        let before = upper.len();
        let mut read = 0;
        while doc != TERMINATED && read < most && upper.len() - before <= limit {
            if alive.is_none_or(|alive| alive.is_alive(doc)) {
                if uppers.doc() < doc {
                    uppers.seek(doc);
                }
                let tier = if uppers.doc() == doc {
                    &mut upper
                } else {
                    &mut lower
                };
                tier.push(Ranked::by_rank(number, doc, ranks));
            }
            read += 1;
            doc = matches.advance();
        }
        if doc != TERMINATED {
            is_complete = false;
            if count || upper.len() - before <= limit {
                return Ok(Split::default());
            }
        }
    }
    let best = |mut ranked: Vec<Ranked>| {
        let count = ranked.len() as u64;
        ranked.sort_unstable();
        ranked.truncate(limit);
        Best { count, ranked }
    };
    Ok(Split {
        upper: Some(best(upper)),
        lower: is_complete.then(|| best(lower)),
    })
}

/// Collector of the matches with the lowest numbers among those with some digits.
pub struct BestByNumber {
    /// Maximum number of matches to keep.
    pub limit: usize,
    pub digits: Digits,
}

impl Collector for BestByNumber {
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
            ranks: ranks_of(reader)?,
            digits: self.digits.clone(),
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
    ranks: Arc<dyn ColumnValues<u64>>,
    digits: Digits,
    limit: usize,
    count: u64,
    ranked: Vec<Ranked>,
    /// Keys from this value on are not kept.
    worst: u64,
}

impl OfSegment {
    fn take(&mut self, doc: DocId, rank: u64) {
        let key = number_of(rank);
        if !self.digits.matches(key) {
            return;
        }
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
