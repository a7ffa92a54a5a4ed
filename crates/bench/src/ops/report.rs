//! The measurements of operations, as JSON, as text and as a page.

use std::time::Duration;

use gpu_hal::StarkBackend;
use gpu_hal::work::Work;
use serde::Serialize;

use crate::floor::{Bound, Machine, share_of};
use crate::measurable::Measurable;
use crate::prepared::Prepared;
use crate::provenance::Provenance;
use crate::report::{Page, grid, number, share};
use crate::svg;
use crate::time::{Spread, TimeView, figure, milliseconds};

/// The measurements of operations.
#[derive(Serialize)]
pub struct OpsReport {
    pub(super) status: &'static str,
    pub(super) made: Provenance,
    pub(super) protocol: &'static str,
    pub(super) backend: String,
    pub(super) device: String,
    /// The clock of the times.
    pub(super) clock: &'static str,
    pub(super) speeds: Machine,
    pub(super) runs: u32,
    pub(super) warm_up: u32,
    pub(super) operations: Vec<OperationView>,
}

/// An operation at a size: its times, or why there are none.
#[derive(Serialize)]
pub(super) struct OperationView {
    pub(super) name: String,
    pub(super) operation: &'static str,
    /// Its description without its size.
    pub(super) series: String,
    pub(super) log_size: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skipped: Option<String>,
    #[serde(flatten)]
    pub(super) measured: Option<Measured>,
}

#[derive(Serialize)]
pub(super) struct Measured {
    #[serde(flatten)]
    pub(super) time: TimeView,
    /// Time in which the device ran kernels, copies or fills, median; without transfers and gaps.
    pub(super) busy_seconds: Option<f64>,
    /// Bytes that must be moved at least, of memory and between host and device.
    pub(super) bytes: f64,
    /// Bytes over the median.
    pub(super) gigabytes_per_second: f64,
    /// The number of things made in a run, and in a second.
    pub(super) made: Option<f64>,
    pub(super) unit: Option<&'static str>,
    pub(super) giga_per_second: Option<f64>,
    pub(super) floor_seconds: Option<f64>,
    pub(super) bound: Option<Bound>,
    /// Floor over median: 1 is as fast as can be. `None` above that, too: then the speeds are not the device's.
    pub(super) share_of_floor: Option<f64>,
}

impl Measured {
    pub(super) fn new<B: StarkBackend<P: Measurable>>(
        time: TimeView,
        busy: Vec<Duration>,
        prepared: &Prepared<'_, B>,
        machine: &Machine,
    ) -> Self {
        let median = time.median_seconds;
        let work = Work::of(&B::P::PRICES, &prepared.cost, 0, machine.levels_per_pass);
        let floor = machine.floor(&work);
        let moved = work.bytes + work.link_bytes;
        Self {
            time,
            busy_seconds: (!busy.is_empty()).then(|| TimeView::of(busy).median_seconds),
            bytes: moved,
            gigabytes_per_second: figure(moved / median / 1e9),
            made: prepared.made.map(|(count, _)| count),
            unit: prepared.made.map(|(_, unit)| unit),
            giga_per_second: prepared.made.map(|(count, _)| figure(count / median / 1e9)),
            floor_seconds: floor.map(|floor| floor.seconds),
            bound: floor.map(|floor| floor.bound),
            share_of_floor: floor.and_then(|floor| share_of(floor.seconds, median)),
        }
    }

    fn row(&self, name: &str) -> Vec<String> {
        let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let time = &self.time;
        vec![
            name.to_owned(),
            number(milliseconds(time.median_seconds)),
            number(milliseconds(time.lower_quartile_seconds)),
            number(milliseconds(time.upper_quartile_seconds)),
            or_dash(self.busy_seconds.map(milliseconds).map(number)),
            number(figure(self.bytes / 1e9)),
            number(self.gigabytes_per_second),
            or_dash(self.giga_per_second.zip(self.unit).map(|(rate, unit)| format!("{} {unit}", number(rate)))),
            // A floor above the time is none.
            or_dash(self.share_of_floor.and(self.floor_seconds).map(milliseconds).map(number)),
            or_dash(self.share_of_floor.map(share)),
            or_dash(self.share_of_floor.and(self.bound).map(|bound| bound.name().to_owned())),
        ]
    }
}

