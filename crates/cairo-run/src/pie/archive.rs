//! Zip archives of a CairoPIE's members, and no others: up to five members of known names, stored or deflated, on one
//! disk, not encrypted.
//!
//! A reader of archives from anybody must not believe their sizes. Here a size is bounded before memory is taken for
//! it, by the caller and by what deflate can make of the packed bytes, and the data must have it exactly.

use std::io::{self, Read, Write};
use std::ops::Range;

use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use proof_format::text::excerpt;

use super::error::{Error, Member, Place, Reason};

/// Bytes of the records of an archive, without their names and comments, and the mark that each begins with.
const END: (usize, u32) = (22, 0x0605_4b50);
const END_64: (usize, u32) = (56, 0x0606_4b50);
const LOCATOR_64: (usize, u32) = (20, 0x0706_4b50);
const ENTRY: (usize, u32) = (46, 0x0201_4b50);
const LOCAL: (usize, u32) = (30, 0x0403_4b50);

/// A comment has this many bytes at most.
const MAX_COMMENT: usize = 0xffff;
/// In place of a size or an offset that stands in an extra field of this kind, in 8 bytes.
const IN_EXTRA: u32 = u32::MAX;
const EXTRA_64: u16 = 1;

/// Methods of packing.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Bits of the flags: encrypted, and encrypted with the directory.
const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
/// Deflate makes at most 258 bytes of 2 bits. Records of cells, each with an address of its own, are packed to no less
/// than a twentieth.
const MAX_RATIO: u64 = 1032;
const MAX_RATIO_OF_CELLS: u64 = 64;

/// A member as the directory says.
struct Entry<'a> {
    member: Member,
    name: &'a [u8],
    method: u16,
    crc: u32,
    packed: u64,
    unpacked: u64,
    /// Where the record before the data is.
    local: u64,
}

/// An archive whose directory has been read.
pub(super) struct Archive<'a> {
    /// All that stands before the directory.
    data: &'a [u8],
    entries: Vec<Entry<'a>>,
    /// Bytes of all members together.
    pub(super) unpacked: u64,
}

/// Little-endian numbers at a place in a record that is as long as they need.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// The record of this size and mark at `at`, if it is there.
fn record(bytes: &[u8], at: usize, (size, mark): (usize, u32)) -> Option<&[u8]> {
    bytes.get(at..)?.get(..size).filter(|record| u32_at(record, 0) == mark)
}

/// Takes bytes off the front.
fn take<'a>(bytes: &mut &'a [u8], size: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(size)?;
    *bytes = rest;
    Some(taken)
}

impl<'a> Archive<'a> {
    /// Reads the directory. All members together may have `max_bytes` bytes unpacked.
    pub(super) fn open(bytes: &'a [u8], max_bytes: u64) -> Result<Self, Error> {
        let (directory, count) = directory(bytes)?;
        let mut rest = &bytes[directory.clone()];
        let mut entries: Vec<Entry<'_>> = Vec::new();
        for _ in 0..count {
            // No name comes twice, so that there are few.
            let entry = entry(&mut rest)?;
            if entries.iter().any(|other| other.member == entry.member) {
                return Err(Error::new(Reason::Members, Place::Member(entry.member), "the archive has it twice"));
            }
            entries.push(entry);
        }
        if !rest.is_empty() {
            return Err(Error::archive("its directory has more bytes than its entries"));
        }
        let bytes_unpacked = entries.iter().map(|entry| entry.unpacked).fold(0, u64::saturating_add);
        if bytes_unpacked > max_bytes {
            let what = format!("its members have {bytes_unpacked} bytes unpacked, at most {max_bytes} are read");
            return Err(Error::new(Reason::TooLong, Place::Archive, what));
        }
        Ok(Self { data: &bytes[..directory.start], entries, unpacked: bytes_unpacked })
    }

    /// Unpacks a member, if the archive has it and it has at most `max_bytes` bytes.
    pub(super) fn unpack(&self, member: Member, max_bytes: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some(entry) = self.entries.iter().find(|entry| entry.member == member) else { return Ok(None) };
        let fault = |reason, what: String| Error::new(reason, Place::Member(member), what);
        let Entry { unpacked, packed, .. } = *entry;
        if unpacked > max_bytes {
            return Err(fault(Reason::TooLong, format!("it has {unpacked} bytes, at most {max_bytes} are read")));
        }
        let is_possible = match (entry.method, member) {
            (STORED, _) => unpacked == packed,
            (_, Member::Memory) => unpacked <= packed.saturating_mul(MAX_RATIO_OF_CELLS),
            _ => unpacked <= packed.saturating_mul(MAX_RATIO),
        };
        if !is_possible {
            let what = format!("{packed} packed bytes cannot have the {unpacked} bytes that the archive says");
            return Err(fault(Reason::FalseSize, what));
        }
        let packed = entry
            .packed_in(self.data)
            .ok_or_else(|| fault(Reason::Archive, "its data are not where the directory says".into()))?;
        let bytes = if entry.method == STORED { packed.to_vec() } else { inflate(packed, unpacked, &fault)? };
        let mut crc = Crc::new();
        crc.update(&bytes);
        if crc.sum() != entry.crc {
            return Err(fault(Reason::Checksum, "its checksum is not the one of its data".into()));
        }
        Ok(Some(bytes))
    }
}

