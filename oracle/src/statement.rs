//! Statements and options at random.

use std::fmt;
use std::sync::Arc;

use circle_air::airs::{ShippedAir, build};
use circle_proof::{CircleOptions, Suite};
use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Most cells of a statement after extension and lifting, so that the plain backend proves it in about a second.
const MOST_CELLS: usize = 1 << 20;

/// The first line of a table of digests.
pub const LINE: &str =
    "air\tparams\tlog_n\tpow_bits\tlog_blowup\tn_queries\tfold_step\tlog_last\tlifting\tproof_len\tsha256\tsuite";

/// A statement and the options to prove it with.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of the AIR.
    pub air: &'static str,
    /// Log2 of the rows of its first component.
    pub log_rows: u32,
    /// Its parameters.
    pub params: Vec<(String, String)>,
    /// Options.
    pub options: CircleOptions,
}

impl Case {
    /// Case `index` of a seed: a function of the two.
    pub fn draw(seed: u64, index: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(index);
        let rng = &mut rng;
        let names = ["fibonacci", "wide-fibonacci", "plonk", "range-squares", "poseidon2", "rpo-m31"];
        // A statement of blake2s has a table of 2^16 rows and takes as long as many others.
        let air = if rng.random_ratio(1, 100) { "blake2s" } else { names[rng.random_range(0..names.len())] };
        let mut log_rows = rng.random_range(if air == "blake2s" { 5..=8 } else { 3..=12 });
        let element = |rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
            0 => rng.random_range(0..3),
            1 => 0x7FFF_FFFE - rng.random_range(0..3_u32),
            _ => rng.random_range(0..0x7FFF_FFFF),
        };
        let (params, width, mut table) = match air {
            "fibonacci" => (vec![("a", element(rng)), ("b", element(rng))], 1 + 3, 0),
            "wide-fibonacci" => {
                let width = rng.random_range(3..=40);
                (vec![("w", width), ("s", element(rng))], width, 0)
            }
            "plonk" => (vec![("v0", element(rng)), ("v1", element(rng))], 5 + 4 + 12, 0),
            "range-squares" => {
                let table = rng.random_range(3..=12);
                (vec![("s", rng.random())], 6 + 8, table)
            }
            "poseidon2" => (vec![("s", element(rng))], 300 + 3 + 8, 0),
            "rpo-m31" => (vec![("s", element(rng))], 520 + 3 + 8, 0),
            _ => (vec![("s", rng.random())], 0, 16),
        };
        let log_blowup = rng.random_range(1..=if air == "blake2s" { 1 } else { 4 });
        let fold_step = rng.random_range(1..=4);
        let above = rng.random_range(0..=3_u32);
        let cells = |log_rows: u32, table: u32| {
            let all = ((width as usize) << log_rows) + (7 << table);
            // The committed cells, and the quotient on the lifted domain.
            (all << log_blowup) + (8 << (log_rows.max(table) + log_blowup + above.saturating_sub(1)))
        };
        while air != "blake2s" && cells(log_rows, table) > MOST_CELLS && log_rows.max(table) > 3 {
            if log_rows >= table {
                log_rows -= 1;
            } else {
                table -= 1;
            }
        }
        let natural = log_rows.max(table) + log_blowup;
        let options = CircleOptions {
            pow_bits: rng.random_range(0..=10),
            log_blowup,
            queries: rng.random_range(1..=40),
            fold_step,
            log_last: rng.random_range(0..=3),
            // Three offsets on a column are sound without lifting beyond the natural size only (trap 9).
            lifting: match above {
                0 => None,
                _ if matches!(air, "fibonacci" | "blake2s") => Some(natural),
                _ => Some(natural + above - 1),
            },
            suite: Suite::ALL[index as usize % Suite::ALL.len()],
        };
        let mut params: Vec<(String, String)> =
            params.into_iter().map(|(name, value): (&str, u32)| (name.to_owned(), value.to_string())).collect();
        if air == "range-squares" {
            params.push(("table".to_owned(), table.to_string()));
        }
        Self { air, log_rows, params, options }
    }

    /// A line of a table of digests, about the bytes of the proof.
    pub fn line(&self, proof: &[u8]) -> String {
        let CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting, suite } = self.options;
        let params: Vec<String> = self.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let lifting = lifting.map_or("-".to_owned(), |log| log.to_string());
        let digest: String = Sha256::digest(proof).iter().map(|byte| format!("{byte:02x}")).collect();
        let (air, params, length) = (self.air, params.join(";"), proof.len());
        let options = format!("{pow_bits}\t{log_blowup}\t{queries}\t{fold_step}\t{log_last}\t{lifting}");
        format!("{air}\t{params}\t{}\t{options}\t{length}\t{digest}\t{suite}", self.log_rows)
    }

    /// Whether the plain backend proves it in about a second.
    pub fn is_small(&self) -> bool {
        self.air != "blake2s"
    }

    /// The statement with its trace.
    ///
    /// # Errors
    /// If there is no such statement.
    pub fn build(&self) -> Result<Arc<dyn ShippedAir>, String> {
        build(self.air, self.log_rows, &self.params).map_err(|error| error.to_string())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} 2^{}", self.air, self.log_rows)?;
        for (name, value) in &self.params {
            write!(f, " {name}={value}")?;
        }
        let CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting, suite } = self.options;
        write!(f, ", {suite}, log-blowup {log_blowup} queries {queries} pow-bits {pow_bits} fold-step {fold_step} ")?;
        write!(f, "log-last {log_last} lifting {}", lifting.map_or("none".to_owned(), |log| log.to_string()))
    }
}
