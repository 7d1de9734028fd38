// The names of Core Foundation, in one file because each declaration is a single line.
import Foundation

// Foundation on Linux does not have the types of Core Foundation, which older interfaces use. Each alias names the
// class to which the type is bridged on Apple's platforms, so that `kUTTypePNG as String`, `"png" as CFString` and
// `query as CFDictionary` compile.

/// Stands in for any object of Core Foundation.
public typealias CFTypeRef = AnyObject

/// Stands in for Core Foundation's string.
public typealias CFString = NSString

/// Stands in for Core Foundation's data.
public typealias CFData = NSData

/// Stands in for Core Foundation's number.
public typealias CFNumber = NSNumber

/// Stands in for Core Foundation's Boolean.
public typealias CFBoolean = NSNumber

/// Stands in for Core Foundation's date.
public typealias CFDate = NSDate

/// Stands in for Core Foundation's array.
public typealias CFArray = NSArray

/// Stands in for Core Foundation's dictionary.
public typealias CFDictionary = NSDictionary

/// Stands in for Core Foundation's mutable dictionary.
public typealias CFMutableDictionary = NSMutableDictionary

/// Stands in for Core Foundation's URL.
public typealias CFURL = NSURL

/// The Boolean true. Never `nil`; optional as on Apple's platforms.
public var kCFBooleanTrue: CFBoolean! { NSNumber(value: true) }

/// The Boolean false. Never `nil`; optional as on Apple's platforms.
public var kCFBooleanFalse: CFBoolean! { NSNumber(value: false) }

/// A number of seconds.
public typealias CFTimeInterval = Double

/// A time, as the number of seconds since 1 January 2001 in UTC.
public typealias CFAbsoluteTime = CFTimeInterval

/// Returns the current time. The system's clock may be set back, so a later call may return a smaller number.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }

/// The seconds from 1 January 1970 to 1 January 2001 in UTC.
public let kCFAbsoluteTimeIntervalSince1970: CFTimeInterval = Date.timeIntervalBetween1970AndReferenceDate

/// A four-character code of the classic Mac OS, such as the type of a file. The first character is in the highest bits.
public typealias OSType = UInt32

/// The result code of an older C function. Zero means success.
public typealias OSStatus = Int32

/// The status of success.
public var noErr: OSStatus { 0 }
