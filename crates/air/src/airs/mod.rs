//! Example AIRs.
