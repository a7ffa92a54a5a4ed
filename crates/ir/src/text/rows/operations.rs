//! The lines of an instruction.

use std::collections::HashMap;

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use field::PrimeField;

use super::prime::{Felt, Prime};
use crate::FELT_WORDS;
use crate::lowered::{Class, Digit, FeltOp, FieldOp, Form, Instruction, JoinPart, Op, Schedule, ShiftOp, VectorOp};

/// The registers of a program as variables, constant ones as numbers.
pub(super) struct Registers {
    /// How many there are of each class.
    counts: [usize; 3],
    /// Constants of each class.
    constants: [HashMap<u32, String>; 3],
}

/// Letters of the variables of each class, and their types.
const VARIABLES: [(&str, &str); 3] = [("w", "u32"), ("f", "Felt"), ("e", "Base")];

impl Registers {
    pub(super) fn new<F: PrimeField>(schedule: &Schedule<F>, prime: Option<&Prime>) -> Self {
        let words = schedule.words.iter().map(|(register, word)| (*register, format!("0x{word:x}u"))).collect();
        let felts = schedule.felts.iter().zip(prime.into_iter().cycle());
        let felts = felts.map(|((register, value), prime)| (*register, felt(&prime.montgomery(value)))).collect();
        let element = |(register, value): &(u32, F)| (*register, format!("(Base)0x{:x}", value.as_u64()));
        let elements = schedule.elements.iter().map(element).collect();
        Self { counts: schedule.registers, constants: [words, felts, elements] }
    }

    /// The variables.
    pub(super) fn declarations(&self) -> Vec<String> {
        let of = |class: usize| {
            let variables =
                (0..self.counts[class] as u32).filter(|register| !self.constants[class].contains_key(register));
            let (letter, kind) = VARIABLES[class];
            let variables: Vec<String> = variables.map(|register| format!("{letter}{register}")).collect();
            (!variables.is_empty()).then(|| format!("{kind} {};", variables.join(", ")))
        };
        (0..3).filter_map(of).collect()
    }

    fn name(&self, class: Class, register: u32) -> String {
        let constant = self.constants[class as usize].get(&register).cloned();
        constant.unwrap_or_else(|| format!("{}{register}", VARIABLES[class as usize].0))
    }

