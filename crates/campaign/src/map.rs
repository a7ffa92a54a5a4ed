//! Where the integers, elements, digests and lists of a format lie in its bytes. The formats are said here once more,
//! apart from the codecs: a map that does not fit an original is a defect of one of them.

use std::ops::Range;

use circle_proof::Suite;
use goldilocks_proof::compact::{Options, Sizes};

/// The kind of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer in its shortest form: `proof_format::wire`.
    Integer,
    /// A number of fixed length, little-endian.
    Word,
    /// A coordinate of Goldilocks, 8 bytes, big-endian.
    Goldilocks,
    /// A coordinate of M31, 4 bytes, little-endian.
    M31,
    /// 32 bytes.
    Digest,
    /// A digest as an element of the Stark field in decimal digits, with their number in 8 bytes before them.
    Decimal,
    /// Whether an option is there.
    Option,
    /// Text, with its length before it.
    Text,
}

/// A list: its length, and its items.
#[derive(Clone, Debug)]
pub struct List {
    /// Where its length is written.
    pub count: Range<usize>,
    /// Whether the length takes 8 bytes, or is an integer in its shortest form.
    pub is_wide: bool,
    /// Where its items are.
    pub items: Vec<Range<usize>>,
}

/// All spans and lists, in order.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// The smallest parts.
    pub spans: Vec<(Kind, Range<usize>)>,
    /// The lists; an outer list comes after its inner ones.
    pub lists: Vec<List>,
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    map: Map,
    /// Whether digests are in decimal digits.
    is_decimal: bool,
}

/// Walks over something that is there in the bytes.
type Step<'s, 'a> = &'s dyn Fn(&mut Walk<'a>);

impl<'a> Walk<'a> {
    fn over(bytes: &'a [u8], steps: impl FnOnce(&mut Self)) -> Map {
        Self::over_digests(bytes, false, steps)
    }

    fn over_digests(bytes: &'a [u8], is_decimal: bool, steps: impl FnOnce(&mut Self)) -> Map {
        let mut walk = Walk { bytes, at: 0, map: Map::default(), is_decimal };
        steps(&mut walk);
        assert_eq!(walk.at, bytes.len(), "the map ends where the bytes do");
        walk.map
    }

    fn span(&mut self, kind: Kind, length: usize) {
        self.map.spans.push((kind, self.at..self.at + length));
        self.at += length;
    }

    fn long(&self) -> usize {
        let bytes = self.bytes[self.at..][..8].try_into().expect("8 bytes");
        u64::from_le_bytes(bytes) as usize
    }

    /// The integer here, and how long it is.
    fn integer(&self) -> (usize, usize) {
        let number = |length: usize| {
            self.bytes[self.at + 1..][..length].iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte))
        };
        match self.bytes[self.at] {
            0xFB => (number(2), 3),
            0xFC => (number(4), 5),
            0xFD => (number(8), 9),
            byte => (usize::from(byte), 1),
        }
    }

    fn int(&mut self) {
        self.span(Kind::Integer, self.integer().1);
    }

    fn digest(&mut self) {
        match self.is_decimal {
            true => self.span(Kind::Decimal, 8 + self.long()),
            false => self.span(Kind::Digest, 32),
        }
    }

    fn list(&mut self, is_wide: bool, item: Step<'_, 'a>) {
        let (length, size) = if is_wide { (self.long(), 8) } else { self.integer() };
        let count = self.at..self.at + size;
        self.at += size;
        let mut items = Vec::with_capacity(length);
        for _ in 0..length {
            let start = self.at;
            item(self);
            items.push(start..self.at);
        }
        self.map.lists.push(List { count, is_wide, items });
    }

    fn option(&mut self, item: Step<'_, 'a>) {
        let is_there = self.bytes[self.at] == 1;
        self.span(Kind::Option, 1);
        if is_there {
            item(self);
        }
    }

    fn text(&mut self) {
        let (length, size) = self.integer();
        self.span(Kind::Text, size + length);
    }

    fn header(&mut self) {
        self.span(Kind::Word, 8);
        self.int();
        self.text();
    }

    fn parameters(&mut self) {
        self.list(false, &|walk| {
            walk.text();
            walk.int();
        });
    }

    // Goldilocks (section 12).

    /// The part of a file before the length of the proof: what all formats have, around the `rest` of the options.
    fn goldilocks_head(&mut self, rest: impl FnOnce(&mut Self)) {
        self.header();
        self.int();
        self.text();
        self.parameters();
        self.int();
        self.text();
        (0..4).for_each(|_| self.int());
        rest(self);
        self.option(&Walk::text);
        self.elements();
    }

    fn element(&mut self) {
        let coordinates = self.integer().0 / 8;
        self.int();
        (0..coordinates).for_each(|_| self.span(Kind::Goldilocks, 8));
    }

    fn elements(&mut self) {
        self.list(false, &Self::element);
    }

    fn path(&mut self) {
        self.list(false, &Self::digest);
    }

    fn opening(&mut self) {
        self.path();
        self.path();
        self.elements();
        self.elements();
    }

    // Circle (section 14).

    fn secures(&mut self) {
        self.list(true, &|walk| (0..4).for_each(|_| walk.span(Kind::M31, 4)));
    }

    fn decommitment(&mut self) {
        self.list(true, &Self::digest);
    }

    fn layer(&mut self) {
        self.secures();
        self.decommitment();
        self.digest();
    }
}

