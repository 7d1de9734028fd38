// The constants of items, by kind. Their values are those of Apple's platforms, because programs store them.
import Foundation

// MARK: Keys of a query

/// The key for the class of an item.
public var kSecClass: CFString { "class" }
/// The key for the access group of an item.
public var kSecAttrAccessGroup: CFString { "agrp" }
/// The key for when an item can be read. Items on Linux can be read at any time; the value is stored.
public var kSecAttrAccessible: CFString { "pdmn" }
/// The key for the name of an account.
public var kSecAttrAccount: CFString { "acct" }
/// The key for the kind of authentication of an internet password.
public var kSecAttrAuthenticationType: CFString { "atyp" }
/// The key for a comment.
public var kSecAttrComment: CFString { "icmt" }
/// The key for the time of an item's creation. Set by the system.
public var kSecAttrCreationDate: CFString { "cdat" }
/// The key for the code of an item's creator.
public var kSecAttrCreator: CFString { "crtr" }
/// The key for a description.
public var kSecAttrDescription: CFString { "desc" }
/// The key for data that a program stores with a generic password in addition to the password.
public var kSecAttrGeneric: CFString { "gena" }
/// The key for whether an item is hidden.
public var kSecAttrIsInvisible: CFString { "invi" }
/// The key for whether an item records that there is no password.
public var kSecAttrIsNegative: CFString { "nega" }
/// The key for the name of an item that is shown to users.
public var kSecAttrLabel: CFString { "labl" }
/// The key for the time of an item's last change. Set by the system.
public var kSecAttrModificationDate: CFString { "mdat" }
/// The key for the path on the server of an internet password.
public var kSecAttrPath: CFString { "path" }
/// The key for the port of an internet password's server.
public var kSecAttrPort: CFString { "port" }
/// The key for the protocol of an internet password.
public var kSecAttrProtocol: CFString { "ptcl" }
/// The key for the realm of an internet password.
public var kSecAttrSecurityDomain: CFString { "sdmn" }
/// The key for the server of an internet password.
public var kSecAttrServer: CFString { "srvr" }
/// The key for the service of a generic password.
public var kSecAttrService: CFString { "svce" }
/// The key for whether an item is synchronized between machines. The value is stored, and has no other effect.
public var kSecAttrSynchronizable: CFString { "sync" }
/// The key for the code of an item's type.
public var kSecAttrType: CFString { "type" }
/// The key for the maximum number of results.
public var kSecMatchLimit: CFString { "m_Limit" }
/// The key for whether the result has the attributes.
public var kSecReturnAttributes: CFString { "r_Attributes" }
/// The key for whether the result has the password.
public var kSecReturnData: CFString { "r_Data" }
/// The key for whether the result has a reference that can be stored.
public var kSecReturnPersistentRef: CFString { "r_PersistentRef" }
/// The key for whether the result has an object of the item. Not supported for passwords.
public var kSecReturnRef: CFString { "r_Ref" }
/// The key for the authentication of the user. Has no effect.
public var kSecUseAuthenticationContext: CFString { "u_AuthCtx" }
/// The key for whether the user may be asked to authenticate. Has no effect.
public var kSecUseAuthenticationUI: CFString { "u_AuthUI" }
/// The key for which keychain is used on macOS. Has no effect.
public var kSecUseDataProtectionKeychain: CFString { "nleg" }
/// The key for the text of a question for the user. Has no effect.
public var kSecUseOperationPrompt: CFString { "u_OpPrompt" }
/// The key for the password.
public var kSecValueData: CFString { "v_Data" }
/// The key for the persistent reference of the item to find.
public var kSecValuePersistentRef: CFString { "v_PersistentRef" }
/// The key for an object of an item. Not supported for passwords.
public var kSecValueRef: CFString { "v_Ref" }

// MARK: Classes

/// The class of generic passwords.
public var kSecClassGenericPassword: CFString { "genp" }
/// The class of internet passwords.
public var kSecClassInternetPassword: CFString { "inet" }
/// The class of certificates. No store on Linux has any.
public var kSecClassCertificate: CFString { "cert" }
/// The class of keys. No store on Linux has any.
public var kSecClassKey: CFString { "keys" }
/// The class of identities. No store on Linux has any.
public var kSecClassIdentity: CFString { "idnt" }

// MARK: Limits, and other values

/// The limit of one result.
public var kSecMatchLimitOne: CFString { "m_LimitOne" }
/// No limit of results.
public var kSecMatchLimitAll: CFString { "m_LimitAll" }
/// Matches items whether they are synchronized or not.
public var kSecAttrSynchronizableAny: CFString { "syna" }
/// The user may be asked.
public var kSecUseAuthenticationUIAllow: CFString { "u_AuthUIA" }
/// A query that would need a question for the user fails.
public var kSecUseAuthenticationUIFail: CFString { "u_AuthUIF" }
/// Items that need a question for the user are left out.
public var kSecUseAuthenticationUISkip: CFString { "u_AuthUIS" }

// MARK: Accessibility

/// An item can be read while the device is unlocked.
public var kSecAttrAccessibleWhenUnlocked: CFString { "ak" }
/// An item can be read after the device was unlocked once.
public var kSecAttrAccessibleAfterFirstUnlock: CFString { "ck" }
/// An item can always be read.
public var kSecAttrAccessibleAlways: CFString { "dk" }
/// An item can be read only on this device, while the device is unlocked and has a passcode.
public var kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString { "akpu" }
/// An item can be read only on this device, while the device is unlocked.
public var kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString { "aku" }
/// An item can be read only on this device, after the device was unlocked once.
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { "cku" }
/// An item can always be read, but only on this device.
public var kSecAttrAccessibleAlwaysThisDeviceOnly: CFString { "dku" }
