//! Benches and side-by-side runs against peers.
