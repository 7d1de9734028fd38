// As on Apple's platforms, Foundation comes with the module.
// URLSession, whose tasks a manager takes, is a part of Foundation there. Weakly linked: a program that has
// a task links the library itself. See Package.swift.
@_exported import FoundationAdditions
@_exported @_weakLinked import FoundationNetworking
