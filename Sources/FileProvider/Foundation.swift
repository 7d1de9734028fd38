// Re-exports Foundation, as Apple's module does. Apple's Foundation includes URLSession, whose tasks can be registered
// with a manager. On Linux, URLSession is in FoundationNetworking. That library is linked weakly, because a program
// that uses such tasks links it itself. See Package.swift.
@_exported import FoundationAdditions
@_exported @_weakLinked import FoundationNetworking
