// GTK 4, with the headers of the system. Clients of a C target get only one directory of headers. So .headers
// contains everything that GTK's headers include: links to directories of the system, and small headers for files
// that the system has in other directories. This file exists because a module needs one to compile.
