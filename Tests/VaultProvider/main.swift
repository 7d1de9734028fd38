// A file provider for tests with programs: it serves the files of the folder that its domain was handed, keeps copies of them in its
// document storage while somebody uses them, and notes in that folder what it is asked for.
import AppExtension
import FileProvider

NSExtensionMain()
