//! What the benchmarks share; the programs are in `benches/`.

pub mod load;
pub mod pairs;
