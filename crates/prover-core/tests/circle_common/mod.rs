//! What the tests of Circle proofs share.
#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::Arc;

use circle_air::airs::{ShippedAir, all};
use circle_proof::CircleOptions;
pub(crate) use golden::circle::air;

/// Every shipped AIR with `2^log_rows` rows or as few more as it has; components of other heights too.
pub(crate) fn statements(log_rows: u32) -> Vec<Arc<dyn ShippedAir>> {
    let mut out = Vec::new();
    for info in all() {
        let (log_rows, params) = (log_rows.max(info.least_log_rows), ["w=7;s=3", "table=5;s=2"]);
        match info.name {
            "wide-fibonacci" => out.push(air(info.name, log_rows, params[0])),
            "range-squares" => {
                out.push(air(info.name, log_rows, params[1]));
                out.push(air(info.name, log_rows - 2, &format!("table={log_rows};s=2")));
            }
            // Its table alone has 2^16 rows.
            "blake2s" => {}
            _ => out.push(air(info.name, log_rows, "")),
        }
    }
    out
}

pub(crate) fn options() -> CircleOptions {
    CircleOptions { pow_bits: 3, log_blowup: 1, queries: 4, fold_step: 1, ..CircleOptions::default() }
}
