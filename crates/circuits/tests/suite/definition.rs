//! The main columns of all components from the values of the wires, in plain Rust: the definition that the row programs
//! are compared with.

use circuits::Circuit;
use field::{Field, M31, QM31};

/// By component and column.
pub(crate) type Columns = Vec<Vec<Vec<M31>>>;

/// The tables that are looked up, by column and row.
struct Uses {
    xor_8: [Vec<u32>; 2],
    xor_12: [Vec<u32>; 16],
    xor_4: [Vec<u32>; 1],
    xor_7: [Vec<u32>; 1],
    xor_9: [Vec<u32>; 1],
    range_check_16: [Vec<u32>; 1],
}

fn zeros<const N: usize>(log_size: u32) -> [Vec<u32>; N] {
    std::array::from_fn(|_| vec![0; 1 << log_size])
}

impl Uses {
    fn new() -> Self {
        Self {
            xor_8: zeros(16),
            xor_12: zeros(20),
            xor_4: zeros(8),
            xor_7: zeros(14),
            xor_9: zeros(18),
            range_check_16: zeros(16),
        }
    }

    fn xor(table: &mut [Vec<u32>; 1], bits: u32, x: u32, y: u32) {
        table[0][((x << bits) + y) as usize] += 1;
    }

    fn xor_8(&mut self, kind: usize, x: u32, y: u32) {
        self.xor_8[kind][((x << 8) + y) as usize] += 1;
    }

    fn xor_12(&mut self, x: u32, y: u32) {
        let column = 4 * (x >> 10) + (y >> 10);
        self.xor_12[column as usize][(((x & 1023) << 10) + (y & 1023)) as usize] += 1;
    }
}

fn columns_of_rows<const N: usize>(rows: impl Iterator<Item = [u32; N]>) -> Vec<Vec<M31>> {
    let mut columns = vec![Vec::new(); N];
    for row in rows {
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(M31::new(value));
        }
    }
    columns
}

fn joined<const N: usize>(parts: &[&[u32]]) -> [u32; N] {
    parts.concat().try_into().expect("as many columns")
}

fn halves(word: u32) -> [u32; 2] {
    [word & 0xffff, word >> 16]
}

/// The parts of the halves of two words: x's low half, x's high half, y's low half, y's high half.
fn cut(x: u32, y: u32, bits: u32) -> ([u32; 4], [u32; 4]) {
    let all = [halves(x)[0], halves(x)[1], halves(y)[0], halves(y)[1]];
    (all.map(|half| half & ((1 << bits) - 1)), all.map(|half| half >> bits))
}