/// The map of a proof of Goldilocks, in any extension.
pub fn goldilocks_proof(bytes: &[u8]) -> Map {
    Walk::over(bytes, |walk| {
        walk.int();
        walk.digest();
        walk.option(&Walk::digest);
        walk.elements();
        walk.int();
        walk.int();
        walk.digest();
        walk.elements();
        walk.path();
        walk.element();
        walk.list(false, &|walk| {
            walk.list(false, &Walk::path);
            walk.elements();
        });
        walk.list(false, &|walk| {
            walk.opening();
            walk.opening();
            walk.option(&Walk::opening);
        });
        walk.option(&Walk::int);
        walk.span(Kind::Option, 1);
    })
}

/// The map of the part before the length of the proof in a file of Goldilocks.
pub fn goldilocks_head(bytes: &[u8]) -> Map {
    Walk::over(bytes, |walk| walk.goldilocks_head(|_| {}))
}

/// The map of a compact proof of Goldilocks (section 7 of goldilocks-compact.md). Nonces are its only words of fixed
/// length. Rows and digests behind the head, whose number the transcript says, are coordinates.
pub fn compact_proof(bytes: &[u8], sizes: &Sizes, options: &Options) -> Map {
    Walk::over(bytes, |walk| {
        let mut work = options.work.iter();
        let mut nonce = |walk: &mut Walk<'_>| {
            if work.next().is_some_and(|bits| *bits > 0) {
                walk.span(Kind::Word, 8);
            }
        };
        let extension = |walk: &mut Walk<'_>, count: usize| (0..3 * count).for_each(|_| walk.span(Kind::Goldilocks, 8));
        let columns = sizes.main + sizes.aux;
        walk.digest();
        nonce(walk);
        if sizes.aux > 0 {
            walk.digest();
        }
        nonce(walk);
        walk.digest();
        nonce(walk);
        extension(walk, columns * (sizes.frame_rows + options.points as usize - 1) + sizes.parts - 1);
        nonce(walk);
        nonce(walk);
        for _ in 1..options.folds.len() {
            walk.digest();
            nonce(walk);
        }
        extension(walk, 1 << options.log_last);
        nonce(walk);
        while walk.at < bytes.len() {
            walk.span(Kind::Goldilocks, 8);
        }
    })
}

/// The map of the part before the length of the proof in a file of a compact proof.
pub fn compact_head(bytes: &[u8]) -> Map {
    Walk::over(bytes, |walk| {
        walk.goldilocks_head(|walk| {
            walk.list(false, &Walk::int);
            walk.int();
            walk.list(false, &Walk::int);
            walk.int();
        });
    })
}

/// The map of the key of a statement of Goldilocks.
pub fn key(bytes: &[u8]) -> Map {
    Walk::over(bytes, |walk| {
        walk.header();
        walk.int();
        walk.text();
        (0..6).for_each(|_| walk.int());
        walk.digest();
        walk.text();
    })
}

/// The map of an AIR of Goldilocks or of Circle, whose extension has `degree` coordinates.
pub fn air_file(bytes: &[u8], degree: usize) -> Map {
    Walk::over(bytes, |walk| {
        walk.header();
        walk.int();
        walk.text();
        (0..6).for_each(|_| walk.int());
        walk.list(false, &Walk::int);
        walk.list(false, &|walk| walk.list(false, &Walk::int));
        walk.list(false, &|walk| {
            let operands = match walk.integer().0 {
                0..=2 | 6..=8 => 2,
                5 => degree,
                _ => 1,
            };
            (0..=operands).for_each(|_| walk.int());
        });
        walk.list(false, &|walk| {
            (0..4).for_each(|_| walk.int());
            walk.option(&|walk| (0..2).for_each(|_| walk.int()));
        });
        walk.list(false, &|walk| (0..4).for_each(|_| walk.int()));
        walk.list(false, &|walk| (0..4).for_each(|_| walk.int()));
    })
}

/// The map of a proof of Circle of a suite.
pub fn circle_proof(bytes: &[u8], suite: Suite) -> Map {
    Walk::over_digests(bytes, suite == Suite::Poseidon252, |walk| {
        [4, 4, 4, 8, 4].into_iter().for_each(|length| walk.span(Kind::Word, length));
        walk.option(&|walk| walk.span(Kind::Word, 4));
        walk.list(true, &Walk::digest);
        walk.list(true, &|walk| walk.list(true, &Walk::secures));
        walk.list(true, &Walk::decommitment);
        walk.list(true, &|walk| walk.list(true, &|walk| walk.list(true, &|walk| walk.span(Kind::M31, 4))));
        walk.span(Kind::Word, 8);
        walk.layer();
        walk.list(true, &Walk::layer);
        walk.secures();
        walk.span(Kind::Word, 4);
    })
}

/// The map of the part before the length of the proof in a file of Circle.
pub fn circle_head(bytes: &[u8]) -> Map {
    Walk::over(bytes, |walk| {
        walk.header();
        walk.text();
        walk.parameters();
        walk.int();
        walk.list(false, &Walk::int);
        walk.list(false, &|walk| (0..4).for_each(|_| walk.span(Kind::M31, 4)));
    })
}
