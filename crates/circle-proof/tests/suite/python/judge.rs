//! The verifier in Python as a process, and what it is told of constraints.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use circle_air::{RecordedComponent, RecordedStatement, Statement};
use field::{Field, M31, QM31, SplitMix64};
use gpu_hal::CircleStark;
use gpu_hal::ir::NodeOp;

/// The verifier in Python.
pub(crate) struct Judge(Child, BufReader<ChildStdout>);

impl Judge {
    /// Starts it.
    pub(crate) fn new() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../circle-proof/tests/python");
        let mut command = Command::new("python3");
        command.arg("judge.py").current_dir(folder).env("PYTHONDONTWRITEBYTECODE", "1");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("python3, which this test needs");
        let said = BufReader::new(child.stdout.take().expect("piped"));
        Self(child, said)
    }

    /// Its verdict on what a line says.
    pub(crate) fn verdict(&mut self, line: &str) -> String {
        let stdin = self.0.stdin.as_mut().expect("piped");
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n")).expect("it reads");
        let mut verdict = String::new();
        self.1.read_line(&mut verdict).expect("it says something");
        assert!(!verdict.is_empty(), "the verifier in Python has ended");
        verdict.trim_end().to_owned()
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Elements by which a parameter is known: nothing else in a program is one of them.
fn marks(count: usize, seed: u64) -> Vec<QM31> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| QM31(std::array::from_fn(|_| M31::reduce(random.word())))).collect()
}

/// Writes the components of a statement, with these names, to a file below the target folder, as
/// `crates/circle-proof/tests/python/program.py` reads them.
pub(crate) fn export(statement: &dyn Statement, names: &[&str], file: &str) -> PathBuf {
    let recorded = RecordedStatement::new(statement, None).expect("a statement");
    let with_sums = recorded.components.iter().filter(|component| component.logup.is_some()).count();
    let (drawn, sums) = (marks(statement.draws(), 71), marks(with_sums, 72));
    let params = recorded.params(statement, &drawn, &sums).expect("as many as there are");
    let mut sums = sums.iter();
    let mut out = String::from("[");
    for (index, (component, params)) in recorded.components.iter().zip(&params).enumerate() {
        let sum = component.logup.as_ref().and_then(|_| sums.next().copied()).unwrap_or_default();
        let name = names.get(index).copied().unwrap_or_default();
        out += if index > 0 { ",\n" } else { "" };
        out += &of_component(component, name, &drawn, sum, params);
    }
    out += "]\n";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(file);
    std::fs::write(&path, out).expect("the target folder can be written");
    path
}

fn of_component(component: &RecordedComponent, name: &str, drawn: &[QM31], sum: QM31, params: &[QM31]) -> String {
    let column = |name: &str, offsets: &[isize]| format!(r#"{{"name": "{name}", "offsets": {offsets:?}}}"#);
    let fixed: Vec<_> = component.preprocessed.iter().map(|id| column(id, &[0])).collect();
    let table = |role: &str, columns: &[String]| format!(r#"{{"role": "{role}", "columns": [{}]}}"#, columns.join(","));
    let of_tree = |tree: usize| component.offsets[tree].iter().map(|each| column("", each)).collect::<Vec<_>>();
    let tables = [table("preprocessed", &fixed), table("main", &of_tree(1)), table("interaction", &of_tree(2))];
    let shift = sum * M31::new(1 << (31 - component.log_size));
    let params: Vec<_> = params.iter().map(|value| param(*value, drawn, shift)).collect();
    let nodes: Vec<_> = component.constraints.nodes().iter().map(|node| of_node(&node.op)).collect();
    let outputs = component.constraints.outputs().iter();
    let constraints: Vec<_> = outputs.map(|node| format!(r#"{{"node": {}}}"#, node.index())).collect();
    let logup = component.logup.as_ref();
    let logup =
        logup.map_or("null".to_owned(), |of| format!(r#"{{"first": {}, "batches": {}}}"#, of.first, of.batches));
    let mut out = String::new();
    let _ = write!(
        out,
        r#"{{"name": "{name}", "log_rows": {}, "tables": [{}], "params": [{}], "nodes": [{}], "constraints": [{}], "logup": {logup}, "lookups": []}}"#,
        component.log_size,
        tables.join(","),
        params.join(","),
        nodes.join(","),
        constraints.join(","),
    );
    out
}

/// The parameter that has this value: the share of the claimed sum, or what constants of a tuple were folded to, some
/// of z, a constant and some of a power of alpha.
fn param(value: QM31, drawn: &[QM31], shift: QM31) -> String {
    if value == shift {
        return r#"{"shift": true}"#.to_owned();
    }
    for (relation, pair) in drawn.chunks_exact(2).enumerate() {
        let [z, alpha] = [pair[0], pair[1]];
        for (of_z, rest) in [(0, value), (-1, value + z), (1, value - z)] {
            let mut power = QM31::ONE;
            for exponent in 0..128 {
                if let Some((constant, factor)) = combined(rest, power) {
                    let power = format!(r#""power": {exponent}, "factor": {factor}"#);
                    return format!(r#"{{"relation": {relation}, "z": {of_z}, "constant": {constant}, {power}}}"#);
                }
                power *= alpha;
            }
        }
    }
    panic!("a parameter of no such form");
}

/// A constant and a factor with which the value is constant plus factor times the power.
fn combined(value: QM31, power: QM31) -> Option<(u32, u32)> {
    let place = (1..4).find(|place| !power.0[*place].is_zero());
    let factor = place.map_or(Some(M31::ZERO), |place| Some(value.0[place] * power.0[place].inverse()?))?;
    let [constant, rest @ ..] = (value - power * factor).0;
    rest.iter().all(Field::is_zero).then(|| (constant.value(), factor.value()))
}

fn of_node(op: &NodeOp<CircleStark>) -> String {
    match op {
        NodeOp::ConstBase(value) => format!(r#"["const", {}]"#, value.value()),
        NodeOp::ConstExt(value) => format!(r#"["ext", {:?}]"#, value.0.map(|coordinate| coordinate.value())),
        NodeOp::Param(index) => format!(r#"["param", {index}]"#),
        NodeOp::Load { group, column, offset } => format!(r#"["load", {group}, {column}, {offset}]"#),
        NodeOp::Add(a, b) => format!(r#"["add", {}, {}]"#, a.index(), b.index()),
        NodeOp::Sub(a, b) => format!(r#"["sub", {}, {}]"#, a.index(), b.index()),
        NodeOp::Mul(a, b) => format!(r#"["mul", {}, {}]"#, a.index(), b.index()),
        NodeOp::Neg(a) => format!(r#"["neg", {}]"#, a.index()),
    }
}
