//! From plans and arguments to requests, and from answers to outputs.

mod answers;
mod attacks;
mod bodies;
mod choices;
mod credentials;
mod exchange;
mod kept;
mod network;
mod oauth;
mod parameters;
mod parts;
mod patches;
mod peers;
mod plans;
mod printing;
mod secrets;
mod servers;
mod swagger;
