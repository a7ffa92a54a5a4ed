//! Felts as text: the output of a program, and the data of its panics.
//!
//! A byte array comes as a magic number, the number of its full words (31 bytes each), these words, the remaining bytes
//! as one felt, and their number. All else is felts one by one, some of which spell a short string.

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_traits::ToPrimitive;

use super::Machine;

/// Bytes of a full word of a byte array.
const WORD_BYTES: usize = 31;
/// The first felt of a serialized byte array.
const MAGIC: Felt252 = Felt252::from_hex_unchecked("0x46a6158a16a947e5916b2a2ca68501a45e93d7110e81aa2d6438b1c57c879a3");

/// Bytes of text that are kept of a run. Output beyond them is left out.
pub const MAX_PRINTED_BYTES: usize = 1 << 20;
/// Felts that one hint prints at most: more text than is kept.
pub(super) const MAX_PRINTED_FELTS: usize = 1 << 16;
/// Felts of a panic that are looked at, and bytes of text that are shown of it.
pub(super) const MAX_PANIC_FELTS: usize = 1 << 12;
const MAX_PANIC_BYTES: usize = 1 << 12;

/// The first cells of a piece of memory, which must be felts.
pub(super) struct Felts {
    felts: Vec<Felt252>,
    /// Whether there are more.
    is_cut: bool,
}

/// At most `most` of the felts from `start` to `end`.
fn read(vm: &Machine<'_>, start: Relocatable, end: Relocatable, most: usize) -> Result<Felts, HintError> {
    let length = (end - start)?;
    let felt = |index| Ok(vm.get_integer((start + index)?)?);
    let felts = (0..length.min(most)).map(felt).collect::<Result<_, HintError>>()?;
    Ok(Felts { felts, is_cut: length > most })
}

/// The data from `start` to `end`, as far as a panic shows them.
pub(super) fn panic_data(vm: &Machine<'_>, start: Relocatable, end: Relocatable) -> Result<Felts, HintError> {
    read(vm, start, end, MAX_PANIC_FELTS)
}

/// A text or a number that felts stand for.
#[derive(Debug, PartialEq)]
enum Item {
    /// A byte array.
    Text(String),
    Felt(Felt252),
}

impl Felts {
    /// The byte arrays, and the felts between them.
    fn items(&self) -> Vec<Item> {
        let mut rest = &self.felts[..];
        let mut items = Vec::new();
        while let Some((first, behind)) = rest.split_first() {
            let text = if *first == MAGIC { byte_array(behind, self.is_cut) } else { None };
            let (item, behind) = match text {
                Some((bytes, behind)) => (Item::Text(shown(&bytes)), behind),
                None => (Item::Felt(*first), behind),
            };
            items.push(item);
            rest = behind;
        }
        items
    }

    /// The data of a panic: byte arrays in double quotes, felts as short strings in single quotes where they are text,
    /// else as numbers. A text that is too long ends with three dots.
    pub(super) fn panic(&self) -> Vec<String> {
        let dots = || "...".to_owned();
        let (mut shown, mut left) = (Vec::new(), MAX_PANIC_BYTES);
        for item in self.items() {
            let mut text = match item {
                Item::Text(text) => format!("\"{text}\""),
                Item::Felt(felt) => {
                    short_string(&felt).map_or_else(|| felt.to_hex_string(), |text| format!("'{text}'"))
                }
            };
            if text.len() > left {
                cut(&mut text, left);
                shown.push(text + &dots());
                return shown;
            }
            left -= text.len();
            shown.push(text);
        }
        shown.extend(self.is_cut.then(dots));
        shown
    }
}

/// Keeps at most `most` bytes.
fn cut(text: &mut String, most: usize) {
    text.truncate(text.floor_char_boundary(most));
}

/// The bytes of a byte array behind its magic number, and the felts behind it. An array that `is_cut` has only the
/// felts that are there.
fn byte_array(felts: &[Felt252], is_cut: bool) -> Option<(Vec<u8>, &[Felt252])> {
    let (count, felts) = felts.split_first()?;
    let count = count.to_usize()?;
    let is_whole = count.checked_add(2).is_some_and(|length| length <= felts.len());
    if !is_whole && !is_cut {
        return None;
    }
    let (words, rest) = felts.split_at(count.min(felts.len()));
    let mut bytes = Vec::with_capacity(words.len().checked_mul(WORD_BYTES)?);
    for word in words {
        bytes.extend(last_bytes(word, WORD_BYTES)?);
    }
    let Some(([pending, pending_bytes], rest)) = rest.split_first_chunk() else {
        return Some((bytes, &[]));
    };
    let pending_bytes = pending_bytes.to_usize().filter(|bytes| *bytes < WORD_BYTES)?;
    bytes.extend(last_bytes(pending, pending_bytes)?);
    Some((bytes, rest))
}

