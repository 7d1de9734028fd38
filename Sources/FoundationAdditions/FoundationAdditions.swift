// Foundation, and the parts of Foundation on Apple's platforms that Linux lacks. Every public module exports this one,
// because every framework on Apple's platforms exports Foundation.
@_exported import Foundation
