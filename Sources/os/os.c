// A module needs a file to compile.
