//! The report of proofs, as text and as a page.

use super::view::{OperationView, ProofReport, SizeView};
use crate::report::{Page, grid, number, share};
use crate::svg;
use crate::text::{bytes, table};
use crate::time::{TimeView, figure, milliseconds};

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
const SIZES: [&str; 5] = ["rows", "median ms", "quartile 1", "quartile 3", "M rows/s"];

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
        row.push(or_dash(self.floor_seconds.map(milliseconds).map(number)));
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

    /// What is said of the whole proof.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let trace =
            if self.trace == "device" { "made on the device, within the time" } else { "uploaded, within the time" };
        let mut facts = vec![
            ("prove", self.prove.text()),
            ("preparation", format!("{:10.3} ms, once for a statement", milliseconds(self.preparation_seconds))),
            ("verify", format!("{}, the proof is valid", self.verify.text())),
            ("trace", trace.to_owned()),
        ];
        if let Some(busy) = self.busy_seconds {
            let of = busy / self.prove.median_seconds;
            facts.push(("device busy", format!("{:10.3} ms, {} of a proof", milliseconds(busy), share(of))));
        }
        let floor = milliseconds(self.floor_seconds);
        facts.extend([
            ("floor", format!("{floor:10.3} ms, a proof has {} of that speed", share(self.share_of_floor))),
            ("to the device", bytes(self.uploaded_bytes)),
            ("to the host", bytes(self.downloaded_bytes)),
            ("peak memory", format!("{}, planned {}", bytes(self.measured_peak_bytes), bytes(self.planned_peak_bytes))),
            ("speeds", self.speeds.text()),
        ]);
        facts
    }

    /// The report as text.
    pub fn text(&self) -> String {
        let mut text =
            format!("{} ({}) on {} ({}), {} rows\n", self.air, self.protocol, self.backend, self.device, self.rows);
        text += &table(&self.facts());
        text += &format!("phases, medians of {} runs and quartiles, host clock\n", self.runs);
        text += &table(&self.phases.iter().map(|phase| (phase.name, phase.time.text())).collect::<Vec<_>>());
        text += &format!("operations, waiting after each; {}\n", self.operations_clock);
        text += &grid(&OPERATIONS, &self.operation_rows());
        if !self.sizes.is_empty() {
            text += "sizes\n";
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
        let phases: Vec<(String, f64, String)> = (self.phases.iter())
            .map(|phase| {
                let median = phase.time.median_seconds;
                (phase.name.to_owned(), median, format!("{} ms", number(milliseconds(median))))
            })
            .collect();
        page.figure("Timeline of a proof (medians, host clock, not waiting for the device)", &svg::timeline(&phases));
        let shares: Vec<(String, f64, String)> = (self.operations.iter())
            .filter_map(|operation| Some((operation.name.to_owned(), operation.share_of_floor?)))
            .map(|(name, value)| (name, value, share(value)))
            .collect();
        page.figure("Share of the floor (floor over median; full length is as fast as can be)", &svg::bars(&shares));
        let sizes: Vec<(f64, f64)> = (self.sizes.iter())
            .filter_map(|size| Some((f64::from(size.log_rows), size.measured.as_ref()?.mega_rows_per_second)))
            .collect();
        if sizes.len() > 1 {
            page.figure("Million rows a second over log2 of the rows", &svg::line(&sizes));
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
            page.table("Sizes", &SIZES, &self.size_rows());
        }
        page.finish()
    }
}
