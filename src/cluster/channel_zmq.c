// SPDX-License-Identifier: MIT
// ZeroMQ: the coordinator is a ROUTER, a worker a DEALER whose routing id is a random number. Both have the key pair of
// the key file. CURVE proves to a worker that the coordinator has it. The coordinator lets in those who have it, too:
// CURVE asks an inner socket about each new connection (ZAP, rfc.zeromq.org/spec/27), which receive() answers.
#include "cluster/channel.h"

#ifndef MCO_HAVE_ZMQ

static mco_status lacks_zmq(mco_context *ctx, const char *option)
{
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s needs ZeroMQ, which this build lacks: build it where libzmq and its header are", option);
}

mco_status mco_zmq_listen(mco_context *ctx, int64_t port, const char *key_file, mco_channel *out)
{
    (void)port, (void)key_file, (void)out;
    return lacks_zmq(ctx, "--listen");
}

mco_status mco_zmq_join(mco_context *ctx, const char *address, const char *key_file, mco_channel *out)
{
    (void)address, (void)key_file, (void)out;
    return lacks_zmq(ctx, "--join");
}

#else

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <zmq.h>

enum { KEY = 40, KEY_BYTES = 32, LINGER_MS = 2000 };

typedef struct zmq_channel {
    mco_context *ctx;
    void *library, *socket, *gate;  // gate: where CURVE asks; NULL for a worker
    uint8_t key[KEY_BYTES];         // the public key
    zmq_msg_t message;              // that came last
} zmq_channel;

// ---- Keys

static mco_status read_key(mco_context *ctx, const char *path, bool may_create, char public_key[KEY + 1], char secret[KEY + 1])
{
    mco_status st = MCO_OK;
    FILE *file = NULL;
    if (path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--key F is missing: the file of the key that coordinator and workers share");
    if (!zmq_has("curve"))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "this libzmq has no CURVE");
    const int made = may_create ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (made >= 0) {
        bool is_written = zmq_curve_keypair(public_key, secret) == 0 && write(made, secret, KEY) == KEY && write(made, "\n", 1) == 1;
        is_written &= close(made) == 0;
        if (!is_written)
            return mco_fail(ctx, MCO_ERR_IO, "%s: the new key cannot be written", path);
        mco_log(ctx, MCO_LOG_INFO, "key: made %s; give it to the workers, and to nobody else", path);
        return MCO_OK;
    }
    file = fopen(path, "re");
    if (file == NULL)
        return mco_fail(ctx, MCO_ERR_IO, "%s: %s", path, strerror(errno));
    secret[0] = '\0';
    if (fscanf(file, "%40s", secret) != 1 || strlen(secret) != KEY || zmq_curve_public(public_key, secret) != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_PARSE, "%s: no key of %d characters", path, KEY));
done:
    fclose(file);
    return st;
}

// ---- Sending and receiving

