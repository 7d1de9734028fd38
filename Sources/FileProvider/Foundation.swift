// Re-exports Foundation, as Apple's module does. Apple's Foundation includes URLSession, whose tasks can be registered
// with a manager. On Linux, URLSession is in FoundationNetworking. This module links that library weakly, because only
// programs that use such tasks need it. Such a program links the library itself. See Package.swift.
@_exported import FoundationAdditions
@_exported @_weakLinked import FoundationNetworking
