//! Changes of bytes whose structure is known.

use std::ops::Range;

use proof_format::wire::put_int;

use crate::map::{Kind, List, Map};
use crate::script::Script;

/// Bytes and their structure.
#[derive(Clone, Debug)]
pub struct Original {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Places of the parts.
    pub map: Map,
}

/// A replacement of a range.
type Edit = (Range<usize>, Vec<u8>);

/// A changed original; `other` gives parts that are put in. Now and then nothing changes.
pub fn mutated(original: &Original, other: &Original, script: &mut Script<'_>) -> Vec<u8> {
    // A late change is noticed late.
    let late = [0, 0, 1, 3, 7][script.below(5)];
    let count = if script.below(4) == 0 { 1 + script.below(4) } else { 1 };
    let mut edits = Vec::new();
    for _ in 0..count {
        draw(original, other, late, script, &mut edits);
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut bytes = Vec::with_capacity(original.bytes.len() + 64);
    let mut done = 0;
    for (range, new) in edits {
        if range.start < done {
            continue;
        }
        bytes.extend_from_slice(&original.bytes[done..range.start]);
        bytes.extend_from_slice(&new);
        done = range.end;
    }
    bytes.extend_from_slice(&original.bytes[done..]);
    match script.below(64) {
        0 => bytes.truncate(script.below(bytes.len())),
        1 => bytes.push(script.byte()),
        2 => splice(&mut bytes, other, script),
        _ => {}
    }
    bytes
}

/// The two parts of a file, of which one or both are changed.
pub fn changed_file(
    (head, proof): (&Original, &Original),
    (other_head, other_proof): (&Original, &Original),
    script: &mut Script<'_>,
) -> (Vec<u8>, Vec<u8>) {
    let what = script.below(4);
    let head = if what == 0 { head.bytes.clone() } else { mutated(head, other_head, script) };
    let proof = if what > 1 { proof.bytes.clone() } else { mutated(proof, other_proof, script) };
    (head, proof)
}

/// Changed bytes of which no more is known than that numbers in them have four or eight bytes, little-endian.
pub fn raw(original: &[u8], other: &[u8], script: &mut Script<'_>) -> Vec<u8> {
    let mut bytes = original.to_vec();
    let count = if script.below(4) == 0 { 1 + script.below(4) } else { 1 };
    for _ in 0..count {
        let size = [1, 4, 8, 32][script.below(4)];
        // Lists often begin where numbers do.
        let at = (wide(bytes.len(), script) / size.min(4)) * size.min(4);
        let end = (at + size).min(bytes.len());
        match script.below(8) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            2 => {
                let from = wide(other.len(), script);
                let part = other[from..(from + end - at).min(other.len())].to_vec();
                bytes.splice(at..end, part);
            }
            3 if at < end => bytes[at] ^= 1 << script.below(8),
            4 => bytes[at..end].copy_from_slice(&script.word().to_le_bytes().repeat(4)[..end - at]),
            _ => {
                let new = edge(if size == 4 { Kind::M31 } else { Kind::Word }, &padded(&bytes[at..end], size), script);
                let new: Vec<u8> = new.into_iter().chain(std::iter::repeat(0)).take(end - at).collect();
                bytes[at..end].copy_from_slice(&new);
            }
        }
    }
    match script.below(64) {
        0 => bytes.truncate(wide(bytes.len(), script)),
        1 => bytes.push(script.byte()),
        _ => {}
    }
    bytes
}

/// A place in up to 2^32 bytes.
fn wide(length: usize, script: &mut Script<'_>) -> usize {
    if length == 0 { 0 } else { (script.word() >> 16) as usize % length }
}

/// `size` bytes, zeros at their end if there are fewer.
fn padded(bytes: &[u8], size: usize) -> Vec<u8> {
    bytes.iter().copied().chain(std::iter::repeat(0)).take(size).collect()
}

/// One of the originals, and one to take parts of.
pub fn picked<'a, T>(all: &'a [T], script: &mut Script<'_>) -> (&'a T, &'a T) {
    (&all[script.below(all.len())], &all[script.below(all.len())])
}

/// The end of another original in place of its own.
fn splice(bytes: &mut Vec<u8>, other: &Original, script: &mut Script<'_>) {
    let at = script.below(bytes.len().min(other.bytes.len()));
    bytes.truncate(at);
    bytes.extend_from_slice(&other.bytes[at..]);
}