static mco_status send_bytes(void *self, uint64_t peer, const uint8_t *data, int64_t size)
{
    zmq_channel *c = self;
    if (c->gate != NULL && zmq_send(c->socket, &peer, sizeof peer, ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0)
        return MCO_OK;  // nobody is there under this address, or too much waits for it
    zmq_send(c->socket, data, (size_t)size, ZMQ_DONTWAIT);
    return MCO_OK;
}

// Answers whether the one who connects has the key.
static void answer_gate(zmq_channel *c)
{
    enum { FRAMES = 7, VERSION = 0, REQUEST = 1, CREDENTIALS = 6 };
    char request[64] = "";
    uint8_t key[KEY_BYTES] = {0};
    int request_size = 0, frames = 0, more = 1;
    for (; more; frames++) {
        char other[256];
        void *const to = frames == REQUEST ? (void *)request : frames == CREDENTIALS ? (void *)key : (void *)other;
        const size_t room = frames == REQUEST ? sizeof request : frames == CREDENTIALS ? sizeof key : sizeof other;
        const int size = zmq_recv(c->gate, to, room, ZMQ_DONTWAIT);
        if (size < 0)
            return;
        request_size = frames == REQUEST ? (size < (int)sizeof request ? size : (int)sizeof request) : request_size;
        size_t more_size = sizeof more;
        zmq_getsockopt(c->gate, ZMQ_RCVMORE, &more, &more_size);
    }
    const bool is_known = frames == FRAMES && memcmp(key, c->key, sizeof key) == 0;
    if (!is_known)
        mco_log(c->ctx, MCO_LOG_WARNING, "a worker with another key was refused");
    zmq_send(c->gate, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(c->gate, request, (size_t)request_size, ZMQ_SNDMORE);
    zmq_send(c->gate, is_known ? "200" : "400", 3, ZMQ_SNDMORE);
    zmq_send(c->gate, "", 0, ZMQ_SNDMORE);
    zmq_send(c->gate, "", 0, ZMQ_SNDMORE);
    zmq_send(c->gate, "", 0, 0);
}

static bool has_more(zmq_channel *c)
{
    return zmq_msg_more(&c->message) != 0;
}

// Takes a whole message if there is one.
static bool take(zmq_channel *c, uint64_t *peer)
{
    bool is_known = true;
    *peer = 0;
    if (c->gate != NULL) {
        if (zmq_msg_recv(&c->message, c->socket, ZMQ_DONTWAIT) < 0)
            return false;
        is_known = zmq_msg_size(&c->message) == sizeof *peer && has_more(c);
        if (is_known)
            memcpy(peer, zmq_msg_data(&c->message), sizeof *peer);
        if (!has_more(c))
            return false;
    }
    if (zmq_msg_recv(&c->message, c->socket, ZMQ_DONTWAIT) < 0)
        return false;
    while (has_more(c)) {  // no message of ours has more parts
        is_known = false;
        if (zmq_msg_recv(&c->message, c->socket, ZMQ_DONTWAIT) < 0)
            break;
    }
    return is_known;
}

static mco_status receive_bytes(void *self, double wait_s, uint64_t *peer, const uint8_t **data, int64_t *size)
{
    zmq_channel *c = self;
    *size = -1;
    if (!take(c, peer)) {
        zmq_pollitem_t items[] = {{.socket = c->socket, .events = ZMQ_POLLIN}, {.socket = c->gate, .events = ZMQ_POLLIN}};
        zmq_poll(items, c->gate != NULL ? 2 : 1, (long)(wait_s * 1e3));
        if (items[1].revents != 0)
            answer_gate(c);
        if (!take(c, peer))
            return MCO_OK;
    }
    *data = zmq_msg_data(&c->message);
    *size = (int64_t)zmq_msg_size(&c->message);
    return MCO_OK;
}

// ---- Opening and closing

static void close_channel(mco_context *ctx, void *self)
{
    zmq_channel *c = self;
    if (c == NULL)
        return;
    zmq_msg_close(&c->message);
    if (c->socket != NULL)
        zmq_close(c->socket);
    if (c->gate != NULL)
        zmq_close(c->gate);
    if (c->library != NULL)
        zmq_ctx_term(c->library);  // ends after LINGER_MS at the latest
    mco_free(ctx, &c);
}

static mco_status set(zmq_channel *c, int option, const void *value, size_t size)
{
    if (zmq_setsockopt(c->socket, option, value, size) == 0)
        return MCO_OK;
    return mco_fail(c->ctx, MCO_ERR_INTERNAL, "ZeroMQ option %d: %s", option, zmq_strerror(errno));
}

static mco_status open_channel(mco_context *ctx, int type, const char *public_key, const char *secret, zmq_channel **out)
{
    mco_status st = MCO_OK;
    static const int linger = LINGER_MS, any_number = 0, yes = 1;
    zmq_channel *c = NULL;
    MCO_TRY(mco_alloc(ctx, &c, 1));
    *c = (zmq_channel){.ctx = ctx};
    *out = c;
    zmq_msg_init(&c->message);
    c->library = zmq_ctx_new();
    c->socket = c->library != NULL ? zmq_socket(c->library, type) : NULL;
    if (c->socket == NULL)
        return mco_fail(ctx, MCO_ERR_MEMORY, "ZeroMQ: %s", zmq_strerror(errno));
    zmq_z85_decode(c->key, public_key);
    MCO_TRY(set(c, ZMQ_LINGER, &linger, sizeof linger));
    MCO_TRY(set(c, ZMQ_SNDHWM, &any_number, sizeof any_number));
    MCO_TRY(set(c, ZMQ_RCVHWM, &any_number, sizeof any_number));
    MCO_TRY(set(c, ZMQ_IPV6, &yes, sizeof yes));
    MCO_TRY(set(c, ZMQ_CURVE_SECRETKEY, secret, KEY));
done:
    return st;
}

static mco_channel channel_of(zmq_channel *c)
{
    return (mco_channel){.self = c, .send = send_bytes, .receive = receive_bytes, .close = close_channel};
}

mco_status mco_zmq_listen(mco_context *ctx, int64_t port, const char *key_file, mco_channel *out)
{
    mco_status st = MCO_OK;
    static const int yes = 1;
    zmq_channel *c = NULL;
    char public_key[KEY + 1], secret[KEY + 1], address[48];
    MCO_TRY(read_key(ctx, key_file, true, public_key, secret));
    MCO_TRY(open_channel(ctx, ZMQ_ROUTER, public_key, secret, &c));
    c->gate = zmq_socket(c->library, ZMQ_REP);
    if (c->gate == NULL || zmq_bind(c->gate, "inproc://zeromq.zap.01") != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "ZeroMQ: %s", zmq_strerror(errno)));
    MCO_TRY(set(c, ZMQ_CURVE_SERVER, &yes, sizeof yes));
    MCO_TRY(set(c, ZMQ_ZAP_DOMAIN, "mco", 3));
    MCO_TRY(set(c, ZMQ_ROUTER_HANDOVER, &yes, sizeof yes));
    snprintf(address, sizeof address, "tcp://*:%lld", (long long)port);
    if (zmq_bind(c->socket, address) != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--listen %lld: %s", (long long)port, zmq_strerror(errno)));
    *out = channel_of(c);
    c = NULL;
done:
    close_channel(ctx, c);
    return st;
}

mco_status mco_zmq_join(mco_context *ctx, const char *address, const char *key_file, mco_channel *out)
{
    mco_status st = MCO_OK;
    zmq_channel *c = NULL;
    char public_key[KEY + 1], secret[KEY + 1], endpoint[300];
    uint64_t id = 0;
    MCO_TRY(read_key(ctx, key_file, false, public_key, secret));
    MCO_TRY(open_channel(ctx, ZMQ_DEALER, public_key, secret, &c));
    if (getrandom(&id, sizeof id, 0) != sizeof id)
        MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "no random number"));
    id |= 0x0101010101010101u;  // ZeroMQ keeps ids that begin with zero for itself
    MCO_TRY(set(c, ZMQ_ROUTING_ID, &id, sizeof id));
    MCO_TRY(set(c, ZMQ_CURVE_PUBLICKEY, public_key, KEY));
    MCO_TRY(set(c, ZMQ_CURVE_SERVERKEY, public_key, KEY));
    snprintf(endpoint, sizeof endpoint, "tcp://%s", address);
    if (zmq_connect(c->socket, endpoint) != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--join is \"%s\", HOST:PORT was expected (%s)", address, zmq_strerror(errno)));
    *out = channel_of(c);
    c = NULL;
done:
    close_channel(ctx, c);
    return st;
}

#endif
