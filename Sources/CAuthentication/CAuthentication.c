#include "CAuthentication.h"

#include <glib.h>

void cauthentication_code(const uint8_t *key, size_t key_length, const void *bytes, size_t length,
                          uint8_t code[CAUTHENTICATION_LENGTH]) {
    GHmac *hmac = g_hmac_new(G_CHECKSUM_SHA256, key, key_length);
    const guchar *rest = bytes;
    /* GLib's length parameter is signed, and -1 has a special meaning. */
    while (length > 0) {
        gssize piece = length > (1 << 30) ? 1 << 30 : (gssize)length;
        g_hmac_update(hmac, rest, piece);
        rest += piece;
        length -= (size_t)piece;
    }
    gsize room = CAUTHENTICATION_LENGTH;
    g_hmac_get_digest(hmac, code, &room);
    g_hmac_unref(hmac);
}

int cauthentication_equal(const uint8_t *one, const uint8_t *other, size_t length) {
    volatile uint8_t difference = 0;
    for (size_t i = 0; i < length; i++) difference |= one[i] ^ other[i];
    return difference == 0;
}
