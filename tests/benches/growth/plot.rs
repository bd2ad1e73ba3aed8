//! Draws the points of a measure as SVG, with logarithmic axes: a cost that grows with the size is a rising line, a
//! flat one a level line.

use std::path::Path;

use plotters::prelude::*;

use super::points::Measure;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 400;

/// Draws a measure into a file. A measure of a single size, or without a positive value, has no plot.
pub fn draw(file: &Path, what: &str, measure: &Measure) {
    let points = measure.series.iter().flat_map(|(_, points)| points);
    let (mut sizes, mut values) = ((f64::MAX, 0.0_f64), (f64::MAX, 0.0_f64));
    for (size, value) in points.filter(|(_, value)| **value > 0.0) {
        let size = f64::from(*size);
        sizes = (sizes.0.min(size), sizes.1.max(size));
        values = (values.0.min(*value), values.1.max(*value));
    }
    if sizes.0 >= sizes.1 {
        return;
    }
    // At least two decades, so that noise does not look like growth.
    let middle = (values.0 * values.1).sqrt();
    let lowest = (values.0 / 2.0).min(middle / 10.0);
    let highest = (values.1 * 2.0).max(middle * 10.0);
    let root = SVGBackend::new(file, (WIDTH, HEIGHT)).into_drawing_area();
    let drawn = root.fill(&WHITE).and_then(|()| {
        let mut chart = ChartBuilder::on(&root)
            .caption(&measure.name, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(70)
            .build_cartesian_2d(
                (sizes.0 * 0.8..sizes.1 * 1.25).log_scale(),
                (lowest..highest).log_scale(),
            )?;
        chart
            .configure_mesh()
            .x_desc(what)
            .y_desc(&measure.unit)
            .x_label_formatter(&|size| format!("{size:.0}"))
            .draw()?;
        for (place, (name, points)) in measure.series.iter().enumerate() {
            let colour = Palette99::pick(place).to_rgba();
            let points = points.iter().filter(|(_, value)| **value > 0.0);
            let points: Vec<(f64, f64)> = points
                .map(|(size, value)| (f64::from(*size), *value))
                .collect();
            let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
            chart
                .draw_series(line)?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
            let dots = points.into_iter();
            chart.draw_series(dots.map(|point| Circle::new(point, 3, colour.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        root.present()
    });
    drawn.expect("the output folder can be written");
}
