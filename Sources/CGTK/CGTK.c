// This module imports GTK 4 with the headers of the system. Clients of a C target get only one directory of headers.
// Therefore .headers contains everything that GTK's headers include: links to directories of the system, and small
// headers that replace files in other directories of the system. This file exists because a module needs one to
// compile.
