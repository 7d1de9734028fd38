// Foundation, and what Foundation has on Apple's platforms but not on Linux. Every public module exports this one, because
// there every framework brings Foundation with it.
@_exported import Foundation