/// Unpacks data of exactly `unpacked` bytes.
fn inflate(packed: &[u8], unpacked: u64, fault: &dyn Fn(Reason, String) -> Error) -> Result<Vec<u8>, Error> {
    let mut decoder = DeflateDecoder::new(packed);
    let capacity = usize::try_from(unpacked).map_err(|_| fault(Reason::TooLong, format!("it has {unpacked} bytes")))?;
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(capacity)
        .map_err(|_| fault(Reason::TooLong, format!("it has {unpacked} bytes, for which there is no memory")))?;
    let read = decoder.by_ref().take(unpacked.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| fault(Reason::Archive, format!("it cannot be unpacked: {error}")))?;
    if bytes.len() != capacity || decoder.total_in() != packed.len() as u64 {
        return Err(fault(Reason::FalseSize, format!("the archive says {unpacked} bytes, its data are others")));
    }
    Ok(bytes)
}

impl<'a> Entry<'a> {
    /// Its packed bytes, if the record before them is its own.
    fn packed_in(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        let at = usize::try_from(self.local).ok()?;
        let local = record(data, at, LOCAL)?;
        let mut rest = data.get(at + LOCAL.0..)?;
        let name = take(&mut rest, u16_at(local, 26).into())?;
        take(&mut rest, u16_at(local, 28).into())?;
        let is_own = name == self.name && u16_at(local, 8) == self.method && u16_at(local, 6) & ENCRYPTED == 0;
        rest.get(..usize::try_from(self.packed).ok()?).filter(|_| is_own)
    }
}

/// Where the directory is, and how many entries it has.
fn directory(bytes: &[u8]) -> Result<(Range<usize>, u64), Error> {
    let none = || Error::archive("it is no zip archive, or its end is cut off");
    let last = bytes.len().checked_sub(END.0).ok_or_else(none)?;
    let is_end = |at: &usize| record(bytes, *at, END).is_some_and(|end| usize::from(u16_at(end, 20)) == last - at);
    let at = (last.saturating_sub(MAX_COMMENT)..=last).rev().find(is_end).ok_or_else(none)?;
    let end = &bytes[at..at + END.0];
    let (disks, counts) = ([u16_at(end, 4), u16_at(end, 6)], [u16_at(end, 8), u16_at(end, 10)]);
    let (size, start) = (u32_at(end, 12), u32_at(end, 16));
    // Numbers that have no room stand in another record, which a locator before the end leads to.
    let locator = at.checked_sub(LOCATOR_64.0).and_then(|at| record(bytes, at, LOCATOR_64).map(|found| (at, found)));
    let (before, disks, counts, size, start) = match locator {
        None => (at, disks.map(u32::from), counts.map(u64::from), size.into(), start.into()),
        Some((at, locator)) => {
            let of_end = usize::try_from(u64_at(locator, 8)).map_err(|_| none())?;
            let end = record(bytes, of_end, END_64).ok_or_else(none)?;
            let (disks, counts) = ([u32_at(end, 16), u32_at(end, 20)], [u64_at(end, 24), u64_at(end, 32)]);
            let length = u64_at(end, 4).saturating_add(12).saturating_add(of_end as u64);
            if length != at as u64 {
                return Err(none());
            }
            (of_end, disks, counts, u64_at(end, 40), u64_at(end, 48))
        }
    };
    if disks != [0; 2] || counts[0] != counts[1] {
        return Err(Error::archive("it is one of several parts"));
    }
    if start.checked_add(size) != Some(before as u64) {
        return Err(Error::archive("its directory is not where its end says"));
    }
    Ok((start as usize..before, counts[0]))
}

