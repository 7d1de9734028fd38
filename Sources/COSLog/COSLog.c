// The submodule `os.log` of the Swift module `os`. A Swift module has no submodules: the compiler takes them from the
// Clang module of the same name. This file exists because a module needs one to compile.