/// The last `count` bytes of a felt, if the others are 0.
fn last_bytes(felt: &Felt252, count: usize) -> Option<Vec<u8>> {
    let bytes = felt.to_bytes_be();
    let (zeros, last) = bytes.split_at(bytes.len() - count);
    zeros.iter().all(|byte| *byte == 0).then(|| last.to_vec())
}

/// Bytes as text. Bytes that are no UTF-8, or could move a terminal's cursor or change its colours, are shown by their
/// number.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\n' | '\t' => text.push(letter),
                '\0'..='\x1f' | '\x7f' => text += &format!("\\x{:02x}", u32::from(letter)),
                _ if letter.is_control() => text.extend(letter.escape_unicode()),
                _ => text.push(letter),
            }
        }
        chunk.invalid().iter().for_each(|byte| text += &format!("\\x{byte:02x}"));
    }
    text
}

/// The text that the bytes of a felt spell.
fn short_string(felt: &Felt252) -> Option<String> {
    let bytes = felt.to_bytes_be();
    let text: Vec<u8> = bytes.into_iter().skip_while(|byte| *byte == 0).collect();
    let printable = !text.is_empty() && text.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    String::from_utf8(text).ok().filter(|_| printable)
}

/// The text that a run has printed.
#[derive(Default)]
pub(in crate::vm) struct Printed {
    text: String,
    /// Whether there was more.
    is_cut: bool,
}

impl Printed {
    /// Prints the felts from `start` to `end` as `cairo-run` does: a byte array by itself as it is, all else in lines.
    pub(super) fn print(&mut self, vm: &Machine<'_>, start: Relocatable, end: Relocatable) -> Result<(), HintError> {
        if self.is_cut {
            return Ok(());
        }
        let felts = read(vm, start, end, MAX_PRINTED_FELTS)?;
        match &felts.items()[..] {
            [Item::Text(text)] => self.text += text,
            items => items.iter().for_each(|item| self.line(item)),
        }
        self.is_cut = felts.is_cut || self.text.len() > MAX_PRINTED_BYTES;
        cut(&mut self.text, MAX_PRINTED_BYTES);
        Ok(())
    }

    /// Prints a text.
    #[cfg(all(feature = "python-hints", target_os = "linux"))]
    pub(in crate::vm) fn text(&mut self, text: &str) {
        if !self.is_cut {
            self.text += text;
            self.is_cut = self.text.len() > MAX_PRINTED_BYTES;
            cut(&mut self.text, MAX_PRINTED_BYTES);
        }
    }

    fn line(&mut self, item: &Item) {
        self.text += &match item {
            Item::Text(text) => format!("{text}\n"),
            Item::Felt(felt) => match short_string(felt) {
                Some(text) => format!("[DEBUG]\t{felt:#x} ('{text}')\n"),
                None => format!("[DEBUG]\t{felt:#x}\n"),
            },
        };
    }

