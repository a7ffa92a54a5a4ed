//! How long an operation takes at least: its work over the speeds of the machine.

use clap::Args;
use gpu_hal::work::Work;
use serde::Serialize;

use crate::measurable::Measurable;
use crate::time::figure;

/// Speeds that the floors are taken from. A speed that is not given is measured or known of the device, or leaves its
/// part out.
#[derive(Args)]
pub(crate) struct SpeedArguments {
    /// Copy bandwidth of the device's memory, bytes read and written, in GB/s [default: measured]
    #[arg(long, value_name = "GB/S", value_parser = positive)]
    bandwidth: Option<f64>,
    /// Bandwidth between host and device, page-locked memory, in GB/s [default: 55 on an H100 or H200]
    #[arg(long, value_name = "GB/S", value_parser = positive)]
    link: Option<f64>,
    /// Products of the base field, in G/s [default: 1070 on an H100 or H200, of the Circle protocol none]
    #[arg(long, value_name = "G/S", value_parser = positive)]
    products: Option<f64>,
    /// Permutations Keccak-f[1600], in G/s [default: 3.6 on an H100 or H200]
    #[arg(long, value_name = "G/S", value_parser = positive)]
    keccak: Option<f64>,
    /// Compressions of Blake2s, in G/s [default: 17 on an H100 or H200]
    #[arg(long, value_name = "G/S", value_parser = positive)]
    blake2s: Option<f64>,
    /// Permutations Hades, in G/s [default: 0.78 on an H100 or H200]
    #[arg(long, value_name = "G/S", value_parser = positive)]
    hades: Option<f64>,
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && *value > 0.0)
        .ok_or_else(|| format!("`{text}` is no positive number"))
}

/// Levels of a transform between two trips to memory. On a GPU a tile of 2^8 points by 16 columns fills the 32 KiB of
/// shared memory that a portable kernel may take; on a processor 2^16 points fill half a MiB of cache.
const GPU_LEVELS: u32 = 8;
const HOST_LEVELS: u32 = 16;

/// Speeds of a machine, in G/s: 1e9 bytes, products or permutations a second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Machine {
    /// Copy bandwidth of the memory, bytes read plus bytes written.
    pub(crate) memory: f64,
    /// Where that number is from.
    pub(crate) memory_from: &'static str,
    /// Between host and device; `None` if unknown.
    pub(crate) link: Option<f64>,
    /// Products of the base field.
    pub(crate) products: Option<f64>,
    /// Permutations Keccak-f[1600].
    pub(crate) keccak: Option<f64>,
    /// Compressions of Blake2s.
    pub(crate) blake2s: Option<f64>,
    /// Permutations Hades.
    pub(crate) hades: Option<f64>,
    /// Levels of a transform between two trips to memory.
    pub(crate) levels_per_pass: u32,
    /// Whether the device is the host: an upload is then a copy in memory.
    pub(crate) is_host: bool,
}

impl SpeedArguments {
    /// The speeds of the named device. `copy` measures the bandwidth, in GB/s, if it is not given.
    pub(crate) fn machine<P: Measurable, E>(
        &self,
        device: &str,
        is_host: bool,
        copy: impl FnOnce() -> Result<f64, E>,
    ) -> Result<Machine, E> {
        // Measured on an H200 (132 multiprocessors at 1.98 GHz); the H100 of that size has the same.
        let known = !is_host && (device.contains("H200") || device.contains("H100 80GB HBM3"));
        let or_known = |given: Option<f64>, value: Option<f64>| given.or(value.filter(|_| known));
        let (memory, memory_from) = match self.bandwidth {
            Some(bandwidth) => (bandwidth, "given"),
            None => (figure(copy()?), "a copy, measured at the start"),
        };
        Ok(Machine {
            memory,
            memory_from,
            link: or_known(self.link, Some(55.0)),
            products: or_known(self.products, P::PRODUCTS),
            keccak: or_known(self.keccak, Some(3.6)),
            blake2s: or_known(self.blake2s, Some(17.0)),
            // 107 squares of 36 wide multiply-adds and 107 products of 64, of which there are 32 in a cycle.
            hades: or_known(self.hades, Some(0.78)),
            levels_per_pass: if is_host { HOST_LEVELS } else { GPU_LEVELS },
            is_host,
        })
    }
}

/// Floor over median: 1 is as fast as can be. `None` above that: such a floor is none.
pub(crate) fn share_of(floor: f64, median: f64) -> Option<f64> {
    // Not its rounded value.
    (floor <= median).then(|| figure(floor / median))
}

/// The resource that bounds an operation at its floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Bound {
    Memory,
    Arithmetic,
    Link,
}

impl Bound {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Arithmetic => "arithmetic",
            Self::Link => "link",
        }
    }
}

/// The least time, and its bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Floor {
    pub(crate) seconds: f64,
    pub(crate) bound: Bound,
}

