//! What is told of the supervision of the national bank.
