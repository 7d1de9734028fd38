// Re-exports Foundation, as Apple's module does.
@_exported import FoundationAdditions
