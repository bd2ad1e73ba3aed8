//! Encodes one metric with its labelled values.

use std::fmt;

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

pub(super) type Labels<'a> = Vec<(&'static str, &'a str)>;

/// A metric to encode, with its name and help text.
pub(super) struct Metric<'a, 'b> {
    encoder: &'a mut DescriptorEncoder<'b>,
    name: &'static str,
    help: &'static str,
}

pub(super) fn metric<'a, 'b>(
    encoder: &'a mut DescriptorEncoder<'b>,
    name: &'static str,
    help: &'static str,
) -> Metric<'a, 'b> {
    Metric {
        encoder,
        name,
        help,
    }
}

impl Metric<'_, '_> {
    pub(super) fn counters(&mut self, values: &[(Labels<'_>, f64)]) -> fmt::Result {
        let mut metric =
            self.encoder
                .encode_descriptor(self.name, self.help, None, MetricType::Counter)?;
        for (labels, value) in values {
            ConstCounter::new(*value).encode(metric.encode_family(labels)?)?;
        }
        Ok(())
    }

    pub(super) fn gauges(&mut self, values: &[(Labels<'_>, f64)]) -> fmt::Result {
        let mut metric =
            self.encoder
                .encode_descriptor(self.name, self.help, None, MetricType::Gauge)?;
        for (labels, value) in values {
            ConstGauge::new(*value).encode(metric.encode_family(labels)?)?;
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}
