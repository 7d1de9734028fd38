// The module that programs for Apple's platforms import for logging.
@_exported public import OSLog
