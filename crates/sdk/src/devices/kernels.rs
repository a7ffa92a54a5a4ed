//! The kernels that proofs take on an NVIDIA GPU, compiled on a machine that needs none.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use backend_cuda::{Compiler, GENERATED_OPERATIONS, GENERATED_ROW_WORDS, Target, ship};
use circle_proof::CircleOptions;
use goldilocks_proof::compact::limits::MAX_STEP;
use goldilocks_proof::{AnyOptions, Draw, Format, Hiding, Suite, compact, lambdaworks};
use gpu_hal::{CircleStark, GoldilocksStark};
use gpu_runtime::{DeviceInfo, GpuBackend, GpuProtocol, Recorder};

use crate::airs::{Airs, Family};
use crate::devices::backend::AnyBackend;
use crate::error::Error;
use crate::system::{ProofSystem, Request};
use crate::type_map::TypeMap;
#[cfg(feature = "cairo")]
use crate::{CAIRO_OPTIONS, cairo_run::Run};

/// Log2 of the rows for which kernels are sought that depend on them: passes of transforms are as long as these say.
const HEIGHTS: std::ops::RangeInclusive<u32> = 3..=22;
/// Log2 of the rows for which every AIR is sought: constraints do not depend on them.
const USUAL: [u32; 2] = [10, 16];
/// Free rows of an AIR whose witness is hidden: more than a query of it asks for.
const HIDDEN_ROWS: u64 = 64;

/// A request for a statement of about `2^log_rows` rows, as near as the AIR has them.
fn example<F: ProofSystem>(family: &Family<F>, log_rows: u32) -> Request<F> {
    let (least, most) = family.log_rows().into_inner();
    let mut request = Request::new(family.name(), 1 << log_rows.clamp(least, most.max(least)));
    let required = family.params().iter().filter(|param| param.default.is_none());
    request.parameters.extend(required.map(|param| (param.name.clone(), param.example)));
    request
}

/// Options of compact proofs of `2^log_rows` rows that fold by `2^step` as often as they can, and before each by
/// nothing if `step` is 0.
fn folded_by(step: u32, log_rows: u32) -> compact::Options {
    let each = step.max(1);
    let mut folds = vec![step];
    folds.resize(1 + ((log_rows - step) / each) as usize, each);
    let log_last = log_rows - folds.iter().sum::<u32>();
    let work = vec![0; Draw::all(folds.len()).count()];
    let lambdaworks::Options { blowup, queries, coset_offset, .. } = lambdaworks::Options::default();
    let suite = compact::Suite::default();
    compact::Options { blowup, queries, coset_offset, points: 1, folds, log_last, work, suite, hiding: Hiding::None }
}

/// The kernels of statements: found by going through their proofs on a device that computes nothing and remembers the
/// sources that it is asked to compile.
pub struct KernelList {
    recorder: Recorder,
    backends: TypeMap,
}

impl Default for KernelList {
    /// No statement yet.
    fn default() -> Self {
        // The properties that sources depend on and that all of NVIDIA's devices share.
        let info = DeviceInfo {
            name: "a recorder".into(),
            max_threads: 1024,
            shared_bytes: 48 << 10,
            multiprocessors: 132,
            memory_bytes: None,
            granularity: 256,
            generated_operations: GENERATED_OPERATIONS,
            generated_row_words: GENERATED_ROW_WORDS,
        };
        Self { recorder: Recorder::new(info), backends: TypeMap::default() }
    }
}