    /// All of it; if something was left out, a last line says so.
    pub(in crate::vm) fn take(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        if self.is_cut {
            text += &format!("\n... (of what the program printed, {MAX_PRINTED_BYTES} bytes are shown)\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use cairo_vm::vm::vm_core::VirtualMachine;

    use super::*;
    use crate::vm::bounds::Budget;
    use crate::vm::vm_memory::VmMemory;

    fn spelled(text: &[u8]) -> Felt252 {
        Felt252::from_bytes_be_slice(text)
    }

    /// The felts of a byte array.
    fn serialized(text: &[u8]) -> Vec<Felt252> {
        let (words, rest) = text.as_chunks::<WORD_BYTES>();
        let mut felts = vec![MAGIC, words.len().into()];
        felts.extend(words.iter().map(|word| spelled(word)));
        felts.extend([spelled(rest), rest.len().into()]);
        felts
    }

    fn panic(felts: &[Felt252]) -> Vec<String> {
        Felts { felts: felts.to_vec(), is_cut: false }.panic()
    }

    /// A machine with these felts in its first segment.
    fn machine(felts: &[Felt252]) -> VirtualMachine {
        let mut vm = VirtualMachine::new(false, false);
        let start = vm.add_memory_segment();
        vm.load_data(start, &felts.iter().map(|felt| (*felt).into()).collect::<Vec<_>>()).unwrap();
        vm
    }

    fn print_all(printed: &mut Printed, felts: &[Felt252]) {
        let vm = &mut machine(felts);
        let memory = VmMemory { vm, budget: &mut Budget::default() };
        printed.print(&memory, (0, 0).into(), (0, felts.len()).into()).unwrap();
    }

    #[test]
    fn felts_that_spell_text_are_shown_as_text() {
        let shown = |text: &[u8]| panic(&[spelled(text)]).remove(0);
        assert_eq!(shown(b"Input too long"), "'Input too long'");
        assert_eq!(shown(&[]), "0x0");
        assert_eq!(shown(&[1, 0]), "0x100");
        assert_eq!(shown(b"a\n"), "0x610a");
    }

    #[test]
    fn byte_arrays_are_text_among_felts() {
        for length in [0, 1, 30, 31, 32, 62, 100] {
            let text = "abcdefghij".repeat(10)[..length].to_owned();
            assert_eq!(panic(&serialized(text.as_bytes())), [format!("\"{text}\"")]);
        }
        let mixed =
            [vec![spelled(b"before")], serialized("é\n".as_bytes()), serialized(b"\x1b[2J\xff"), vec![7.into()]];
        assert_eq!(panic(&mixed.concat()), ["'before'", "\"é\n\"", "\"\\x1b[2J\\xff\"", "0x7"]);
    }

    #[test]
    fn what_only_begins_like_a_byte_array_is_felts() {
        let magic = MAGIC.to_hex_string();
        let sound = serialized(&[b'a'; 40]);
        for length in 1..sound.len() {
            assert_eq!(panic(&sound[..length]).len(), length, "the first {length} felts");
        }
        // More bytes than a word has, in a word and behind the words; more words than there can be.
        for (at, wrong) in [(2, -Felt252::ONE), (4, 31.into()), (3, -Felt252::ONE), (1, -Felt252::ONE)] {
            let mut felts = sound.clone();
            felts[at] = wrong;
            assert_eq!(panic(&felts)[0], magic, "felt {at}");
        }
    }

    #[test]
    fn panics_are_cut() {
        let long = panic(&serialized(&[b'x'; 5000]));
        assert_eq!(long.len(), 1);
        assert!(long[0].ends_with("x...") && long[0].len() < 4200);
        let many = panic(&vec![MAGIC; 1000]);
        assert!(many.len() < 100 && many.last().unwrap().ends_with("..."));
        // An array longer than the checked felts shows its beginning.
        let felts = serialized(&[b'x'; 1000])[..10].to_vec();
        assert_eq!(Felts { felts, is_cut: true }.panic(), [format!("\"{}\"", "x".repeat(8 * 31)), "...".to_owned()]);
    }

    #[test]
    fn prints_are_lines_unless_they_are_one_text() {
        let mut printed = Printed::default();
        print_all(&mut printed, &serialized(b"no newline"));
        print_all(&mut printed, &serialized(b", then one\n"));
        print_all(&mut printed, &[vec![spelled(b"short"), 7.into()], serialized(b"long")].concat());
        assert_eq!(printed.take(), "no newline, then one\n[DEBUG]\t0x73686f7274 ('short')\n[DEBUG]\t0x7\nlong\n");
    }

    #[test]
    fn what_is_printed_is_bounded() {
        let felts = serialized(&vec![b'x'; MAX_PRINTED_BYTES / 2]);
        let mut printed = Printed::default();
        (0..5).for_each(|_| print_all(&mut printed, &felts));
        let text = printed.take();
        let note = text.strip_prefix(&"x".repeat(MAX_PRINTED_BYTES)).unwrap();
        assert!(note.contains("1048576 bytes") && note.len() < 100);
        let mut printed = Printed::default();
        print_all(&mut printed, &vec![Felt252::ZERO; MAX_PRINTED_FELTS + 1]);
        assert!(printed.is_cut, "more felts than one hint prints");
    }

    #[test]
    fn memory_that_is_not_there_is_not_printed() {
        let mut printed = Printed::default();
        let memory = VmMemory { vm: &mut machine(&[1.into()]), budget: &mut Budget::default() };
        for (start, end) in [((0, 0), (0, 2)), ((0, 1), (0, 0)), ((0, 0), (1, 0))] {
            assert!(printed.print(&memory, start.into(), end.into()).is_err());
        }
    }
}
