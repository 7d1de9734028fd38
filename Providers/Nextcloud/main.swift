// "Nextcloud": serves a user's files of a Nextcloud server.
import AppExtension

_ = NSExtensionMain()
