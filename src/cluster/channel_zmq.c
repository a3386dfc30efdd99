// SPDX-License-Identifier: MIT
// ZeroMQ: the coordinator is a ROUTER, a worker a DEALER whose routing id is a random number. Both have the key pair of
// the key file. A handshake of CURVE needs the public key of the coordinator, which never travels and is in no other
// file. So the coordinator hears only those who have the file, and they hear nobody else.
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

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "base/text.h"

enum { KEY = 40, LINGER_MS = 2000 };
enum { BACKLOG = 4096 };  // connections that wait to be accepted: the workers of a coordinator that was killed come together
static const int64_t MOST_BYTES = 1 << 28;  // of a message; whoever sends more is cut off

typedef struct zmq_channel {
    mco_context *ctx;
    void *library, *socket;
    bool is_router;     // of the coordinator: the first part of a message is the peer
    zmq_msg_t message;  // that came last
} zmq_channel;

// ---- Keys

// Makes the file, all of it at once: a worker may look for it at this moment. It replaces none, where the file system has links. False: it
// could not, or another one has.
static bool make_key(const char *path, char public_key[KEY + 1], char secret[KEY + 1])
{
    char draft[PATH_MAX];
    const int length = snprintf(draft, sizeof draft, "%s.%ld", path, (long)getpid());
    const int made = length > 0 && (size_t)length < sizeof draft ? open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (made < 0)
        return false;
    bool is_written = zmq_curve_keypair(public_key, secret) == 0 && write(made, secret, KEY) == KEY && write(made, "\n", 1) == 1;
    is_written &= close(made) == 0;
    const bool is_made = is_written && (link(draft, path) == 0 || (errno != EEXIST && rename(draft, path) == 0));
    unlink(draft);
    return is_made;
}

static mco_status read_key(mco_context *ctx, const char *path, bool may_create, char public_key[KEY + 1], char secret[KEY + 1])
{
    mco_status st = MCO_OK;
    FILE *file = NULL;
    struct stat facts;
    int last;
    if (path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--key F is missing: the file of the key that coordinator and workers share");
    if (!zmq_has("curve"))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "this libzmq has no CURVE");
    if (may_create && access(path, F_OK) != 0 && make_key(path, public_key, secret)) {
        mco_log(ctx, MCO_LOG_INFO, "key: made %s; give it to the workers, and to nobody else", path);
        return MCO_OK;
    }
    const int why_none = errno;
    file = fopen(path, "re");
    if (file == NULL)
        return mco_fail(ctx, MCO_ERR_IO, "%s: %s%s", path, may_create ? "no key can be made: " : "",
                        strerror(may_create && errno == ENOENT ? why_none : errno));
    if (fstat(fileno(file), &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        mco_log(ctx, MCO_LOG_WARNING, "%s: others may read the key; chmod 600 keeps it for its owner", path);
    secret[0] = '\0';
    if (fscanf(file, "%40s", secret) != 1 || strlen(secret) != KEY || !(isspace(last = fgetc(file)) || last == EOF) ||
        zmq_curve_public(public_key, secret) != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_PARSE, "%s: no key of %d characters", path, KEY));
done:
    fclose(file);
    return st;
}

// ---- Sending and receiving

static mco_status send_bytes(void *self, uint64_t peer, const uint8_t *data, int64_t size)
{
    zmq_channel *c = self;
    if (c->is_router && zmq_send(c->socket, &peer, sizeof peer, ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0)
        return MCO_OK;  // nobody is there under this address, or too much waits for it
    zmq_send(c->socket, data, (size_t)size, ZMQ_DONTWAIT);
    return MCO_OK;
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
    if (c->is_router) {
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
        zmq_pollitem_t item = {.socket = c->socket, .events = ZMQ_POLLIN};
        zmq_poll(&item, 1, (long)(wait_s * 1e3));
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

static mco_status open_channel(mco_context *ctx, bool is_router, const char *secret, zmq_channel **out)
{
    mco_status st = MCO_OK;
    static const int linger = LINGER_MS, any_number = 0, yes = 1;
    zmq_channel *c = NULL;
    MCO_TRY(mco_alloc(ctx, &c, 1));
    *c = (zmq_channel){.ctx = ctx, .is_router = is_router};
    *out = c;
    zmq_msg_init(&c->message);
    c->library = zmq_ctx_new();
    c->socket = c->library != NULL ? zmq_socket(c->library, is_router ? ZMQ_ROUTER : ZMQ_DEALER) : NULL;
    if (c->socket == NULL)
        return mco_fail(ctx, MCO_ERR_MEMORY, "ZeroMQ: %s", zmq_strerror(errno));
    MCO_TRY(set(c, ZMQ_LINGER, &linger, sizeof linger));
    MCO_TRY(set(c, ZMQ_SNDHWM, &any_number, sizeof any_number));
    MCO_TRY(set(c, ZMQ_RCVHWM, &any_number, sizeof any_number));
    MCO_TRY(set(c, ZMQ_MAXMSGSIZE, &MOST_BYTES, sizeof MOST_BYTES));
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
    static const int yes = 1, backlog = BACKLOG;
    zmq_channel *c = NULL;
    char public_key[KEY + 1], secret[KEY + 1], address[48];
    MCO_TRY(read_key(ctx, key_file, true, public_key, secret));
    MCO_TRY(open_channel(ctx, true, secret, &c));
    MCO_TRY(set(c, ZMQ_CURVE_SERVER, &yes, sizeof yes));
    MCO_TRY(set(c, ZMQ_ROUTER_HANDOVER, &yes, sizeof yes));
    MCO_TRY(set(c, ZMQ_BACKLOG, &backlog, sizeof backlog));
    snprintf(address, sizeof address, "tcp://*:%lld", (long long)port);
    if (zmq_bind(c->socket, address) != 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--listen %lld: %s", (long long)port, zmq_strerror(errno)));
    *out = channel_of(c);
    c = NULL;
done:
    close_channel(ctx, c);
    return st;
}

// Whether a port stands behind a host. ZeroMQ takes any number, and waits for ever.
static bool has_port(const char *address)
{
    int64_t port;
    const char *colon = strrchr(address, ':');
    return colon != NULL && colon > address && mco_parse_integer(colon + 1, 1, UINT16_MAX, &port);
}

mco_status mco_zmq_join(mco_context *ctx, const char *address, const char *key_file, mco_channel *out)
{
    mco_status st = MCO_OK;
    zmq_channel *c = NULL;
    char public_key[KEY + 1], secret[KEY + 1], endpoint[300];
    uint64_t id = 0;
    if (!has_port(address))
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "--join is \"%s\", HOST:PORT was expected, with a port from 1 to %d", address, UINT16_MAX));
    MCO_TRY(read_key(ctx, key_file, false, public_key, secret));
    MCO_TRY(open_channel(ctx, false, secret, &c));
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
