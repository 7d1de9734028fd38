#include "CCurl.h"

#include <openssl/crypto.h>

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

CURLcode ccurl_set_offset(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}

CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_write_function(CURL *easy, ccurl_transfer_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

CURLcode ccurl_set_header_function(CURL *easy, ccurl_transfer_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

CURLcode ccurl_set_read_functions(
    CURL *easy, ccurl_transfer_function read, ccurl_seek_function seek, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    return code ? code : curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
}

CURLcode ccurl_set_start_function(CURL *easy, ccurl_start_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }

CURLcode ccurl_get_string(CURL *easy, CURLINFO info, char **value) { return curl_easy_getinfo(easy, info, value); }

CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, int64_t *value) {
    curl_off_t offset = 0;
    CURLcode code = curl_easy_getinfo(easy, info, &offset);
    *value = offset;
    return code;
}

int ccurl_get_socket(CURL *easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) ? -1 : (int)socket;
}

CURLcode ccurl_initialize(void) {
    // Without this option, OpenSSL would free its state when the process exits, although transfers may still be running
    // on another thread.
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL) != 1) return CURLE_FAILED_INIT;
    return curl_global_init(CURL_GLOBAL_ALL);
}

CURLMcode ccurl_set_multi_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURLSHcode ccurl_share_cookies(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

CURLSHcode ccurl_share_sessions(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }

const long ccurl_auth_basic = (long)CURLAUTH_BASIC;
const long ccurl_auth_digest = (long)CURLAUTH_DIGEST;
const long ccurl_auth_bearer = (long)CURLAUTH_BEARER;
const size_t ccurl_read_abort = CURL_READFUNC_ABORT;
const size_t ccurl_read_pause = CURL_READFUNC_PAUSE;
const size_t ccurl_write_pause = CURL_WRITEFUNC_PAUSE;
