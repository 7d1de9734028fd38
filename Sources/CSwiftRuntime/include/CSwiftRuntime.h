#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

/// Makes an object of a class, given by its metadata, that descends from Foundation's NSObject, by calling the class's own
/// `init()`. Returns it with one reference, which is the caller's.
///
/// Swift's type checker refuses this call, because Foundation on Linux does not declare that initializer `required`; every
/// class has it in its table all the same. A class that does not inherit it ends the process with a message that says so.
void *cswift_make_object(const void *metadata);

#endif
