//! The report of proofs, as text and as a page.

use super::view::{OperationView, ProofReport, SizeView};
use crate::report::{Page, grid, number, share};
use crate::svg;
use crate::text::bytes;
use crate::time::{Spread, TimeView, figure, milliseconds};

const OPERATIONS: [&str; 11] = [
    "operation",
    "calls",
    "median ms",
    "quartile 1",
    "quartile 3",
    "launches",
    "device ms",
    "least GB",
    "floor ms",
    "share of floor",
    "up / down",
];
const PHASES: [&str; 4] = ["phase", "median ms", "quartile 1", "quartile 3"];
const SIZES: [&str; 5] = ["rows", "median ms, no grinding", "quartile 1", "quartile 3", "M rows/s"];

fn times(time: &TimeView) -> [String; 3] {
    [time.median_seconds, time.lower_quartile_seconds, time.upper_quartile_seconds].map(|t| number(milliseconds(t)))
}

impl OperationView {
    fn row(&self) -> Vec<String> {
        let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let mut row = vec![self.name.to_owned(), self.calls.to_string()];
        row.extend(times(&self.time));
        row.push(or_dash(self.launches.map(|launches| launches.to_string())));
        row.push(or_dash(self.device_seconds.map(milliseconds).map(number)));
        row.push(number(figure(self.least_bytes / 1e9)));
        // A floor above the time is none.
        let floor = self.share_of_floor.and(self.floor_seconds);
        row.push(or_dash(floor.map(milliseconds).map(number)));
        row.push(or_dash(self.share_of_floor.map(share)));
        row.push(format!("{} / {}", bytes(self.uploaded_bytes), bytes(self.downloaded_bytes)));
        row
    }
}

impl<F> ProofReport<F> {
    fn operation_rows(&self) -> Vec<Vec<String>> {
        self.operations.iter().map(OperationView::row).collect()
    }

    fn size_rows(&self) -> Vec<Vec<String>> {
        let row = |size: &SizeView| {
            let mut row = vec![format!("2^{}", size.log_rows)];
            match (&size.measured, &size.skipped) {
                (Some(measured), _) => {
                    row.extend(times(&measured.time));
                    row.push(number(measured.mega_rows_per_second));
                }
                (None, why) => row.push(format!("skipped: {}", why.as_deref().unwrap_or("not measured"))),
            }
            row
        };
        self.sizes.iter().map(row).collect()
    }

    /// The facts about the whole proof.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let trace =
            if self.trace == "device" { "made on the device, within the time" } else { "uploaded, within the time" };
        let mut facts = vec![
            ("prove", self.prove.text()),
            ("preparation", format!("{:>8} ms, once for a statement", number(milliseconds(self.preparation_seconds)))),
            ("verify", format!("{}, the proof is valid", self.verify.text())),
            ("trace", trace.to_owned()),
        ];
        if let Some(busy) = self.busy_seconds {
            let of = busy / self.prove.median_seconds;
            facts.push(("device busy", format!("{:>8} ms, {} of a proof", number(milliseconds(busy)), share(of))));
        }
        if let Some(of) = self.share_of_floor {
            let floor = number(milliseconds(self.floor_seconds));
            facts.push(("floor", format!("{floor:>8} ms, a proof has {} of that speed", share(of))));
        }
        facts.extend([
            ("to the device", bytes(self.uploaded_bytes)),
            ("to the host", bytes(self.downloaded_bytes)),
            ("peak memory", format!("{}, planned {}", bytes(self.measured_peak_bytes), bytes(self.planned_peak_bytes))),
            ("speeds", self.speeds.text()),
        ]);
        facts.extend(self.made.facts());
        facts
    }

    /// The report as text; `table` aligns the values of lines.
    pub fn text(&self, table: impl Fn(&[(&str, String)]) -> String) -> String {
        let mut text =
            format!("{} ({}) on {} ({}), {} rows\n", self.air, self.protocol, self.backend, self.device, self.rows);
        text += &table(&self.facts());
        text += &format!("phases, medians of {} runs and quartiles, host clock\n", self.runs);
        text += &table(&self.phases.iter().map(|phase| (phase.name, phase.time.text())).collect::<Vec<_>>());
        text += &format!("operations, waiting after each; {}\n", self.operations_clock);
        text += &grid(&OPERATIONS, &self.operation_rows());
        if !self.sizes.is_empty() {
            text += "sizes, the time without grinding, which is luck\n";
            text += &grid(&SIZES, &self.size_rows());
        }
        text
    }

    /// The report as an HTML page that needs nothing else.
    pub fn page(&self) -> String {
        let mut page = Page::new(
            &format!("Polystark: {}, {} rows", self.air, self.rows),
            &format!("{}, {}, {}", self.protocol, self.backend, self.device),
        );
        let mut facts = self.facts();
        facts.push(("runs", format!("{} measured, {} before", self.runs, self.warm_up)));
        page.facts(&facts);
        let phases: Vec<(String, Spread, String)> = (self.phases.iter())
            .map(|phase| {
                let words = format!("{} ms", number(milliseconds(phase.time.median_seconds)));
                (phase.name.to_owned(), phase.time.spread(milliseconds), words)
            })
            .collect();
        let caption = "Timeline of a proof (medians and quartiles, host clock, not waiting for the device)";
        page.figure(caption, &svg::timeline(&phases, "milliseconds from the beginning"));
        let shares: Vec<(String, Spread, String)> = (self.operations.iter())
            .filter_map(|operation| {
                let (value, floor) = (operation.share_of_floor?, operation.floor_seconds?);
                Some((operation.name.to_owned(), operation.time.spread(|seconds| floor / seconds), share(value)))
            })
            .collect();
        let caption = "Share of the floor (floor over median, and over quartiles; full length is as fast as can be)";
        page.figure(caption, &svg::bars(&shares, "share of the floor, from 0 to 100 %"));
        let sizes: Vec<(f64, Spread)> = (self.sizes.iter())
            .filter_map(|size| {
                let time = &size.measured.as_ref()?.time;
                let rows = f64::from(size.log_rows).exp2();
                Some((f64::from(size.log_rows), time.spread(|seconds| rows / seconds / 1e6)))
            })
            .collect();
        if sizes.len() > 1 {
            let caption = "Million rows a second by size, without grinding, whose time is luck (medians and quartiles)";
            page.figure(caption, &svg::line(&sizes, "log2 of the rows", "million rows/s"));
        }
        let phase_rows: Vec<Vec<String>> = (self.phases.iter())
            .map(|phase| std::iter::once(phase.name.to_owned()).chain(times(&phase.time)).collect())
            .collect();
        page.table("Phases", &PHASES, &phase_rows);
        page.table(
            &format!("Operations, waiting after each; {}", self.operations_clock),
            &OPERATIONS,
            &self.operation_rows(),
        );
        if !self.sizes.is_empty() {
            page.table("Sizes, without grinding", &SIZES, &self.size_rows());
        }
        page.finish()
    }
}
