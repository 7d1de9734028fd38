// "On This Machine": serves a local directory as if it were a cloud.
import AppExtension
import Glibc

// New files get the default mode, because a confined process cannot change it afterwards.
umask(0o022)
_ = NSExtensionMain()
