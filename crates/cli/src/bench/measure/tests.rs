//! A GPU is measured by its own clock, for every caller.

use backend_emulated::Emulated;
use bench::{MeasureArguments, Measuring};
use clap::Parser;
use sdk::hal::CircleStark;
use sdk::{TraceSource, circle};
use serde_json::Value;

use super::super::benched::CIRCLE;
use super::proofs;
use crate::report::output::table;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    measure: MeasureArguments,
}

#[test]
fn a_gpu_tells_its_launches_and_their_time() {
    let device = backend_emulated::device().expect("there is a C++ compiler");
    let backend = Emulated::<CircleStark>::new(backend_emulated::NAME, device).expect("the emulator runs all kernels");
    let device = circle::Device::new(backend);
    let arguments = Line::parse_from(["bench", "--runs", "2", "--bandwidth", "100"]).measure;
    let mut request = circle::Request::new("fibonacci", 16);
    request.trace = TraceSource::Device;
    request.options.pow_bits = 2;
    let measuring = Measuring { arguments: &arguments, commit: None, host_memory: || None, follow: &|_, _| () };
    let report = proofs(&device, CIRCLE.nonce, &request, &[], measuring).unwrap();
    assert!(report.page().contains("fibonacci") && report.text(table).contains("device events"));
    let report: Value = serde_json::to_value(report).unwrap();
    assert_eq!(report["trace"], "device");
    let busy = report["busy_seconds"].as_f64().unwrap();
    let peaks = ["measured_peak_bytes", "planned_peak_bytes"].map(|name| report[name].as_u64().unwrap());
    assert!(0 < peaks[0] && peaks[0] <= peaks[1], "{peaks:?}");
    let operations = report["operations"].as_array().unwrap();
    let of = |name| operations.iter().find(|operation| operation["name"] == name).unwrap();
    for name in ["recurrence", "lde", "merkle", "constraint_eval", "eval_at", "deep_quotient", "fri_fold", "grind"] {
        let operation = of(name);
        assert!(operation["launches"].as_u64().unwrap() >= operation["calls"].as_u64().unwrap(), "{operation}");
        assert!(operation["device_seconds"].as_f64().unwrap() > 0.0, "{operation}");
        assert_eq!(operation["floor_seconds"].is_null(), name == "grind", "{operation}");
    }
    // The device's own operations add up to its busy time: medians of two runs are means.
    let sum: f64 = operations.iter().filter_map(|operation| operation["device_seconds"].as_f64()).sum();
    assert!((sum - busy).abs() < sum * 1e-3, "{sum}");
    // No columns went up.
    assert_eq!(of("recurrence")["calls"], 1);
    assert!(report["uploaded_bytes"].as_u64().unwrap() < 4096, "{report}");
}
