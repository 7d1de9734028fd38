// The constants for keychain items, by kind. The values are Apple's, because programs store them.
import Foundation

// MARK: Keys of a query

/// The key for the class of an item.
public var kSecClass: CFString { "class" }
/// The key for the access group of an item.
public var kSecAttrAccessGroup: CFString { "agrp" }
/// The key for the condition under which an item can be read. The value is stored, but on Linux an item can always be
/// read.
public var kSecAttrAccessible: CFString { "pdmn" }
/// The key for the name of an account.
public var kSecAttrAccount: CFString { "acct" }
/// The key for the kind of authentication of an internet password.
public var kSecAttrAuthenticationType: CFString { "atyp" }
/// The key for a comment.
public var kSecAttrComment: CFString { "icmt" }
/// The key for an item's creation date. The system sets it.
public var kSecAttrCreationDate: CFString { "cdat" }
/// The key for the code of the program that created an item.
public var kSecAttrCreator: CFString { "crtr" }
/// The key for a description.
public var kSecAttrDescription: CFString { "desc" }
/// The key for data that a program stores with a generic password in addition to the password.
public var kSecAttrGeneric: CFString { "gena" }
/// The key for whether an item is hidden.
public var kSecAttrIsInvisible: CFString { "invi" }
/// The key for whether an item records that no password is to be stored for its account.
public var kSecAttrIsNegative: CFString { "nega" }
/// The key for an item's display name.
public var kSecAttrLabel: CFString { "labl" }
/// The key for the date of an item's last change. The system sets it.
public var kSecAttrModificationDate: CFString { "mdat" }
/// The key for the path in an internet password's URL.
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
/// The key for the code of an item's type, which the program defines.
public var kSecAttrType: CFString { "type" }
/// The key for the maximum number of results.
public var kSecMatchLimit: CFString { "m_Limit" }
/// The key for whether the result contains the attributes.
public var kSecReturnAttributes: CFString { "r_Attributes" }
/// The key for whether the result contains the password.
public var kSecReturnData: CFString { "r_Data" }
/// The key for whether the result contains a persistent reference to the item.
public var kSecReturnPersistentRef: CFString { "r_PersistentRef" }
/// The key for whether the result contains an object that represents the item. Not supported for passwords.
public var kSecReturnRef: CFString { "r_Ref" }
/// The key for a context in which the user has authenticated. Has no effect.
public var kSecUseAuthenticationContext: CFString { "u_AuthCtx" }
/// The key for whether the user may be asked to authenticate. Has no effect.
public var kSecUseAuthenticationUI: CFString { "u_AuthUI" }
/// The key for whether macOS uses the data protection keychain. Has no effect.
public var kSecUseDataProtectionKeychain: CFString { "nleg" }
/// The key for the text of the authentication prompt. Has no effect.
public var kSecUseOperationPrompt: CFString { "u_OpPrompt" }
/// The key for the password.
public var kSecValueData: CFString { "v_Data" }
/// The key for the persistent reference of the item to find.
public var kSecValuePersistentRef: CFString { "v_PersistentRef" }
/// The key for an object that represents the item. Not supported for passwords.
public var kSecValueRef: CFString { "v_Ref" }

// MARK: Classes

/// The class of generic passwords.
public var kSecClassGenericPassword: CFString { "genp" }
/// The class of internet passwords.
public var kSecClassInternetPassword: CFString { "inet" }
/// The class of certificates, which are not supported on Linux.
public var kSecClassCertificate: CFString { "cert" }
/// The class of keys, which are not supported on Linux.
public var kSecClassKey: CFString { "keys" }
/// The class of identities, which are not supported on Linux.
public var kSecClassIdentity: CFString { "idnt" }

// MARK: Limits, and other values

/// The limit of one result.
public var kSecMatchLimitOne: CFString { "m_LimitOne" }
/// No limit on the number of results.
public var kSecMatchLimitAll: CFString { "m_LimitAll" }
/// Matches items whether they are synchronized or not.
public var kSecAttrSynchronizableAny: CFString { "syna" }
/// The user may be asked to authenticate.
public var kSecUseAuthenticationUIAllow: CFString { "u_AuthUIA" }
/// A query that requires authentication by the user fails.
public var kSecUseAuthenticationUIFail: CFString { "u_AuthUIF" }
/// Items that require authentication by the user are left out.
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