pub(crate) fn columns(circuit: &Circuit, values: &[QM31]) -> Columns {
    let addresses = |id: &str| circuit.column(id).iter().map(|address| address.value() as usize).collect::<Vec<_>>();
    let words = |wire: usize| values[wire].0.map(M31::value);
    let word = |wire: usize| words(wire)[0] | (words(wire)[1] << 16);
    let mut uses = Uses::new();

    let eq = columns_of_rows(addresses("eq_in0_address").into_iter().map(words));

    let [a, b, out] = ["in0", "in1", "out"].map(|operand| addresses(&format!("qm31_ops_{operand}_address")));
    let first = circuit.first_rows()[3] as usize;
    let qm31_ops = columns_of_rows((0..a.len()).map(|row| {
        let wires = match row < first {
            true => [a[row], b[row], out[row]],
            // The bus has the value that goes over it.
            false if (row - first).is_multiple_of(2) => [0, b[row], b[row]],
            false => [0, out[row], out[row]],
        };
        joined::<12>(&wires.each_ref().map(|wire| words(*wire)).each_ref().map(|words| &words[..]))
    }));

    let ids = ["input_addr_0", "input_addr_1", "input_addr_2", "output_addr"];
    let gates = ids.map(|id| addresses(&format!("triple_xor_{id}")));
    let triple_xor = columns_of_rows((0..gates[0].len()).map(|row| {
        let halves: Vec<u32> = gates.iter().flat_map(|wires| halves(word(wires[row]))).collect();
        let high: Vec<u32> = halves.iter().map(|half| half >> 8).collect();
        let low: Vec<u32> = halves.iter().map(|half| half & 255).collect();
        let xors = [low[0] ^ low[2], high[0] ^ high[2], low[1] ^ low[3], high[1] ^ high[3]];
        for (half, byte) in [(0, &low), (0, &high), (1, &low), (1, &high)] {
            uses.xor_8(0, byte[half], byte[half + 2]);
        }
        for (xor, byte) in xors.iter().zip([low[4], high[4], low[5], high[5]]) {
            uses.xor_8(0, *xor, byte);
        }
        joined::<20>(&[&halves, &high, &xors])
    }));

    let m31_to_u32 = columns_of_rows(addresses("m31_to_u32_input_addr").into_iter().map(|wire| {
        let x = words(wire)[0];
        let [low, high] = halves(x);
        for value in [low, high, 0x7fff - high] {
            uses.range_check_16[0][value as usize] += 1;
        }
        [x, low, high, M31::new(x).inverse().map_or(1, M31::value)]
    }));

    let inputs = ["a", "b", "c", "d", "f0", "f1"].map(|id| format!("input_addr_{id}"));
    let outputs = ["a", "b", "c", "d"].map(|id| format!("output_addr_{id}"));
    let gates: Vec<_> = inputs.iter().chain(&outputs).map(|id| addresses(&format!("blake_g_gate_{id}"))).collect();
    let blake_g = columns_of_rows((0..gates[0].len()).map(|row| {
        let wires: Vec<u32> = gates.iter().map(|wires| word(wires[row])).collect();
        let [a, b, c, d, f0, f1, ..] = wires[..] else { unreachable!("ten wires") };
        let a_1 = a.wrapping_add(b).wrapping_add(f0);
        let d_1 = (d ^ a_1).rotate_right(16);
        let c_1 = c.wrapping_add(d_1);
        let b_1 = (b ^ c_1).rotate_right(12);
        let a_2 = a_1.wrapping_add(b_1).wrapping_add(f1);
        let d_2 = (d_1 ^ a_2).rotate_right(8);
        let c_2 = c_1.wrapping_add(d_2);
        let b_2 = (b_1 ^ c_2).rotate_right(7);
        assert_eq!(wires[6..], [a_2, b_2, c_2, d_2]);
        let xors =
            |low: [u32; 4], high: [u32; 4]| [low[0] ^ low[2], high[0] ^ high[2], low[1] ^ low[3], high[1] ^ high[3]];

        let (low, by_16) = cut(a_1, d, 8);
        let xors_16 = xors(low, by_16);
        for kind in 0..2 {
            uses.xor_8(kind, low[kind], low[kind + 2]);
            uses.xor_8(kind, by_16[kind], by_16[kind + 2]);
        }
        let (low, by_12) = cut(b, c_1, 12);
        let xors_12 = xors(low, by_12);
        for half in 0..2 {
            uses.xor_12(low[half], low[half + 2]);
            Uses::xor(&mut uses.xor_4, 4, by_12[half], by_12[half + 2]);
        }
        let (low, by_8) = cut(a_2, d_1, 8);
        for half in 0..2 {
            uses.xor_8(0, low[half], low[half + 2]);
            uses.xor_8(0, by_8[half], by_8[half + 2]);
        }
        let (low, by_7) = cut(b_1, c_2, 7);
        for half in 0..2 {
            Uses::xor(&mut uses.xor_7, 7, low[half], low[half + 2]);
            Uses::xor(&mut uses.xor_9, 9, by_7[half], by_7[half + 2]);
        }
        let wires: Vec<u32> = wires.iter().copied().flat_map(halves).collect();
        let d_2 = halves(d_2).map(|half| half >> 8);
        let b_2 = halves(b_2).map(|half| half >> 9);
        let steps: [&[u32]; 11] =
            [&wires, &halves(a_1), &by_16, &xors_16, &halves(c_1), &by_12, &xors_12, &by_8, &d_2, &by_7, &b_2];
        joined::<52>(&steps)
    }));

    let Uses { xor_8, xor_12, xor_4, xor_7, xor_9, range_check_16 } = uses;
    let tables: [Vec<Vec<u32>>; 6] =
        [xor_8.into(), xor_12.into(), xor_4.into(), xor_7.into(), xor_9.into(), range_check_16.into()];
    let counted = |table: Vec<Vec<u32>>| table.into_iter().map(|column| column.into_iter().map(M31::new).collect());
    let tables = tables.into_iter().map(|table| counted(table).collect());
    [eq, qm31_ops, triple_xor, m31_to_u32, blake_g].into_iter().chain(tables).collect()
}