    /// The lines of an instruction.
    pub(super) fn lines(&self, instruction: &Instruction) -> Vec<String> {
        let [from, to] = instruction.op.classes();
        let a: Vec<String> = instruction.operands.iter().map(|register| self.name(from, *register)).collect();
        let r: Vec<String> = instruction.results.iter().map(|register| self.name(to, *register)).collect();
        let set = |value: String| vec![format!("{} = {value};", r[0])];
        match &instruction.op {
            Op::Row => set("row".into()),
            Op::Input(k) => set(format!("word_from(inputs[(u64){k} << source.log_rows], &is_bad)")),
            Op::Read { table, column } => {
                let read = format!("read_row(t{table}, h{table}, {column}, {}, &is_bad)", a[0]);
                set(a.get(1).map_or(read.clone(), |when| format!("{when} != 0 ? {read} : 0")))
            }
            Op::Vector(op) => {
                let (left, right) = a.split_at(r.len());
                let pairs = r.iter().zip(left).zip(right);
                pairs.map(|((r, a), b)| format!("{r} = {};", vector(*op, a, b))).collect()
            }
            Op::Shift(op, bits) => r.iter().zip(&a).map(|(r, a)| format!("{r} = {};", shift(*op, a, *bits))).collect(),
            Op::Select => {
                let (first, second) = a[1..].split_at(r.len());
                let pairs = r.iter().zip(first).zip(second);
                pairs.map(|((r, first), second)| format!("{r} = {} != 0 ? {first} : {second};", a[0])).collect()
            }
            Op::Sum => set(a.join(" + ")),
            Op::Convolve(first) => convolution(&r, a.split_at(*first)),
            Op::Digit(digit) => set(digit_of(*digit, &a)),
            Op::Join(parts) => set(joined(parts, &a)),
            Op::IntAdd => int_add(&r, a.split_at(a.len() / 2)),
            Op::IntSub => int_sub(&r, a.split_at(a.len() / 2), ""),
            Op::IntLt => int_sub(&[], a.split_at(a.len() / 2), &format!("{} = borrow; ", r[0])),
            Op::IntMul(first) => int_mul(&r, a.split_at(*first)),
            Op::IntDivRem(_) => unreachable!("a program with a division is interpreted"),
            Op::FeltFrom => {
                let words = format!("Felt{{{{{}}}}}", a.join(", "));
                vec![
                    format!("{} = {words};", r[0]),
                    format!("is_bad = is_bad || !is_felt({});", r[0]),
                    format!("{} = to_montgomery({});", r[0], r[0]),
                ]
            }
            Op::FeltTo => {
                let words = r.iter().enumerate().map(|(k, r)| format!("{r} = x.w[{k}];"));
                let words: String = words.take(FELT_WORDS).collect();
                vec![format!("{{ Felt x = from_montgomery({}); {words} }}", a[0])]
            }
            Op::Felt(op) => {
                let function = match op {
                    FeltOp::Add => "add",
                    FeltOp::Sub => "sub",
                    FeltOp::Mul => "mul",
                };
                set(format!("{function}({}, {})", a[0], a[1]))
            }
            Op::FeltInv => set(format!("inverse({})", a[0])),
            Op::FromWord(of) => set(format!("element_from({}, {})", a[0], form(*of))),
            Op::ToWord => set(format!("word_from({}, &is_bad)", a[0])),
            Op::Field(op) => {
                let function = match op {
                    FieldOp::Add => "base_add",
                    FieldOp::Sub => "base_sub",
                    FieldOp::Mul => "base_mul",
                };
                set(format!("{function}({}, {})", a[0], a[1]))
            }
            Op::FieldInv => set(format!("base_inverse({})", a[0])),
            Op::Column(column) => vec![format!("columns[((u64){column} << p.log_height) + row] = {};", a[0])],
            Op::ColumnOfWord(column, of) => {
                let element = format!("element_from({}, {})", a[0], form(*of));
                vec![format!("columns[((u64){column} << p.log_height) + row] = {element};")]
            }
            Op::Emit { list, site, checked } => {
                let emit = |(k, word): (usize, &String)| {
                    let to = format!("l{list}[(u64){} << p.log_height]", *site as usize * a.len() + k);
                    if *checked {
                        format!("emit_word(&{to}, {word}, &is_bad);")
                    } else {
                        format!("{to} = (Base){word};")
                    }
                };
                a.iter().enumerate().map(emit).collect()
            }
            Op::Count { counter, conditional } => {
                let (places, when) = a.split_at(a.len() - usize::from(*conditional));
                let when = when.first().map(|when| format!("if ({when} != 0) ")).unwrap_or_default();
                let count = |place| format!("{when}{{ count_place(c{counter}, n{counter}, {place}, &is_bad); }}");
                places.iter().map(count).collect()
            }
            Op::Assert { .. } => vec![format!("is_bad = is_bad || {} == 0;", a[0])],
        }
    }
}

fn vector(op: VectorOp, a: &str, b: &str) -> String {
    match op {
        VectorOp::Add => format!("{a} + {b}"),
        VectorOp::Sub => format!("{a} - {b}"),
        VectorOp::Mul => format!("{a} * {b}"),
        VectorOp::And => format!("{a} & {b}"),
        VectorOp::Or => format!("{a} | {b}"),
        VectorOp::Xor => format!("{a} ^ {b}"),
        VectorOp::Eq => format!("{a} == {b} ? 1 : 0"),
        VectorOp::Lt => format!("{a} < {b} ? 1 : 0"),
    }
}

