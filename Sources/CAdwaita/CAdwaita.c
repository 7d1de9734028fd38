// This module imports libadwaita with the headers of the system, in the same way as CGTK imports GTK: .headers has a
// link to the directory of these headers. This file exists because a module needs one to compile.
