// The module that programs for Apple's platforms import for logging. What they log with is in the module OSLog.
