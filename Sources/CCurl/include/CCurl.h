#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

// Wrappers of libcurl's functions that take variable arguments, which Swift cannot pass, and the check of a server's
// certificate, which uses OpenSSL.

// MARK: Options

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, int64_t value);
/// Sets an option to a string, which libcurl copies. NULL restores the default.
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value);

typedef size_t (*ccurl_transfer_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_start_function)(void *context, char *remote, char *local, int remote_port, int local_port);
typedef int (*ccurl_seek_function)(void *context, curl_off_t offset, int origin);

CURLcode ccurl_set_write_function(CURL *easy, ccurl_transfer_function function, void *context);
CURLcode ccurl_set_header_function(CURL *easy, ccurl_transfer_function function, void *context);
/// Sets the functions that read a request's body and that rewind it.
CURLcode ccurl_set_read_functions(
    CURL *easy, ccurl_transfer_function read, ccurl_seek_function seek, void *context);

/// Sets the function that is called before a request is sent, and before libcurl sends it again.
CURLcode ccurl_set_start_function(CURL *easy, ccurl_start_function function, void *context);

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
/// Gets a string, which belongs to the handle.
CURLcode ccurl_get_string(CURL *easy, CURLINFO info, char **value);
CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, int64_t *value);
/// Returns the socket of a handle that only connects, or -1.
int ccurl_get_socket(CURL *easy);

/// Initializes libcurl and OpenSSL. Must be called before other functions of either.
CURLcode ccurl_initialize(void);

CURLMcode ccurl_set_multi_long(CURLM *multi, CURLMoption option, long value);
/// Makes all handles with this share keep their cookies in it, or with `ccurl_share_sessions` their TLS sessions. The
/// handles must run on one thread, because the share has no lock.
CURLSHcode ccurl_share_cookies(CURLSH *share);
CURLSHcode ccurl_share_sessions(CURLSH *share);

/// Returns the result of the completed transfer that a message from `curl_multi_info_read` reports. This is a function
/// because the field is a member of an unnamed union.
CURLcode ccurl_result(const CURLMsg *message);

// Arguments of the authentication options, and results of transfer functions. Their macros have casts, which Swift does
// not import.
extern const long ccurl_auth_basic;
extern const long ccurl_auth_digest;
extern const long ccurl_auth_bearer;
extern const size_t ccurl_read_abort;
extern const size_t ccurl_read_pause;
extern const size_t ccurl_write_pause;

// MARK: Digests

typedef enum ccurl_digest_kind { CCURL_DIGEST_MD5, CCURL_DIGEST_SHA1, CCURL_DIGEST_SHA256 } ccurl_digest_kind;

/// The number of bytes of the longest digest.
#define CCURL_DIGEST_SIZE 32

/// A digest that is computed from pieces.
typedef struct ccurl_digest ccurl_digest;

/// Creates a digest. Returns NULL if there is not enough memory, or if the system forbids the algorithm.
ccurl_digest *ccurl_digest_create(ccurl_digest_kind kind);
void ccurl_digest_free(ccurl_digest *digest);
/// Adds bytes. Returns 0 if there is not enough memory.
int ccurl_digest_add(ccurl_digest *digest, const void *bytes, size_t size);
/// Writes the computed digest to `bytes`. No more bytes can be added afterwards. Returns the number of bytes of the
/// digest, or 0 on failure.
size_t ccurl_digest_finish(ccurl_digest *digest, uint8_t *bytes);

// MARK: Trust

/// The number of bytes of a certificate's fingerprint (SHA-256).
#define CCURL_FINGERPRINT_SIZE 32

/// The rules by which the certificates of one server are checked, and the last certificate that it presented.
///
/// Connections refer to it, so it must live longer than the multi handle. Only the thread of that handle uses it.
typedef struct ccurl_trust ccurl_trust;

/// Returns rules for a server, or NULL if there is no memory or `authorities` has no valid certificate.
///
/// - authorities: certificates in PEM, which are trusted besides those of the system; may be NULL.
/// - accepted: the fingerprint of a certificate that is trusted for this server despite all other faults; NULL
///   for none.
/// - host: the server's name or IP address without brackets.
ccurl_trust *ccurl_trust_create(
    const void *authorities, size_t authorities_size, const uint8_t *accepted, const char *host);
void ccurl_trust_free(ccurl_trust *trust);

/// Makes a transfer follow the rules.
CURLcode ccurl_set_trust(CURL *easy, ccurl_trust *trust);

/// Copies the fingerprint of the last certificate that the server presented. Returns 0 if there is none.
int ccurl_trust_fingerprint(const ccurl_trust *trust, uint8_t *fingerprint);

/// Returns the reason why the last certificate is not trusted, or NULL if it is.
const char *ccurl_trust_reason(const ccurl_trust *trust);

#endif
