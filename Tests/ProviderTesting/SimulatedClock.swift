// The clock of tests; the engine's branch fills it.
