// GTK 4, by the headers of the system. Clients of a C target are given one folder of headers. So .headers has
// everything that GTK's own headers include: links to folders of the system, and small headers in the place of files
// that the system has in folders of their own. A module needs a file to compile.
