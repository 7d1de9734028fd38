#include "CCurl.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>
#include <string.h>

struct ccurl_trust {
    STACK_OF(X509) *authorities;
    char *host;
    int has_accepted;
    uint8_t accepted[CCURL_FINGERPRINT_SIZE];
    int has_fingerprint;
    uint8_t fingerprint[CCURL_FINGERPRINT_SIZE];
    int error;
};

/// Adds the certificates of a PEM text to the rules. Returns 0 if it has none.
static int read_authorities(ccurl_trust *trust, const void *bytes, size_t size) {
    if (size > INT32_MAX) return 0;
    BIO *text = BIO_new_mem_buf(bytes, (int)size);
    if (!text) return 0;
    X509 *certificate;
    while ((certificate = PEM_read_bio_X509(text, NULL, NULL, NULL))) {
        if (!sk_X509_push(trust->authorities, certificate)) {
            X509_free(certificate);
            break;
        }
    }
    BIO_free(text);
    return sk_X509_num(trust->authorities) > 0;
}

ccurl_trust *ccurl_trust_create(
    const void *authorities, size_t authorities_size, const uint8_t *accepted, const char *host) {
    ccurl_trust *trust = calloc(1, sizeof *trust);
    if (!trust) return NULL;
    trust->host = strdup(host);
    trust->authorities = sk_X509_new_null();
    if (accepted) {
        trust->has_accepted = 1;
        memcpy(trust->accepted, accepted, CCURL_FINGERPRINT_SIZE);
    }
    if (trust->host && trust->authorities &&
        (!authorities || read_authorities(trust, authorities, authorities_size)))
        return trust;
    ccurl_trust_free(trust);
    return NULL;
}

void ccurl_trust_free(ccurl_trust *trust) {
    if (!trust) return;
    sk_X509_pop_free(trust->authorities, X509_free);
    free(trust->host);
    free(trust);
}

/// Checks a server's certificate in place of OpenSSL's own check, and before anything of a request is sent.
static int verify(X509_STORE_CTX *context, void *argument) {
    ccurl_trust *trust = argument;
    X509 *certificate = X509_STORE_CTX_get0_cert(context);
    unsigned int length = 0;
    trust->error = X509_V_ERR_UNSPECIFIED;
    trust->has_fingerprint = certificate && X509_digest(certificate, EVP_sha256(), trust->fingerprint, &length) &&
                             length == CCURL_FINGERPRINT_SIZE;
    if (trust->has_accepted) {
        if (trust->has_fingerprint && memcmp(trust->fingerprint, trust->accepted, CCURL_FINGERPRINT_SIZE) == 0) {
            trust->error = X509_V_OK;
            X509_STORE_CTX_set_error(context, X509_V_OK);
            return 1;
        }
        // libcurl's check of the name is off for this server, because it would refuse the accepted certificate.
        X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
        if (!X509_VERIFY_PARAM_set1_ip_asc(parameters, trust->host) &&
            !X509_VERIFY_PARAM_set1_host(parameters, trust->host, 0)) {
            X509_STORE_CTX_set_error(context, X509_V_ERR_UNSPECIFIED);
            return 0;
        }
    }
    // The store is that of all connections of the multi handle, which all have these authorities. A repeated
    // certificate is ignored.
    X509_STORE *store = X509_STORE_CTX_get0_store(context);
    for (int i = 0; i < sk_X509_num(trust->authorities); i++)
        X509_STORE_add_cert(store, sk_X509_value(trust->authorities, i));
    int is_trusted = X509_verify_cert(context) > 0;
    trust->error = is_trusted ? X509_V_OK : X509_STORE_CTX_get_error(context);
    return is_trusted;
}

static CURLcode set_up(CURL *easy, void *ssl_context, void *argument) {
    (void)easy;
    SSL_CTX *context = ssl_context;
    SSL_CTX_set_cert_verify_callback(context, verify, argument);
    return CURLE_OK;
}

CURLcode ccurl_set_trust(CURL *easy, ccurl_trust *trust) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, set_up);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, trust);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    return code ? code : curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, trust->has_accepted ? 0L : 2L);
}

int ccurl_trust_fingerprint(const ccurl_trust *trust, uint8_t *fingerprint) {
    if (!trust->has_fingerprint) return 0;
    memcpy(fingerprint, trust->fingerprint, CCURL_FINGERPRINT_SIZE);
    return 1;
}

const char *ccurl_trust_reason(const ccurl_trust *trust) {
    return trust->error == X509_V_OK ? NULL : X509_verify_cert_error_string(trust->error);
}
