//! Random row programs, with their inputs.

use field::PrimeField;
use gpu_hal::ir::{Element, MAX_WORDS, RowRecorder, Words};

use crate::Random;
use crate::row_program::{HostTable, RowCase, edge_word};

/// Odd primes of felts: Cairo's, two with bits up to the last, the smallest, and one of 64 bits.
const PRIMES: [[u32; 8]; 5] = [
    [1, 0, 0, 0, 0, 0, 17, 0x0800_0000],
    [0xffff_fc2f, 0xffff_fffe, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX],
    [0xffff_ffed, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0x7fff_ffff],
    [3, 0, 0, 0, 0, 0, 0, 0],
    [1, u32::MAX, 0, 0, 0, 0, 0, 0],
];

/// A random program of about `steps` operations over `2^log_height` rows, none of which finds a fault. It has one
/// column at least, and counters, lists, sources in parts and tables of random shapes.
pub fn random_rows<F: PrimeField>(random: &mut Random, log_height: u32, steps: usize) -> RowCase<F> {
    let inputs = random.below(4);
    let mut source = Vec::new();
    if inputs > 0 {
        let mut free = 1usize << log_height;
        for part in 0..3 {
            let (sites, log) = (if part == 0 { 1 } else { random.below(3) }, random.between(0, log_height));
            if sites << log <= free {
                free -= sites << log;
                source.push(HostTable::of_words(random, sites * inputs, log));
            }
        }
    }
    let entries: usize = source.iter().map(|part| part.elements.len() / inputs).sum();
    let period = [1, entries.max(1), 1 + random.below(entries.max(1))][random.below(3)];
    let table = |random: &mut Random, width: usize, log: u32| {
        let (width, log) = (1 + random.below(width), random.between(0, log));
        HostTable::of_words(random, width, log)
    };
    let tables: Vec<_> = (0..1 + random.below(3)).map(|_| table(random, 3, 6)).collect();
    // Few places that all threads meet at, and more than a thread would copy.
    let log_places = if random.one_in(4) { 16 } else { 5 };
    let counters: Vec<_> = (0..1 + random.below(2)).map(|_| table(random, 3, log_places)).collect();
    let modulus = PRIMES[random.below(PRIMES.len())];
    let recorder = RowRecorder::new(inputs).with_modulus(modulus);
    for table in &tables {
        recorder.table(table.width);
    }
    let mut pool = Pool::new(&recorder, random, &tables, modulus, inputs);
    for _ in 0..steps {
        pool.step(random);
    }
    pool.effects(random, &counters);
    let program = recorder.finish().expect("operands are drawn to fit");
    RowCase { program, source, period, tables, counters, log_height }
}

/// The values so far.
struct Pool<'r, F> {
    recorder: &'r RowRecorder<F>,
    /// Width and log2 height of each.
    tables: Vec<(usize, u32)>,
    modulus: Words<'r, F>,
    words: Vec<Words<'r, F>>,
    felts: Vec<Words<'r, F>>,
    elements: Vec<Element<'r, F>>,
}

impl<'r, F: PrimeField> Pool<'r, F> {
    fn new(
        recorder: &'r RowRecorder<F>,
        random: &mut Random,
        tables: &[HostTable<F>],
        modulus: [u32; 8],
        inputs: usize,
    ) -> Self {
        let mut last = modulus;
        last[0] -= 1;
        let felts = [[0; 8], [1, 0, 0, 0, 0, 0, 0, 0], last].map(|felt| recorder.words(&felt)).to_vec();
        let constant: Vec<u32> = (0..1 + random.below(MAX_WORDS)).map(|_| edge_word(random)).collect();
        let mut words = vec![recorder.row(), recorder.words(&constant), recorder.word(0)];
        words.extend((0..inputs).map(|k| recorder.input(k)));
        Self {
            recorder,
            tables: tables.iter().map(|table| (table.width, table.log_height)).collect(),
            modulus: recorder.words(&modulus),
            words,
            felts,
            elements: vec![recorder.element(random.base()), recorder.element(F::ZERO)],
        }
    }

