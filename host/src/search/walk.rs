//! Searches tier by tier until a page is full.

use tantivy::Searcher;

use super::collect::{Best, BestByNumber, Ranked, Ranks, SortOrder, best_by_rank, split_by_rank};
use super::plan::{QueryPlan, Tier, WithWords};
use super::schema::Fields;

/// With fewer matches than this, names with a typo are searched too.
const FEW_MATCHES: u64 = 3;

/// A page of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Maximum number of results.
    pub limit: usize,
    /// Number of results to skip.
    pub offset: usize,
}

/// A result, and whether it was found by a former name.
#[derive(Debug, Clone, Copy)]
pub struct Matched {
    pub ranked: Ranked,
    pub is_former: bool,
}

/// A page of results and the number of matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    pub hits: Vec<T>,
    /// Whether more results follow this page.
    pub more: bool,
    /// Number of all matches; a lower bound if only a page was requested.
    pub total: u64,
}

/// The results of a plan. With `count` all matches are counted.
///
/// # Errors
/// The index engine's.
pub fn search(
    plan: QueryPlan,
    page: Page,
    count: bool,
    (searcher, ranks): (&Searcher, &Ranks),
    fields: &Fields,
) -> tantivy::Result<Found<Matched>> {
    let QueryPlan {
        current,
        with_words,
        rest,
    } = plan;
    let mut found = Found {
        hits: Vec::new(),
        more: false,
        total: 0,
    };
    let mut walk = Walk {
        searcher,
        ranks,
        page,
        count,
        found: &mut found,
    };
    walk.through(&current)?;
    walk.with_words(&with_words)?;
    if let Some(rest) = rest
        && !walk.is_done()
    {
        let former = rest.former(fields, searcher)?;
        walk.through(&former.tiers)?;
        let found = walk.found.total;
        if found < FEW_MATCHES {
            let typos = rest.with_typos(&former, found, FEW_MATCHES, fields, searcher)?;
            walk.through(&typos)?;
        }
    }
    found.more = found.total > (page.offset as u64).saturating_add(found.hits.len() as u64)
        && found.hits.len() == page.limit;
    Ok(found)
}

/// Searches tier by tier until the page is full.
struct Walk<'a> {
    searcher: &'a Searcher,
    ranks: &'a Ranks,
    page: Page,
    /// Whether to continue after that, for the total count.
    count: bool,
    found: &'a mut Found<Matched>,
}

impl Walk<'_> {
    /// Whether the page is full, and one match more than the page shows that there is a next one.
    fn is_done(&self) -> bool {
        let wanted = (self.page.offset as u64).saturating_add(self.page.limit as u64);
        !self.count && self.found.total > wanted
    }

    fn through(&mut self, tiers: &[Tier]) -> tantivy::Result<()> {
        for tier in tiers {
            if self.is_done() {
                return Ok(());
            }
            self.tier(tier)?;
        }
        Ok(())
    }

    /// The upper tiers of all, then the lower ones.
    fn with_words(&mut self, all: &[WithWords]) -> tantivy::Result<()> {
        let mut lower = Vec::new();
        for names in all {
            if self.is_done() {
                return Ok(());
            }
            let (query, limit) = (names.both(), self.limit());
            let queries = (query.as_ref(), names.first.as_ref());
            let split = split_by_rank(self.searcher, self.ranks, queries, limit, self.count)?;
            match split.upper {
                Some(best) => self.take(best, false),
                None => self.tier(&names.upper())?,
            }
            lower.push(split.lower);
        }
        for (names, best) in all.iter().zip(lower) {
            if self.is_done() {
                return Ok(());
            }
            match best {
                Some(best) => self.take(best, false),
                None => self.tier(&names.lower())?,
            }
        }
        Ok(())
    }

    fn tier(&mut self, tier: &Tier) -> tantivy::Result<()> {
        let (query, limit) = (tier.query.as_ref(), self.limit());
        let best = match &tier.order {
            SortOrder::Rank => best_by_rank(self.searcher, self.ranks, query, limit, self.count)?,
            SortOrder::Number(digits) => {
                let digits = digits.clone();
                let best = BestByNumber { limit, digits };
                self.searcher.search(query, &best)?
            }
        };
        self.take(best, tier.is_former);
        Ok(())
    }

    /// Matches of the next tier to skip, because they are on earlier pages.
    fn skipped(&self) -> usize {
        let skipped = (self.page.offset as u64).saturating_sub(self.found.total);
        usize::try_from(skipped).unwrap_or(usize::MAX)
    }

    /// Number of matches that the page needs from the next tier, with those to skip.
    fn limit(&self) -> usize {
        let missing = self.page.limit - self.found.hits.len();
        let skipped = self.skipped();
        let most = usize::try_from(self.searcher.num_docs()).unwrap_or(usize::MAX);
        if missing == 0 || skipped >= most {
            0
        } else {
            skipped.saturating_add(missing)
        }
    }

    fn take(&mut self, best: Best, is_former: bool) {
        let missing = self.page.limit - self.found.hits.len();
        let hits = best.ranked.into_iter().skip(self.skipped()).take(missing);
        self.found
            .hits
            .extend(hits.map(|ranked| Matched { ranked, is_former }));
        self.found.total += best.count;
    }
}