const HEADS: [&str; 11] = [
    "operation",
    "median ms",
    "quartile 1",
    "quartile 3",
    "busy ms",
    "least GB",
    "GB/s",
    "G/s",
    "floor ms",
    "share of floor",
    "bound by",
];

impl OpsReport {
    fn rows(&self) -> Vec<Vec<String>> {
        let measured = self.operations.iter().filter_map(|view| Some((view, view.measured.as_ref()?)));
        measured.map(|(view, measured)| measured.row(&view.name)).collect()
    }

    fn skipped(&self) -> Vec<Vec<String>> {
        let skipped = self.operations.iter().filter_map(|view| Some((view, view.skipped.as_ref()?)));
        skipped.map(|(view, reason)| vec![view.name.clone(), reason.clone()]).collect()
    }

    /// (series, points of log2 size and giga a second) of operations that were measured at several sizes.
    fn curves(&self) -> Vec<(String, Vec<(f64, Spread)>)> {
        let mut curves: Vec<(String, Vec<(f64, Spread)>)> = Vec::new();
        for view in &self.operations {
            let rate = view.measured.as_ref().and_then(|measured| {
                let made = measured.made?;
                Some(measured.time.spread(|seconds| made / seconds / 1e9))
            });
            let Some((log, rate)) = view.log_size.zip(rate) else { continue };
            match curves.iter_mut().find(|(series, _)| *series == view.series) {
                Some((_, points)) => points.push((f64::from(log), rate)),
                None => curves.push((view.series.clone(), vec![(f64::from(log), rate)])),
            }
        }
        curves.retain(|(_, points)| points.len() > 1);
        curves
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut text = format!("operations of {} on {} ({})\n", self.protocol, self.backend, self.device);
        text += &format!("times: {}; medians of {} runs\n", self.clock, self.runs);
        text += &format!("speeds: {}\n", self.speeds.text());
        text += &grid(&HEADS, &self.rows());
        for row in self.skipped() {
            text += &format!("skipped: {}\n", row.join(": "));
        }
        text
    }

    /// The report as an HTML page that needs nothing else.
    pub fn page(&self) -> String {
        let mut page = Page::new(
            &format!("Polystark: operations of {}", self.protocol),
            &format!("{}, {}", self.backend, self.device),
        );
        let facts = [
            ("times", self.clock.to_owned()),
            ("runs", format!("{} measured, {} before", self.runs, self.warm_up)),
            ("speeds", self.speeds.text()),
        ];
        page.facts(&[&facts[..], &self.made.facts()[..]].concat());
        let shares: Vec<(String, Spread, String)> = self
            .operations
            .iter()
            .filter_map(|view| {
                let measured = view.measured.as_ref()?;
                let (value, floor) = (measured.share_of_floor?, measured.floor_seconds?);
                Some((view.name.clone(), measured.time.spread(|seconds| floor / seconds), share(value)))
            })
            .collect();
        let caption = "Share of the floor (floor over median, and over quartiles; full length is as fast as can be)";
        page.figure(caption, &svg::bars(&shares, "share of the floor, from 0 to 100 %"));
        for (series, points) in self.curves() {
            let line = svg::line(&points, "log2 of the size", "G/s");
            page.figure(&format!("{series} by size (medians and quartiles)"), &line);
        }
        page.table("Times", &HEADS, &self.rows());
        if !self.skipped().is_empty() {
            page.table("Skipped", &["operation", "why"], &self.skipped());
        }
        page.finish()
    }
}
