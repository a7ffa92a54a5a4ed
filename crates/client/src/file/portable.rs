//! Unpacking where there is no C compiler. It takes the frames that libzstd takes, but two kinds that the format does
//! not have: with a compressed block of no bytes, and with a head that gives another length than the content has.

use std::io::{self, Read};

use ruzstd::decoding::StreamingDecoder;

use super::format::{FileError, LOG_WINDOW};

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Bits of the descriptor: a reserved one; no window is given, and there is one segment; a checksum follows.
const RESERVED: u8 = 1 << 3;
const SINGLE_SEGMENT: u8 = 1 << 5;
const CHECKSUM: u8 = 1 << 2;

/// The `expected` bytes in a frame.
pub(super) fn unpack_frame(mut frame: &[u8], expected: usize) -> Result<Vec<u8>, FileError> {
    // The decoder would take memory for any window, and ignores some of what the head says.
    let head = Head::read(frame).ok_or_else(|| refused("its head is none, or of another version"))?;
    if head.window > 1 << LOG_WINDOW {
        return Err(refused("it asks for more memory than is lent to it"));
    }
    if let Some(content) = head.content.filter(|content| *content != expected as u64) {
        return Err(FileError::Length { is_longer: content > expected as u64, expected });
    }
    let mut decoder = StreamingDecoder::new(&mut frame).map_err(|error| refused(&error.to_string()))?;
    let mut written = Vec::with_capacity(expected);
    decoder.by_ref().take(expected as u64 + 1).read_to_end(&mut written).map_err(FileError::Zstd)?;
    if written.len() != expected {
        return Err(FileError::Length { is_longer: written.len() > expected, expected });
    }
    let decoder = decoder.into_frame_decoder();
    if head.has_checksum && decoder.get_checksum_from_data() != decoder.get_calculated_checksum() {
        return Err(refused("its checksum is not its content's"));
    }
    if !decoder.is_finished() {
        return Err(refused("it has no end"));
    }
    match frame.len() {
        0 => Ok(written),
        left => Err(FileError::Trailing(left)),
    }
}

fn refused(why: &str) -> FileError {
    FileError::Zstd(io::Error::other(why))
}

/// The head of a frame.
struct Head {
    /// Bytes that unpacking may look back at.
    window: u64,
    /// Bytes of the content, if it says so.
    content: Option<u64>,
    has_checksum: bool,
}

impl Head {
    fn read(frame: &[u8]) -> Option<Self> {
        let (&descriptor, rest) = frame.strip_prefix(&MAGIC)?.split_first()?;
        if descriptor & RESERVED != 0 {
            return None;
        }
        let is_single = descriptor & SINGLE_SEGMENT != 0;
        let (window, rest) = rest.split_at_checked(usize::from(!is_single))?;
        // The number of a dictionary.
        let rest = rest.get([0, 1, 2, 4][usize::from(descriptor & 3)]..)?;
        let bytes = match descriptor >> 6 {
            0 => usize::from(is_single),
            log => 1 << log,
        };
        let content = rest.get(..bytes)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let content = if bytes == 2 { content + 256 } else { content };
        let window = window.first().map_or(content, |window| (8 + u64::from(window & 7)) << (7 + (window >> 3)));
        Some(Self { window, content: (bytes > 0).then_some(content), has_checksum: descriptor & CHECKSUM != 0 })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zstd::stream::Encoder;
    use zstd::zstd_safe::CParameter;

    use super::unpack_frame;
    use crate::file::libzstd;

    const LENGTH: usize = 1 << 18;

    fn frame(content: &[u8], change: impl FnOnce(&mut Encoder<'static, Vec<u8>>)) -> Vec<u8> {
        let mut encoder = Encoder::new(Vec::new(), 3).unwrap();
        change(&mut encoder);
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn flipped(frame: &[u8], bit: usize) -> Vec<u8> {
        let mut changed = frame.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        changed
    }

    /// Whether the frame is taken, by both decoders.
    fn is_taken(frame: &[u8]) -> bool {
        let (ours, theirs) = (unpack_frame(frame, LENGTH), libzstd::unpack_frame(frame, LENGTH));
        assert!(ours.as_ref().ok() == theirs.as_ref().ok(), "{:?}, {:?}", ours.err(), theirs.err());
        ours.is_ok()
    }

    #[test]
    fn both_decoders_take_the_same_frames() {
        let content: Vec<u8> = (0..LENGTH).map(|at| ((at * at) >> 7) as u8).collect();
        let plain = frame(&content, |_| ());
        let checked = frame(&content, |encoder| encoder.include_checksum(true).unwrap());
        let sized = frame(&content, |encoder| encoder.set_pledged_src_size(Some(LENGTH as u64)).unwrap());
        for frame in [&plain, &checked, &sized] {
            assert!(is_taken(frame));
            for end in (0..frame.len()).step_by(101).chain([frame.len() - 1]) {
                assert!(!is_taken(&frame[..end]), "{end} bytes");
            }
            assert!(!is_taken(&[&frame[..], &[0]].concat()) && !is_taken(&[&frame[..], &frame[..]].concat()));
            // Every bit of the magic number and of the descriptor.
            (0..8 * 5).for_each(|bit| _ = is_taken(&flipped(frame, bit)));
        }
        // The window; and the length, in whose place libzstd takes the content's.
        (8 * 5..8 * 6).for_each(|bit| _ = is_taken(&flipped(&plain, bit)));
        (8 * 5..8 * 9).for_each(|bit| assert!(unpack_frame(&flipped(&sized, bit), LENGTH).is_err()));
        let bits = 8 * checked.len();
        assert!((bits - 32..bits).all(|bit| !is_taken(&flipped(&checked, bit))), "the checksum");
        for log_window in [20, 21, 22, 27] {
            let window = |encoder: &mut Encoder<'static, Vec<u8>>| {
                encoder.set_pledged_src_size(None).unwrap();
                encoder.set_parameter(CParameter::WindowLog(log_window)).unwrap();
            };
            assert_eq!(is_taken(&frame(&content, window)), log_window <= 21);
        }
        assert!(!is_taken(&frame(&content[1..], |_| ())) && !is_taken(&frame(&vec![0; 1 << 26], |_| ())));
        assert!(!is_taken(&[&[0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7], &plain[..]].concat()));
    }
}
