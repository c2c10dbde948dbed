//! Runnable examples of opentool: see the files beside this one.
