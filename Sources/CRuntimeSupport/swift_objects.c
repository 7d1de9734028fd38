#include "CRuntimeSupport.h"

// The descriptors of NSObject and of its allocating init(), by their mangled names: part of Swift's stable ABI.
extern const char nsobject_class __asm__("$s10Foundation8NSObjectCMn");
extern const char nsobject_init __asm__("$s10Foundation8NSObjectCACycfCTq");

// Finds the implementation of an ancestor's method in a class (Swift runtime, include/swift/Runtime/Metadata.h).
extern void *swift_lookUpClassMethod(const void *metadata, const void *method, const void *description);

typedef __attribute__((swiftcall)) void *(*allocating_init)(__attribute__((swift_context)) const void *metadata);

void *cswift_make_object(const void *metadata) {
    allocating_init init = (allocating_init)swift_lookUpClassMethod(metadata, &nsobject_init, &nsobject_class);
    return init(metadata);
}

_Thread_local uint8_t cswift_thread_notes;