/// An index below `length`, in the last `1 / (late + 1)` of it.
fn index(length: usize, late: usize, script: &mut Script<'_>) -> usize {
    let first = length * late / (late + 1);
    first + script.below(length - first)
}

fn draw(original: &Original, other: &Original, late: usize, script: &mut Script<'_>, edits: &mut Vec<Edit>) {
    let Original { bytes, map } = original;
    if bytes.is_empty() || map.spans.is_empty() {
        return;
    }
    let place = index(map.spans.len(), late, script);
    let (kind, span) = &map.spans[place];
    let within = &bytes[span.clone()];
    match script.below(16) {
        0 => {
            let at = index(bytes.len(), late, script);
            edits.push((at..at + 1, vec![bytes[at] ^ script.byte()]));
        }
        1 => {
            let at = index(bytes.len(), late, script);
            edits.push((at..at + 1, if script.below(2) == 0 { Vec::new() } else { vec![bytes[at], script.byte()] }));
        }
        2 => {
            let mut new = within.to_vec();
            let bit = script.below(8 * new.len());
            new[bit / 8] ^= 1 << (bit % 8);
            edits.push((span.clone(), new));
        }
        3..=5 => edits.push((span.clone(), edge(*kind, within, script))),
        6 | 7 => {
            // With one of its kind and length, near or far.
            let same: Vec<&Range<usize>> =
                map.spans.iter().filter(|(of, at)| of == kind && at.len() == span.len()).map(|(_, at)| at).collect();
            let with = same[index(same.len(), late, script)];
            edits.push((span.clone(), bytes[with.clone()].to_vec()));
            edits.push((with.clone(), within.to_vec()));
        }
        8 | 9 => {
            // The bytes at the same place of another.
            let from = place.min(other.map.spans.len().saturating_sub(1));
            if let Some((_, at)) = other.map.spans.get(from) {
                edits.push((span.clone(), other.bytes[at.clone()].to_vec()));
            }
        }
        _ if map.lists.is_empty() => edits.push((span.clone(), edge(*kind, within, script))),
        what => {
            let list = &map.lists[index(map.lists.len(), late, script)];
            change_list(bytes, list, other, what, script, edits);
        }
    }
}

/// Another list, with its length corrected or not.
fn change_list(
    bytes: &[u8],
    list: &List,
    other: &Original,
    what: usize,
    script: &mut Script<'_>,
    edits: &mut Vec<Edit>,
) {
    let items = &list.items;
    let place = script.below(items.len());
    let count = |length: usize| {
        let mut out = Vec::new();
        if list.is_wide {
            out.extend_from_slice(&(length as u64).to_le_bytes())
        } else {
            put_int(&mut out, length as u64)
        }
        (list.count.clone(), out)
    };
    match (what, items.get(place)) {
        (10, Some(item)) => edits.extend([count(items.len() - 1), (item.clone(), Vec::new())]),
        (11, Some(item)) => edits.extend([count(items.len() + 1), (item.clone(), bytes[item.clone()].repeat(2))]),
        (12, Some(item)) => {
            let with = &items[script.below(items.len())];
            edits.push((item.clone(), bytes[with.clone()].to_vec()));
            edits.push((with.clone(), bytes[item.clone()].to_vec()));
        }
        (13, _) => {
            let lengths =
                [0, 1, items.len() + 1, items.len().saturating_sub(1), 250, 251, 1 << 16, 1 << 32, usize::MAX];
            edits.push(count(lengths[script.below(lengths.len())]));
        }
        (14, _) if !other.map.lists.is_empty() => {
            // All of another list.
            let from = &other.map.lists[script.below(other.map.lists.len())];
            let end = |list: &List| list.items.last().map_or(list.count.end, |item| item.end);
            edits.push((list.count.start..end(list), other.bytes[from.count.start..end(from)].to_vec()));
        }
        (_, Some(last)) => {
            // Empty, or its first items alone.
            let end = items.last().map_or(last.end, |item| item.end);
            edits.extend([count(place), (last.start..end, Vec::new())]);
        }
        (_, None) => edits.push(count(1)),
    }
}

