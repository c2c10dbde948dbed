//! Benchmarks of opentool; the programs are in `benches/`.
