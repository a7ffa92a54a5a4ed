//! The provers of both protocols, on backends of every kind. One program: common code is compiled once.

mod adversary;
mod cancelled;
mod circle;
mod circle_decorators;
mod circle_dual;
mod circle_generated;
mod circle_hashes;
mod circle_keep;
mod circle_lowered;
mod circle_made;
mod circle_memory;
mod circle_relations;
mod compact;
mod concurrent;
mod decorators;
mod digests;
mod dual;
mod generated;
mod gkr;
mod gkr_faults;
mod hidden;
mod host_columns;
mod mask_model;
mod masks_left_out;
mod rehearsal;
mod vectors;
