//! Writes the JSON of every shipped AIR, of Cairo's components and of those of circuits into a folder: what
//! `cargo xtask determinism` asks its questions about.
//!
//! ```text
//! cargo run -p polystark-export --example airs_as_json -- FOLDER
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use export::{Document, circle, goldilocks, json};
use gpu_hal::GoldilocksStark;

/// Rows of AIRs, by log2, and of components.
const LOG_ROWS: u32 = 6;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder is missing")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let write = |name: &str, document: &Document| std::fs::write(folder.join(name), json::text(document));
    for info in air::airs::all() {
        let required = info.params.iter().filter(|param| param.default.is_none());
        let params: BTreeMap<_, _> = required.map(|param| (param.name.to_owned(), 4)).collect();
        let air = air::airs::build::<GoldilocksStark>(info.name, 1 << LOG_ROWS, &params)?;
        write(&format!("goldilocks-{}.json", info.name), &goldilocks::document(&*air)?)?;
    }
    for info in circle_air::airs::all() {
        let value =
            |param: &circle_air::airs::ParamInfo| (param.name.to_owned(), param.default.unwrap_or(4).to_string());
        let air = circle_air::airs::build(info.name, LOG_ROWS, &info.params.iter().map(value).collect::<Vec<_>>())?;
        write(&format!("circle-{}.json", info.name), &circle::document(&*air)?)?;
    }
    type Shapes = cairo::shapes::Shapes<cairo::Version>;
    let names: Vec<&str> = Shapes::names().collect();
    let shapes = Shapes::new(LOG_ROWS, 0).ok_or("components cannot have as many rows")?;
    let make = |drawn: &[_]| shapes.components(drawn);
    write("cairo.json", &circle::components("cairo", &names, &make, Shapes::kinds(), 2)?)?;
    let log_sizes = circuits::air::log_sizes(LOG_ROWS);
    let make = |drawn: &[_]| circuits::air::components(&log_sizes, drawn);
    let document = circle::components("circuit", &circuits::air::NAMES, &make, circuits::air::kinds(), 2)?;
    write("circuit.json", &document)?;
    Ok(())
}
