// In a file of its own because every file of the module uses these names.
import Foundation

// Foundation on Linux does not have the types of Core Foundation, which the older interface uses. The classes that
// they are bridged to on Apple's platforms stand in, so that `kUTTypePNG as String` and `"png" as CFString` compile.

/// Stands in for Core Foundation's string.
public typealias CFString = NSString

/// Stands in for Core Foundation's array.
public typealias CFArray = NSArray

/// Stands in for Core Foundation's dictionary.
public typealias CFDictionary = NSDictionary

/// Stands in for Core Foundation's URL.
public typealias CFURL = NSURL

/// Four bytes that name a kind of file on the classic Mac OS, the first in the highest bits.
public typealias OSType = UInt32
