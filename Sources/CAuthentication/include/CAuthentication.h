#ifndef CAUTHENTICATION_H
#define CAUTHENTICATION_H

#include <stddef.h>
#include <stdint.h>

enum { CAUTHENTICATION_LENGTH = 32 };

/// Computes the HMAC-SHA256 (RFC 2104, FIPS 180-4) of bytes with GLib.
void cauthentication_code(const uint8_t *key, size_t key_length, const void *bytes, size_t length,
                          uint8_t code[CAUTHENTICATION_LENGTH]);
/// Whether two codes are the same. The time does not depend on the position of a difference.
int cauthentication_equal(const uint8_t *one, const uint8_t *other, size_t length);

#endif
