// Replaced by this module's first slice.