impl Machine {
    /// The largest of the times for memory, arithmetic and link, which overlap at best. `None` if no speed for this
    /// work is known, or there is none to do: then latency is all.
    pub(crate) fn floor(&self, work: &Work) -> Option<Floor> {
        // On the host a transfer is a copy.
        let (copied, link_bytes) = if self.is_host { (2.0 * work.link_bytes, 0.0) } else { (0.0, work.link_bytes) };
        let part = |amount: f64, speed: Option<f64>| speed.map_or(0.0, |speed| amount / (speed * 1e9));
        let hashes = part(work.keccak, self.keccak) + part(work.blake2s, self.blake2s) + part(work.hades, self.hades);
        let arithmetic = part(work.products, self.products) + hashes;
        [
            (part(work.bytes + copied, Some(self.memory)), Bound::Memory),
            (arithmetic, Bound::Arithmetic),
            (part(link_bytes, self.link), Bound::Link),
        ]
        .into_iter()
        .filter(|(seconds, _)| *seconds > 0.0)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(seconds, bound)| Floor { seconds: figure(seconds), bound })
    }

    /// In words, for the head of a report.
    pub(crate) fn text(&self) -> String {
        let or_unknown =
            |speed: Option<f64>, unit: &str| speed.map_or("not known".to_owned(), |speed| format!("{speed} {unit}"));
        format!(
            "memory {} GB/s ({}), link {}, products {}, Keccak-f {}, Blake2s {}, Hades {}",
            self.memory,
            self.memory_from,
            if self.is_host { "none".to_owned() } else { or_unknown(self.link, "GB/s") },
            or_unknown(self.products, "G/s"),
            or_unknown(self.keccak, "G/s"),
            or_unknown(self.blake2s, "G/s"),
            or_unknown(self.hades, "G/s"),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::Goldilocks3;
    use gpu_hal::CircleStark;

    use super::*;
    use crate::work;

    fn speeds() -> SpeedArguments {
        SpeedArguments { bandwidth: Some(4270.0), link: None, products: None, keccak: None, blake2s: None, hades: None }
    }

    fn machine(device: &str, is_host: bool) -> Machine {
        speeds().machine::<Goldilocks3, _>(device, is_host, || Err("it is given")).unwrap()
    }

    #[test]
    fn the_slowest_part_sets_the_floor() {
        let gpu = machine("NVIDIA H200", false);
        // Three passes over 2 GiB.
        let ntt = gpu.floor(&work::ntt::<Goldilocks3>(16, 24, gpu.levels_per_pass)).unwrap();
        assert_eq!(ntt.bound, Bound::Memory);
        assert!((ntt.seconds - 3.02e-3).abs() < 1e-5, "{ntt:?}");
        let tree = gpu.floor(&work::merkle::<Goldilocks3>(gpu_hal::HashFn::Keccak256, 8, 24)).unwrap();
        assert_eq!(tree.bound, Bound::Arithmetic);
        assert!((tree.seconds - 2.0 * (1u64 << 24) as f64 / 3.6e9).abs() < 1e-6, "{tree:?}");
        let upload = gpu.floor(&work::download::<Goldilocks3>(64, 20)).unwrap();
        assert_eq!(upload.bound, Bound::Link);
        assert!((upload.seconds - 9.76e-3).abs() < 1e-4, "{upload:?}");
        assert_eq!(gpu.floor(&Work::default()), None);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let unknown = machine("some GPU", false);
        assert_eq!((unknown.link, unknown.products), (None, None));
        assert_eq!(unknown.floor(&work::download::<Goldilocks3>(64, 20)), None);
        assert_eq!(
            unknown.floor(&work::merkle::<Goldilocks3>(gpu_hal::HashFn::Keccak256, 8, 24)).unwrap().bound,
            Bound::Memory
        );
        let host = machine("a processor", true);
        assert_eq!(host.floor(&work::download::<Goldilocks3>(1, 20)).unwrap().bound, Bound::Memory);
    }

    #[test]
    fn trees_of_the_circle_wait_for_blake2s() {
        let gpu = speeds().machine::<CircleStark, _>("NVIDIA H200", false, || Err("it is given")).unwrap();
        assert_eq!((gpu.products, gpu.blake2s), (None, Some(17.0)));
        let tree = gpu.floor(&work::merkle::<CircleStark>(gpu_hal::HashFn::Blake2s, 16, 24)).unwrap();
        assert_eq!(tree.bound, Bound::Arithmetic);
        assert!((tree.seconds - 2.0 * (1u64 << 24) as f64 / 17e9).abs() < 1e-7, "{tree:?}");
        assert_eq!(gpu.floor(&work::fold::<CircleStark>(24)).unwrap().bound, Bound::Memory);
    }

    #[test]
    fn speeds_are_positive_numbers() {
        assert_eq!(positive("4.5"), Ok(4.5));
        for bad in ["", "0", "-1", "nan", "inf", "fast"] {
            assert!(positive(bad).is_err(), "{bad}");
        }
    }
}