/// Takes an entry off the directory.
fn entry<'a>(directory: &mut &'a [u8]) -> Result<Entry<'a>, Error> {
    let cut = || Error::archive("its directory is cut off");
    let head = record(directory, 0, ENTRY).ok_or_else(cut)?;
    *directory = &directory[ENTRY.0..];
    let name = take(directory, u16_at(head, 28).into()).ok_or_else(cut)?;
    let mut extra = take(directory, u16_at(head, 30).into()).ok_or_else(cut)?;
    take(directory, u16_at(head, 32).into()).ok_or_else(cut)?;
    let member = Member::ALL.into_iter().find(|member| member.name().as_bytes() == name).ok_or_else(|| {
        let name = String::from_utf8_lossy(name);
        let what = format!("it has a member \"{}\", which no CairoPIE has", excerpt(&name));
        Error::new(Reason::Members, Place::Archive, what)
    })?;
    let fault = |reason, what: &str| Error::new(reason, Place::Member(member), what);
    if u16_at(head, 8) & ENCRYPTED != 0 {
        return Err(fault(Reason::Archive, "it is encrypted"));
    }
    let method = u16_at(head, 10);
    if ![STORED, DEFLATED].contains(&method) {
        return Err(fault(Reason::Archive, "it is packed by a method that is not read: write it deflated or stored"));
    }
    let mut in_extra: &[u8] = &[];
    while let Some(field) = take(&mut extra, 4) {
        let data = take(&mut extra, u16_at(field, 2).into()).ok_or_else(cut)?;
        in_extra = if u16_at(field, 0) == EXTRA_64 { data } else { in_extra };
    }
    let mut number = |at| match u32_at(head, at) {
        IN_EXTRA => take(&mut in_extra, 8).map(|bytes| u64_at(bytes, 0)).ok_or_else(cut),
        short => Ok(short.into()),
    };
    let [unpacked, packed, local] = [number(24)?, number(20)?, number(42)?];
    Ok(Entry { member, name, method, crc: u32_at(head, 16), packed, unpacked, local })
}

/// Writes an archive of deflated members in this order: the same bytes each time, with the first moment that an archive
/// can say as the time of all.
pub(super) fn pack(members: &[(Member, Vec<u8>)]) -> io::Result<Vec<u8>> {
    /// Version 4.5 has sizes of 8 bytes. 1980-01-01 is day 1 of month 1 of year 0.
    const NEEDED: u16 = 45;
    const DATE: u16 = 1 << 5 | 1;
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (member, bytes) in members {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes)?;
        let packed = encoder.finish()?;
        let mut crc = Crc::new();
        crc.update(bytes);
        let (name, local) = (member.name().as_bytes(), archive.len() as u64);
        let start = |mark: u32, versions: &[u16]| {
            let words = versions.iter().chain(&[0, DEFLATED, 0, DATE]).flat_map(|word| word.to_le_bytes());
            let numbers = [crc.sum(), IN_EXTRA, IN_EXTRA].into_iter().flat_map(u32::to_le_bytes);
            let mark = mark.to_le_bytes().into_iter();
            mark.chain(words).chain(numbers).chain((name.len() as u16).to_le_bytes()).collect::<Vec<u8>>()
        };
        let extra = |numbers: &[u64]| {
            let head = [EXTRA_64, 8 * numbers.len() as u16].into_iter().flat_map(u16::to_le_bytes);
            head.chain(numbers.iter().flat_map(|number| number.to_le_bytes())).collect::<Vec<u8>>()
        };
        let sizes = [bytes.len() as u64, packed.len() as u64];
        let (short, long) = (extra(&sizes), extra(&[sizes[0], sizes[1], local]));
        archive.extend([start(LOCAL.1, &[NEEDED]), (short.len() as u16).to_le_bytes().to_vec()].concat());
        archive.extend([name, &short, &packed].concat());
        directory.extend([start(ENTRY.1, &[NEEDED, NEEDED]), (long.len() as u16).to_le_bytes().to_vec()].concat());
        // No comment, disk 0, no attributes.
        directory.extend([&[0; 10][..], &IN_EXTRA.to_le_bytes(), name, &long].concat());
    }
    let (start, size, count) = (archive.len() as u64, directory.len() as u64, members.len() as u64);
    archive.extend(directory);
    let end = archive.len() as u64;
    archive.extend(END_64.1.to_le_bytes());
    archive.extend(44_u64.to_le_bytes());
    archive.extend([NEEDED, NEEDED].map(u16::to_le_bytes).concat());
    archive.extend([0; 8]);
    archive.extend([count, count, size, start].map(u64::to_le_bytes).concat());
    archive.extend([LOCATOR_64.1, 0].map(u32::to_le_bytes).concat());
    archive.extend(end.to_le_bytes());
    archive.extend(1_u32.to_le_bytes());
    archive.extend([END.1, 0].map(u32::to_le_bytes).concat());
    archive.extend([u16::MAX, u16::MAX].map(u16::to_le_bytes).concat());
    archive.extend([IN_EXTRA, IN_EXTRA].map(u32::to_le_bytes).concat());
    archive.extend([0; 2]);
    Ok(archive)
}
