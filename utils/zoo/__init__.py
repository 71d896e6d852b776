"""Real models for the quickstart, the benchmarks and the tests: where they come from and what runs them."""