impl KernelList {
    fn backend<P: GpuProtocol>(&self) -> Result<Arc<AnyBackend<P>>, Error> {
        self.backends.get_or_try_insert_with(|| {
            let backend = GpuBackend::<Recorder, P>::new("recorder", self.recorder.clone())?;
            Ok(Arc::new(AnyBackend::new(Arc::new(backend))))
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.recorder.sources().len()
    }

    /// Adds the kernels of all these AIRs, for any number of rows, with the usual options.
    ///
    /// # Errors
    /// An AIR that cannot have the parameters of [`crate::Param::example`], or the device's errors.
    pub fn add_airs(&self, goldilocks: &Airs<GoldilocksStark>, circle: &Airs<CircleStark>) -> Result<(), Error> {
        let (of_goldilocks, of_circle) = (Airs::default(), Airs::default());
        for log_rows in HEIGHTS {
            for suite in Suite::ALL {
                for blowup in [2, 4, 8] {
                    let mut request = Request::<GoldilocksStark>::new("fibonacci-rap", 1 << log_rows);
                    request.options = lambdaworks::Options { suite, blowup, ..lambdaworks::Options::default() }.into();
                    self.add(&of_goldilocks, &request)?;
                }
            }
            for step in 0..=MAX_STEP.min(log_rows) {
                let mut request = Request::<GoldilocksStark>::new("fibonacci-rap", 1 << log_rows);
                request.options = folded_by(step, log_rows).into();
                self.add(&of_goldilocks, &request)?;
            }
            let add = |change: &dyn Fn(&mut CircleOptions)| {
                let mut request = Request::<CircleStark>::new("fibonacci", 1 << log_rows.max(5));
                change(&mut request.options);
                self.add(&of_circle, &request)
            };
            for fold_step in 1..=4 {
                for log_blowup in 1..=3 {
                    add(&|options| (options.fold_step, options.log_blowup) = (fold_step, log_blowup))?;
                }
            }
            for suite in circle_proof::Suite::ALL {
                add(&|options| options.suite = suite)?;
            }
        }
        for log_rows in USUAL {
            for family in goldilocks.all() {
                let mut request = example(family, log_rows);
                for format in Format::ALL {
                    request.options = AnyOptions::for_rows(format, request.rows);
                    self.add(goldilocks, &request)?;
                }
                if family.takes_free_rows() {
                    request.parameters.insert("free".into(), HIDDEN_ROWS);
                    let folds = folded_by(1, log_rows);
                    request.options = compact::Options { queries: 1, hiding: Hiding::FreeRows, ..folds }.into();
                    self.add(goldilocks, &request)?;
                }
            }
            for family in circle.all() {
                self.add(circle, &example(family, log_rows))?;
            }
        }
        Ok(())
    }

    /// Adds the kernels of a statement about one of `airs`.
    ///
    /// # Errors
    /// A statement that does not exist or cannot be proven with these options, or the device's errors.
    pub fn add<F: ProofSystem + GpuProtocol>(&self, airs: &Airs<F>, request: &Request<F>) -> Result<(), Error> {
        F::visit(&self.backend()?, request, &airs.build(request)?.air)
    }

    /// Adds the kernels of a run of a Cairo program, with every variant of the preprocessed columns that holds it: of
    /// the run's components, for any number of rows, with every suite, and with the folds of eight and sixteen.
    ///
    /// # Errors
    /// A run that cannot be proven, or the device's errors.
    #[cfg(feature = "cairo")]
    pub fn add_run(&self, input: &Run) -> Result<(), Error> {
        use cairo::Version;
        use cairo::preprocessed::Variant;
        use cairo::witness::{check_variant, smallest_variant};
        smallest_variant::<Version>(input)?;
        for variant in Variant::ALL.into_iter().filter(|variant| check_variant::<Version>(input, *variant).is_ok()) {
            let backend = self.backend::<CircleStark>()?;
            let visit = |change: &dyn Fn(&mut CircleOptions)| {
                let mut options = CAIRO_OPTIONS;
                change(&mut options);
                cairo::prove::visit::<Version, _>(&backend, input, variant, &options, false)
            };
            for suite in circle_proof::Suite::ALL {
                visit(&|options| options.suite = suite)?;
            }
            for fold_step in 3..=4 {
                visit(&|options| options.fold_step = fold_step)?;
            }
        }
        Ok(())
    }

    /// Adds the kernels of client proofs of Starknet. They are the same for every run.
    ///
    /// # Errors
    /// The device's errors.
    #[cfg(feature = "client-prove")]
    pub fn add_client(&self, run: &client::ClientRun, circuit: &client::VerifierCircuit) -> Result<(), Error> {
        Ok(client::visit(&self.backend::<CircleStark>()?, run, circuit)?)
    }

    /// Compiles all of them for an architecture (90: that of compute capability 9.0) into a folder: machine code for
    /// it, or text from which drivers of newer devices make theirs. The path and the bytes of the file.
    ///
    /// # Errors
    /// Without NVRTC, or NVRTC's errors.
    pub fn compile(&self, target: Target, folder: &Path) -> Result<(PathBuf, u64), Error> {
        Ok(ship(&Compiler::find()?, target, &self.recorder.sources(), folder)?)
    }
}
