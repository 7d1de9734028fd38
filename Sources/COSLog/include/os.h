// The module that programs for Apple's platforms import for logging. The module OSLog implements it.