/// The prime of the Stark field.
const STARK: &str = "3618502788666131213697322783095070105623107215331596699973092056135872020481";

/// An element of the Stark field in decimal digits, with the prime added.
pub(crate) fn raised(digits: &str) -> String {
    let digit = |text: &str, place: usize| text.bytes().rev().nth(place).map_or(0, |digit| digit - b'0');
    let (mut sum, mut carry) = (Vec::new(), 0);
    for place in 0..STARK.len().max(digits.len()) {
        let here = digit(digits, place) + digit(STARK, place) + carry;
        sum.push(char::from(b'0' + here % 10));
        carry = here / 10;
    }
    sum.extend((carry > 0).then_some('1'));
    sum.iter().rev().collect()
}

/// A value at which something could go wrong.
fn edge(kind: Kind, old: &[u8], script: &mut Script<'_>) -> Vec<u8> {
    const GOLDILOCKS: u64 = 0xffff_ffff_0000_0001;
    const M31: u32 = (1 << 31) - 1;
    match kind {
        Kind::Integer => {
            let values = [0, 1, 2, 250, 251, 0xFFFF, 0x1_0000, u64::from(u32::MAX), 1 << 32, GOLDILOCKS, u64::MAX];
            let value = match script.below(4) {
                0 => u64::from(old[0]).wrapping_add_signed(if script.below(2) == 0 { 1 } else { -1 }),
                1 => script.word() >> script.below(64),
                _ => values[script.below(values.len())],
            };
            let mut out = Vec::new();
            put_int(&mut out, value);
            out
        }
        Kind::Word => {
            let old = old.iter().rev().fold(0, |value: u64, byte| value << 8 | u64::from(*byte));
            let values = [0, 1, old.wrapping_add(1), old.wrapping_sub(1), 31, 32, 1 << 31, u64::MAX, script.word()];
            values[script.below(values.len())].to_le_bytes().to_vec()
        }
        Kind::Goldilocks => {
            let old = u64::from_be_bytes(old.try_into().expect("8 bytes"));
            let values = [
                0,
                1,
                GOLDILOCKS,
                GOLDILOCKS - 1,
                u64::MAX,
                old.wrapping_add(1),
                old.wrapping_add(GOLDILOCKS),
                script.word(),
            ];
            values[script.below(values.len())].to_be_bytes().to_vec()
        }
        Kind::M31 => {
            let old = u32::from_le_bytes(old.try_into().expect("4 bytes"));
            let values =
                [0, 1, M31, M31 - 1, u32::MAX, old.wrapping_add(1), old.wrapping_add(M31), script.word() as u32];
            values[script.below(values.len())].to_le_bytes().to_vec()
        }
        Kind::Digest => {
            // One of its words is raised: where words are reduced that is the same digest, written otherwise.
            let (at, mut raised) = (4 * script.below(8), old.to_vec());
            let word = u32::from_le_bytes(raised[at..at + 4].try_into().expect("4 bytes"));
            raised[at..at + 4].copy_from_slice(&word.wrapping_add(M31).to_le_bytes());
            [vec![0; 32], vec![0xFF; 32], old.iter().rev().copied().collect(), raised][script.below(4)].clone()
        }
        Kind::Decimal => {
            let digits = String::from_utf8_lossy(&old[8..]).into_owned();
            let texts = [
                "0".to_owned(),
                STARK.to_owned(),
                raised(&digits),
                format!("0{digits}"),
                format!("-{digits}"),
                digits.chars().rev().collect(),
                format!("{digits}0"),
                String::new(),
            ];
            let text = &texts[script.below(texts.len())];
            let said = if script.below(8) == 0 { script.word() >> script.below(64) } else { text.len() as u64 };
            [&said.to_le_bytes(), text.as_bytes()].concat()
        }
        Kind::Option => vec![[0, 1, 2, 0xFF][script.below(4)]],
        Kind::Text => {
            let texts =
                ["", "a", "fibonacci", "fibonacci-rap", "goldilocks", "circle", "poseidon2", "keccak256", "\u{89}\n"];
            let text = texts[script.below(texts.len())];
            [&[text.len() as u8], text.as_bytes()].concat()
        }
    }
    .into_iter()
    // A word of fixed length keeps it.
    .take(if kind == Kind::Word { old.len() } else { usize::MAX })
    .collect()
}
