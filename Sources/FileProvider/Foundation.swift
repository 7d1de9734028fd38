// As on Apple's platforms, Foundation comes with the module.
// URLSession, whose tasks a manager takes, is a part of Foundation there. Weakly linked: only a caller that has a task needs the
// library, and has it then. See Package.swift.
@_exported import FoundationAdditions
@_exported @_weakLinked import FoundationNetworking
