//! Jobs of a farm that would hold a worker or a planner.
