//! Plots of the queues over the last day, drawn as SVG. Times without samples are gaps and not zeros.

use time::OffsetDateTime;

use super::texts::Texts;
use super::time_of;
use crate::language::Language;
use crate::operator::queue_recorder::{INTERVAL, SHOWN};
use crate::store::QueueSample;
use crate::web::number;

/// Width and height of the drawing, in its units.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 70.0;

/// Width of a sample without neighbours.
const DOT: f64 = 1.0;

/// The plot of a queue.
#[derive(Debug)]
pub(super) struct QueuePlot {
    pub(super) title: &'static str,
    /// The newest and the largest length.
    pub(super) summary: String,
    /// The same for those who do not see the drawing.
    pub(super) described: String,
    /// Points of the lines; each ends where a sample is missing.
    pub(super) lines: Vec<String>,
}

/// The plots of all queues. Empty without samples.
pub(super) fn plots(
    samples: &[QueueSample],
    now: OffsetDateTime,
    language: Language,
    t: &'static Texts,
) -> Vec<QueuePlot> {
    type Length = fn(&QueueSample) -> i64;
    let queues: [(&'static str, Length); 4] = [
        (t.deliveries, |sample| sample.deliveries),
        (t.batch_parts, |sample| sample.batches),
        (t.mail, |sample| sample.mail),
        (t.events, |sample| sample.events),
    ];
    let plots = queues.into_iter().filter_map(|(title, length)| {
        let values: Vec<(OffsetDateTime, i64)> = samples
            .iter()
            .map(|sample| (sample.at, length(sample)))
            .collect();
        plot(title, &values, now, language, t)
    });
    plots.collect()
}

fn plot(
    title: &'static str,
    values: &[(OffsetDateTime, i64)],
    now: OffsetDateTime,
    language: Language,
    t: &'static Texts,
) -> Option<QueuePlot> {
    let (newest_at, newest) = *values.last()?;
    // Of equal lengths the newest.
    let (most_at, most) = *values.iter().max_by_key(|(_, length)| *length)?;
    let summary = format!(
        "{}, {} {} ({})",
        number(newest, language),
        t.most,
        number(most, language),
        time_of(most_at, language)
    );
    Some(QueuePlot {
        title,
        described: format!("{title}: {summary}; {}", time_of(newest_at, language)),
        summary,
        lines: lines(values, most, now),
    })
}

fn float(number: i64) -> f64 {
    u32::try_from(number.max(0)).map_or(f64::from(u32::MAX), f64::from)
}

fn lines(values: &[(OffsetDateTime, i64)], most: i64, now: OffsetDateTime) -> Vec<String> {
    let shown = SHOWN.as_seconds_f64();
    let place = |at: OffsetDateTime| {
        let ago = (now - at).as_seconds_f64().clamp(0.0, shown);
        WIDTH * (1.0 - ago / shown)
    };
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut last: Option<(OffsetDateTime, f64)> = None;
    let mut end = |line: &mut String, last: Option<(OffsetDateTime, f64)>| {
        // A line of one point is not drawn, so it gets a width.
        if let Some((at, y)) = last.filter(|_| line.matches(' ').count() == 0) {
            point(line, place(at) + DOT, y);
        }
        if !line.is_empty() {
            lines.push(std::mem::take(line));
        }
    };
    for (at, length) in values {
        if last.is_some_and(|(before, _)| *at - before > INTERVAL) {
            end(&mut line, last);
        }
        let y = HEIGHT * (1.0 - float(*length) / float(most).max(1.0));
        point(&mut line, place(*at), y);
        last = Some((*at, y));
    }
    end(&mut line, last);
    lines
}

fn point(line: &mut String, x: f64, y: f64) {
    if !line.is_empty() {
        line.push(' ');
    }
    line.push_str(&format!("{x:.1},{y:.1}"));
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-01-15 12:00 UTC);

    fn ago(minutes: i64) -> OffsetDateTime {
        NOW - time::Duration::minutes(minutes)
    }

    #[test]
    fn line_ends_where_samples_are_missing() {
        let values = [(ago(720), 0), (ago(10), 20), (ago(5), 10), (ago(0), 0)];
        assert_eq!(
            lines(&values, 20, NOW),
            ["120.0,70.0 121.0,70.0", "238.3,0.0 239.2,35.0 240.0,70.0"]
        );
        assert!(lines(&[], 0, NOW).is_empty());
    }

    #[test]
    fn empty_queue_is_a_line_at_the_bottom() {
        let values = [(ago(5), 0), (ago(0), 0)];
        assert_eq!(lines(&values, 0, NOW), ["239.2,70.0 240.0,70.0"]);
    }
}
