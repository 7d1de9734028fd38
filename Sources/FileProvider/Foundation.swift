// As on Apple's platforms, Foundation comes with the module.
// URLSession, whose tasks a manager takes, is a part of Foundation there.
@_exported import FoundationAdditions
@_exported import FoundationNetworking
