// "On This Machine": serves a folder of this machine as if it were a cloud.
import AppExtension
import Glibc

// New files are for whom new files usually are: a mode cannot be changed afterwards.
umask(0o022)
_ = NSExtensionMain()
