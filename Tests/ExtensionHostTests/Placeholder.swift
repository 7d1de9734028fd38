// Replaced by this module's first tests.
