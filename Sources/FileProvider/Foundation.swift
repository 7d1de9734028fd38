// Re-exports Foundation, as Apple's module does. There it includes URLSession, which a manager has tasks of. Weakly
// linked: a program that has a task links the library itself. See Package.swift.
@_exported import FoundationAdditions
@_exported @_weakLinked import FoundationNetworking
