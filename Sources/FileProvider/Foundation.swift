// Re-exports Foundation, as Apple's module does. Apple's Foundation includes URLSession, whose tasks can be registered
// with a manager. On Linux, URLSession is in FoundationNetworking. This module links that library weakly, because only
// a program that uses such tasks needs it, and links it itself. See Package.swift.
@_exported import FoundationAdditions
@_exported @_weakLinked import FoundationNetworking
