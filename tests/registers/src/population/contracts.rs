//! Contracts that the company has with the state, as the register of contracts knows them.
