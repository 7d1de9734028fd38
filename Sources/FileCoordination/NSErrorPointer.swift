import Foundation

/// A pointer to a variable for an error, in the manner of Objective-C: `nil`, or `&` before a variable of type
/// `NSError?`.
///
/// On Apple's platforms it is an `AutoreleasingUnsafeMutablePointer`, which Swift on Linux does not have.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
