// A file provider for tests with programs. It serves the files of its domain's directory, keeps copies of them in its
// document storage while they are in use, and notes the requests in that directory.
import AppExtension
import FileProvider

NSExtensionMain()
