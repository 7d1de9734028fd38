#include "CSealing.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

int csealing_seal(const uint8_t key[CSEALING_KEY_LENGTH], const uint8_t nonce[CSEALING_NONCE_LENGTH],
                  const void *header, size_t header_length, const void *bytes, size_t length, void *sealed,
                  uint8_t tag[CSEALING_TAG_LENGTH]) {
    /* OpenSSL's lengths are of the type int. */
    if (header_length > INT_MAX || length > INT_MAX) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context) return 0;
    int done = 0, rest = 0;
    int succeeded = EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
        && EVP_EncryptUpdate(context, NULL, &done, header, (int)header_length) == 1
        && EVP_EncryptUpdate(context, sealed, &done, bytes, (int)length) == 1
        && EVP_EncryptFinal_ex(context, (unsigned char *)sealed + done, &rest) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CSEALING_TAG_LENGTH, tag) == 1;
    /* This also erases the key. */
    EVP_CIPHER_CTX_free(context);
    return succeeded;
}

int csealing_open(const uint8_t key[CSEALING_KEY_LENGTH], const uint8_t nonce[CSEALING_NONCE_LENGTH],
                  const void *header, size_t header_length, const void *sealed, size_t length, void *bytes,
                  const uint8_t tag[CSEALING_TAG_LENGTH]) {
    if (header_length > INT_MAX || length > INT_MAX) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context) return 0;
    int done = 0, rest = 0;
    int succeeded = EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
        && EVP_DecryptUpdate(context, NULL, &done, header, (int)header_length) == 1
        && EVP_DecryptUpdate(context, bytes, &done, sealed, (int)length) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CSEALING_TAG_LENGTH, (void *)tag) == 1
        && EVP_DecryptFinal_ex(context, (unsigned char *)bytes + done, &rest) == 1;
    EVP_CIPHER_CTX_free(context);
    /* Bytes that are not authentic were decrypted nevertheless, and must not be used. */
    if (!succeeded) OPENSSL_cleanse(bytes, length);
    return succeeded;
}

int csealing_digest(const void *bytes, size_t length, uint8_t digest[CSEALING_DIGEST_LENGTH]) {
    return EVP_Digest(bytes, length, digest, NULL, EVP_sha256(), NULL) == 1;
}

int csealing_random(void *bytes, size_t length) {
    return length <= INT_MAX && RAND_priv_bytes(bytes, (int)length) == 1;
}