    fn value(&self, random: &mut Random) -> Words<'r, F> {
        // Late values have more below them.
        let late = self.words.len() - 1 - random.below(self.words.len().min(6));
        self.words[if random.one_in(2) { late } else { random.below(self.words.len()) }]
    }

    fn word(&self, random: &mut Random) -> Words<'r, F> {
        let value = self.value(random);
        value.at(random.below(value.len()))
    }

    /// A value of as many words.
    fn equal(&self, random: &mut Random, len: usize) -> Words<'r, F> {
        let value = self.value(random);
        if value.len() >= len {
            return value.slice(random.below(value.len() - len + 1), len);
        }
        let parts: Vec<_> = (0..len).map(|_| self.word(random)).collect();
        self.recorder.pack(&parts)
    }

    /// Two values that a vector operation takes.
    fn vectors(&self, random: &mut Random) -> [Words<'r, F>; 2] {
        let a = self.value(random);
        let b = if random.one_in(3) { self.word(random) } else { self.equal(random, a.len()) };
        if random.one_in(2) { [a, b] } else { [b, a] }
    }

    /// Two values that have at most `most` words together.
    fn pair(&self, random: &mut Random, most: usize) -> [Words<'r, F>; 2] {
        let (a, b) = (self.value(random), self.value(random));
        let first = a.len().min(most - 1);
        [a.slice(0, first), b.slice(0, b.len().min(most - first))]
    }

    fn condition(&self, random: &mut Random) -> Words<'r, F> {
        let word = self.word(random);
        if random.one_in(3) { word } else { word & 1 }
    }

    fn felt(&self, random: &mut Random) -> Words<'r, F> {
        self.felts[random.below(self.felts.len())]
    }

    fn element(&self, random: &mut Random) -> Element<'r, F> {
        self.elements[random.below(self.elements.len())]
    }

    /// One more value, of any operation.
    fn step(&mut self, random: &mut Random) {
        let recorder = self.recorder;
        let digits = |random: &mut Random| (random.between(1, 32), 1 + random.below(MAX_WORDS));
        let value = match random.below(26) {
            0 => {
                let constant: Vec<u32> = (0..1 + random.below(9)).map(|_| edge_word(random)).collect();
                recorder.words(&constant)
            }
            1 | 2 => self.read(random),
            3 => {
                let [a, b] = self.pair(random, MAX_WORDS);
                recorder.pack(&[a, b])
            }
            4 => {
                let value = self.value(random);
                let from = random.below(value.len());
                value.slice(from, 1 + random.below(value.len() - from))
            }
            5..=9 => {
                let [a, b] = self.vectors(random);
                match random.below(8) {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    3 => a & b,
                    4 => a | b,
                    5 => a ^ b,
                    6 => a.equal(b),
                    _ => a.less(b),
                }
            }
            10 => {
                let (value, bits) = (self.value(random), random.between(0, 31));
                match random.below(3) {
                    0 => value << bits,
                    1 => value >> bits,
                    _ => value.sar(bits),
                }
            }
            11 => {
                let (c, a) = (self.condition(random), self.value(random));
                recorder.select(c, a, self.equal(random, a.len()))
            }
            12 => self.value(random).sum(),
            13 => {
                let [a, b] = self.pair(random, MAX_WORDS + 1);
                a.convolve(b)
            }
            14 => {
                let (bits, count) = digits(random);
                self.value(random).split(bits, count)
            }
            15 => {
                let (bits, words) = digits(random);
                self.value(random).join(bits, words)
            }
            16 => {
                let a = self.value(random);
                let a = a.slice(0, a.len().min(MAX_WORDS - 1));
                a.int_add(self.equal(random, a.len()))
            }
            17 | 18 => {
                let a = self.value(random);
                let b = self.equal(random, a.len());
                if random.one_in(2) { a.int_sub(b) } else { a.int_less(b) }
            }
            19 => {
                let [a, b] = self.pair(random, MAX_WORDS);
                a.int_mul(b)
            }
            20 => {
                let [a, b] = self.pair(random, MAX_WORDS);
                // Small divisors and zero have a way of their own.
                let b = if random.one_in(3) { b & 1 } else { b };
                let (quotient, remainder) = a.int_div_rem(b);
                self.words.push(quotient);
                remainder
            }
            21 | 22 => self.felt_step(random),
            _ => return self.element_step(random),
        };
        self.words.push(value);
    }

    fn read(&self, random: &mut Random) -> Words<'r, F> {
        let table = random.below(self.tables.len());
        let (width, log_height) = self.tables[table];
        let (column, index) = (random.below(width), self.word(random));
        if random.one_in(2) {
            // Not where it would be beyond the table.
            let when = index.less(self.recorder.word(1 << log_height));
            return self.recorder.read_if(table, column, index, when);
        }
        let index = index & ((1 << log_height) - 1);
        if random.one_in(2) {
            self.recorder.read_if(table, column, index, self.condition(random))
        } else {
            self.recorder.read(table, column, index)
        }
    }

    fn felt_step(&mut self, random: &mut Random) -> Words<'r, F> {
        let (a, b) = (self.felt(random), self.felt(random));
        let felt = match random.below(6) {
            0 => a.felt_add(b),
            1 => a.felt_sub(b),
            2 => a.felt_mul(b),
            3 => a.felt_inverse(),
            4 => self.recorder.select(self.condition(random), a, b),
            _ => {
                let a = self.value(random);
                a.slice(0, a.len().min(MAX_WORDS - 8)).int_div_rem(self.modulus).1
            }
        };
        self.felts.push(felt);
        felt
    }

    fn element_step(&mut self, random: &mut Random) {
        let (a, b) = (self.element(random), self.element(random));
        let element = match random.below(8) {
            0 => self.word(random).element(),
            1 => self.word(random).signed(),
            2 => a + b,
            3 => a - b,
            4 => a * b,
            5 => a.inverse(),
            6 => self.recorder.element(random.base()),
            _ => {
                // Elements of a large field are no words, except elements made from words.
                let small = if F::ORDER >> 32 == 0 { a } else { self.word(random).element() };
                self.words.push(small.word());
                return;
            }
        };
        self.elements.push(element);
    }

    /// Columns, entries of lists, counts and assertions.
    fn effects(&self, random: &mut Random, counters: &[HostTable<F>]) {
        let recorder = self.recorder;
        for _ in 0..1 + random.below(3) {
            recorder.column(self.element(random));
            let value = self.value(random);
            let few = value.slice(0, value.len().min(5));
            if random.one_in(2) { recorder.columns(few) } else { recorder.signed_columns(few) }
        }
        // Words of every value, so that none is dead.
        if random.one_in(2) {
            self.words.iter().for_each(|value| recorder.columns(value.at(value.len() - 1)));
            self.elements.iter().for_each(|element| recorder.column(*element));
        }
        // Now and then more than a kernel has buffers for.
        let lists = if random.one_in(4) { 7 } else { random.below(3) };
        for _ in 0..lists {
            let (width, sites) = (1 + random.below(4), random.below(3));
            let list = recorder.list(width, sites);
            for site in (0..sites).rev() {
                // Every base field is larger.
                recorder.emit(list, site, self.equal(random, width) & 0x3fff_ffff);
            }
        }
        for table in counters {
            let counter = recorder.counter();
            let places = recorder.word(table.elements.len() as u32);
            for _ in 0..1 + random.below(2) {
                let value = self.value(random);
                let of = |word: Words<'r, F>| word.int_div_rem(places).1;
                let places: Vec<_> = value.iter().take(6).map(of).collect();
                let places = recorder.pack(&places);
                match random.below(3) {
                    0 => recorder.count_if(counter, places, self.condition(random)),
                    // Not where it would be beyond the counter.
                    1 => recorder.count_if(counter, places - 1, places.at(0).less(recorder.word(0))),
                    _ => recorder.count(counter, places),
                }
            }
        }
        let word = self.word(random);
        recorder.assert("a byte is small", (word & 255).less(recorder.word(256)));
    }
}
