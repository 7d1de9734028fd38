// Re-exports Foundation, as Apple's modules do.
@_exported import FoundationAdditions
