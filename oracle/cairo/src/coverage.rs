//! The coverage of random programs: steps of each opcode, instances of each builtin, rows of each component.

use std::collections::BTreeMap;
use std::fmt;

use cairo_air::claims::CairoClaim;
use serde_json::Value;
use stwo_cairo_adapter::ProverInput;

/// Sums over programs.
#[derive(Default)]
pub struct Coverage {
    opcodes: BTreeMap<String, Count>,
    builtins: BTreeMap<String, Count>,
    components: BTreeMap<String, Count>,
}

#[derive(Default)]
struct Count {
    /// Programs that used it.
    programs: u64,
    /// Uses in all of them.
    total: u64,
    /// Most uses in one.
    most: u64,
}

fn count(counts: &mut BTreeMap<String, Count>, name: String, uses: u64) {
    let count = counts.entry(name).or_default();
    count.programs += u64::from(uses != 0);
    count.total += uses;
    count.most = count.most.max(uses);
}

impl Coverage {
    /// Adds a program.
    pub fn add(&mut self, input: &ProverInput, claim: &CairoClaim) {
        for (opcode, steps) in input.state_transitions.casm_states_by_opcode.counts() {
            count(&mut self.opcodes, opcode, steps as u64);
        }
        for (builtin, instances) in input.builtin_segments.get_counts() {
            count(&mut self.builtins, builtin.to_string(), instances as u64);
        }
        let claim = serde_json::to_value(claim).expect("a claim has a JSON form");
        for (component, claim) in claim.as_object().into_iter().flatten() {
            if component != "public_data" {
                count(&mut self.components, component.clone(), rows(claim));
            }
        }
    }
}

/// Rows of a component, 1 if its number of rows is fixed.
fn rows(claim: &Value) -> u64 {
    let power = |log_size: &Value| log_size.as_u64().map_or(0, |log_size| 1 << log_size);
    match (claim, claim.get("log_size"), claim.get("big_log_sizes")) {
        (Value::Null, ..) => 0,
        (_, Some(log_size), _) => power(log_size),
        (_, _, Some(log_sizes)) => log_sizes.as_array().into_iter().flatten().map(power).sum(),
        _ => 1,
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = [
            ("opcodes, steps", &self.opcodes),
            ("builtins, instances with padding", &self.builtins),
            ("components, rows", &self.components),
        ];
        for (title, counts) in tables {
            writeln!(f, "{title}: programs, sum, most in one")?;
            for (name, Count { programs, total, most }) in counts {
                writeln!(f, "  {name}: {programs}, {total}, {most}")?;
            }
        }
        Ok(())
    }
}
