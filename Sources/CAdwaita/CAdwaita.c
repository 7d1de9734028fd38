// libadwaita, with the headers of the system, in the manner of CGTK: .headers has a link to their directory. This file
// exists because a module needs one to compile.
