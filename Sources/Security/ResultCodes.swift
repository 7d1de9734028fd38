// The result codes of the functions. Apple's platforms have more. These are the codes that programs compare results
// with.
import Foundation

/// No error.
public var errSecSuccess: OSStatus { 0 }
/// The function or the value is not supported.
public var errSecUnimplemented: OSStatus { -4 }
/// The disk is full.
public var errSecDiskFull: OSStatus { -34 }
/// The stored items cannot be read or written.
public var errSecIO: OSStatus { -36 }
/// A parameter is missing or not valid.
public var errSecParam: OSStatus { -50 }
/// There is not enough memory.
public var errSecAllocate: OSStatus { -108 }
/// The user cancelled the operation.
public var errSecUserCanceled: OSStatus { -128 }
/// No store of items can be reached.
public var errSecNotAvailable: OSStatus { -25291 }
/// The item cannot be changed.
public var errSecReadOnly: OSStatus { -25292 }
/// The user name or the password is wrong.
public var errSecAuthFailed: OSStatus { -25293 }
/// The keychain does not exist.
public var errSecNoSuchKeychain: OSStatus { -25294 }
/// The keychain is not valid.
public var errSecInvalidKeychain: OSStatus { -25295 }
/// The item exists already.
public var errSecDuplicateItem: OSStatus { -25299 }
/// The item does not exist.
public var errSecItemNotFound: OSStatus { -25300 }
/// The buffer is too small.
public var errSecBufferTooSmall: OSStatus { -25301 }
/// The item is too large.
public var errSecDataTooLarge: OSStatus { -25302 }
/// Items of this class do not have the attribute.
public var errSecNoSuchAttr: OSStatus { -25303 }
/// The reference to an item is not valid.
public var errSecInvalidItemRef: OSStatus { -25304 }
/// The class of items does not exist.
public var errSecNoSuchClass: OSStatus { -25306 }
/// The operation requires the user, who may not be asked.
public var errSecInteractionNotAllowed: OSStatus { -25308 }
/// The attribute cannot be changed.
public var errSecReadOnlyAttr: OSStatus { -25309 }
/// The operation requires an interaction with the user.
public var errSecInteractionRequired: OSStatus { -25315 }
/// The item's data is not available.
public var errSecDataNotAvailable: OSStatus { -25316 }
/// The data cannot be decoded.
public var errSecDecode: OSStatus { -26275 }
/// The program is not in the access group.
public var errSecMissingEntitlement: OSStatus { -34018 }
/// A value cannot be converted.
public var errSecConversionError: OSStatus { -67594 }
/// The access group has too many items.
public var errSecQuotaExceeded: OSStatus { -67596 }

/// Returns a sentence that describes a result code, or `nil` for an unknown code.
///
/// - Parameter reserved: has no effect.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    let sentence: String? =
        switch status {
        case errSecSuccess: "No error."
        case errSecUnimplemented: "The function or the value is not supported."
        case errSecDiskFull: "The disk is full."
        case errSecIO: "The stored items cannot be read or written."
        case errSecParam: "A parameter is missing or not valid."
        case errSecAllocate: "There is not enough memory."
        case errSecUserCanceled: "The user cancelled the operation."
        case errSecNotAvailable: "No store of items can be reached."
        case errSecReadOnly: "The item cannot be changed."
        case errSecAuthFailed: "The user name or the password is wrong."
        case errSecNoSuchKeychain: "The keychain does not exist."
        case errSecInvalidKeychain: "The keychain is not valid."
        case errSecDuplicateItem: "The item exists already."
        case errSecItemNotFound: "The item does not exist."
        case errSecBufferTooSmall: "The buffer is too small."
        case errSecDataTooLarge: "The item is too large."
        case errSecNoSuchAttr: "Items of this class do not have the attribute."
        case errSecInvalidItemRef: "The reference to an item is not valid."
        case errSecNoSuchClass: "The class of items does not exist."
        case errSecInteractionNotAllowed: "The user may not be asked."
        case errSecReadOnlyAttr: "The attribute cannot be changed."
        case errSecInteractionRequired: "The user would have to be asked."
        case errSecDataNotAvailable: "The item's data is not available."
        case errSecDecode: "The data cannot be decoded."
        case errSecMissingEntitlement: "The program is not in the access group."
        case errSecConversionError: "A value cannot be converted."
        case errSecQuotaExceeded: "The access group has too many items."
        default: nil
        }
    return sentence.map { $0 as NSString }
}