fn shift(op: ShiftOp, a: &str, bits: u32) -> String {
    match op {
        ShiftOp::Left => format!("{a} << {bits}"),
        ShiftOp::Right => format!("{a} >> {bits}"),
        ShiftOp::Signed => format!("(u32)((i32){a} >> {bits})"),
    }
}

/// A form as `kernels/row_programs/fields.h` names it.
fn form(form: Form) -> &'static str {
    match form {
        Form::Small => "FORM_SMALL",
        Form::Unsigned => "FORM_UNSIGNED",
        Form::Signed => "FORM_SIGNED",
    }
}

fn digit_of(Digit { shift, mask }: Digit, a: &[String]) -> String {
    match a {
        // Bits in a high word do not begin at the first bit of the low one.
        [low, high] => format!("({low} >> {shift} | {high} << {}) & 0x{mask:x}u", 32 - shift),
        _ => format!("{} >> {shift} & 0x{mask:x}u", a[0]),
    }
}

fn joined(parts: &[JoinPart], a: &[String]) -> String {
    let part = |(part, digit): (&JoinPart, &String)| {
        let (direction, shift) = if part.shift < 0 { (">>", -part.shift) } else { ("<<", part.shift) };
        format!("({digit} & 0x{:x}u) {direction} {shift}", part.mask)
    };
    parts.iter().zip(a).map(part).collect::<Vec<_>>().join(" | ")
}

/// The pairs of words of a product's word `k`.
fn products<'a>((a, b): (&'a [String], &'a [String]), k: usize) -> impl Iterator<Item = (&'a String, &'a String)> {
    let first = (k + 1).saturating_sub(b.len());
    (first..a.len().min(k + 1)).map(move |i| (&a[i], &b[k - i]))
}

fn convolution(r: &[String], factors: (&[String], &[String])) -> Vec<String> {
    let sum = |k| products(factors, k).map(|(a, b)| format!("{a} * {b}")).collect::<Vec<_>>().join(" + ");
    r.iter().enumerate().map(|(k, r)| format!("{r} = {};", sum(k))).collect()
}

fn int_add(r: &[String], (a, b): (&[String], &[String])) -> Vec<String> {
    let (sums, over) = r.split_at(a.len());
    let words = sums.iter().zip(a).zip(b).map(|((r, a), b)| format!("sum = (sum >> 32) + {a} + {b}; {r} = (u32)sum; "));
    vec![format!("{{ u64 sum = 0; {}{} = (u32)(sum >> 32); }}", words.collect::<String>(), over[0])]
}

/// The words of a difference, if they are wanted, and then the action on the borrowed values.
fn int_sub(r: &[String], (a, b): (&[String], &[String]), then: &str) -> Vec<String> {
    let word = |(k, (a, b)): (usize, (&String, &String))| {
        let result = r.get(k).map(|r| format!("{r} = (u32)less; ")).unwrap_or_default();
        format!("less = (u64){a} - {b} - borrow; borrow = (u32)(less >> 63); {result}")
    };
    let words: String = a.iter().zip(b).enumerate().map(word).collect();
    vec![format!("{{ u64 less; u32 borrow = 0; {words}{then}}}")]
}

/// Column after column of the products of words, whose sum takes three words.
fn int_mul(r: &[String], factors: (&[String], &[String])) -> Vec<String> {
    let add = |(a, b)| format!("product = (u64){a} * {b}; sum += product; over += sum < product ? 1 : 0; ");
    let word = |(k, r): (usize, &String)| {
        let sum: String = products(factors, k).map(add).collect();
        format!("over = 0; {sum}{r} = (u32)sum; sum = sum >> 32 | (u64)over << 32; ")
    };
    let words: String = r.iter().enumerate().map(word).collect();
    vec![format!("{{ u64 sum = 0, product; u32 over; {words}}}")]
}

/// A felt as an expression.
pub(super) fn felt(words: &Felt) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("0x{word:x}u")).collect();
    format!("Felt{{{{{}}}}}", words.join(", "))
}
