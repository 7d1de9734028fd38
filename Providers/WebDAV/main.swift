// "WebDAV": serves a folder of a WebDAV server.
import AppExtension

_ = NSExtensionMain()
