//! Decoding the file of an AIR: never panics, takes little memory, and accepts only encodings. A decoded AIR is
//! recorded.
#![no_main]

use air::AirFile;
use air::file::MAGIC;
use gpu_hal::{CircleStark, GoldilocksStark, Protocol};
use libfuzzer_sys::fuzz_target;
use polystark_fuzz::{PER_BYTE, bounded};

fn check<P: Protocol>(input: &[u8]) {
    if let Ok(file) = bounded(input, PER_BYTE, AirFile::<P>::decode) {
        let encoded = file.encode().expect("what was decoded can be encoded");
        assert_eq!(encoded, input, "an AIR has one encoding");
        // A contradiction is an error, and nothing else happens. Rows are no cost of a recording.
        let _ = air::record(&file);
    }
}

fuzz_target!(|input: &[u8]| {
    check::<GoldilocksStark>(input);
    check::<CircleStark>(input);
    // The first bytes need not be found by chance.
    check::<GoldilocksStark>(&[&MAGIC, input].concat());
});
