#ifndef CSEALING_H
#define CSEALING_H

#include <stddef.h>
#include <stdint.h>

// Authenticated encryption (AES-256-GCM, NIST SP 800-38D) by OpenSSL's libcrypto. Each function that can fail returns 1
// for success and 0 for failure.

enum {
    CSEALING_KEY_LENGTH = 32,
    CSEALING_NONCE_LENGTH = 12,
    CSEALING_TAG_LENGTH = 16,
    CSEALING_DIGEST_LENGTH = 32
};

/// Encrypts bytes, and authenticates them together with a header that stays readable.
///
/// - nonce: must never be used twice with one key.
/// - sealed: room for `length` bytes.
int csealing_seal(const uint8_t key[CSEALING_KEY_LENGTH], const uint8_t nonce[CSEALING_NONCE_LENGTH],
                  const void *header, size_t header_length, const void *bytes, size_t length, void *sealed,
                  uint8_t tag[CSEALING_TAG_LENGTH]);

/// Decrypts bytes. Fails, and leaves zeros in `bytes`, if the key, the nonce, the header, the bytes or the tag are not
/// those of the encryption.
int csealing_open(const uint8_t key[CSEALING_KEY_LENGTH], const uint8_t nonce[CSEALING_NONCE_LENGTH],
                  const void *header, size_t header_length, const void *sealed, size_t length, void *bytes,
                  const uint8_t tag[CSEALING_TAG_LENGTH]);

/// Writes the SHA-256 digest of bytes.
int csealing_digest(const void *bytes, size_t length, uint8_t digest[CSEALING_DIGEST_LENGTH]);

/// Fills memory with random bytes that no other process can predict.
int csealing_random(void *bytes, size_t length);

#endif
