#include "CCurl.h"

#include <openssl/evp.h>

// A ccurl_digest is an EVP_MD_CTX. It has another name so that Swift does not import OpenSSL.

static const EVP_MD *algorithm(ccurl_digest_kind kind) {
    switch (kind) {
    case CCURL_DIGEST_MD5: return EVP_md5();
    case CCURL_DIGEST_SHA1: return EVP_sha1();
    default: return EVP_sha256();
    }
}

ccurl_digest *ccurl_digest_create(ccurl_digest_kind kind) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context) return NULL;
    if (EVP_DigestInit_ex(context, algorithm(kind), NULL)) return (ccurl_digest *)context;
    EVP_MD_CTX_free(context);
    return NULL;
}

void ccurl_digest_free(ccurl_digest *digest) { EVP_MD_CTX_free((EVP_MD_CTX *)digest); }

int ccurl_digest_add(ccurl_digest *digest, const void *bytes, size_t size) {
    return EVP_DigestUpdate((EVP_MD_CTX *)digest, bytes, size);
}

size_t ccurl_digest_finish(ccurl_digest *digest, uint8_t *bytes) {
    unsigned int size = 0;
    if (EVP_MD_CTX_size((EVP_MD_CTX *)digest) > CCURL_DIGEST_SIZE) return 0;
    return EVP_DigestFinal_ex((EVP_MD_CTX *)digest, bytes, &size) ? size : 0;
}
