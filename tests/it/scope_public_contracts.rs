//! What is told of contracts with the state.
