// SPDX-License-Identifier: MIT
// A coordinator among those who mean it ill or have failed: messages that make no sense, over a channel of the test and over ZeroMQ, peers that
// break the protocol, connections without the key, ranks that are gone. It goes on, and the counts of those who work are exact.
#include "test_support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "flowshop/cluster/cluster.h"
#include "flowshop/cluster/message.h"
#include "flowshop/instance.h"
#include "mco/mco.h"

static const double LIMIT_S = 60;  // of a search here: far above what it needs

static mco_flowshop_params params_of(int64_t upper_bound, double limit_s)
{
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    p.engine = MCO_ENGINE_CPU;
    p.threads = 1;
    p.upper_bound = upper_bound;
    p.time_limit_s = limit_s;
    return p;
}

// ---- Messages that make no sense

enum { BAD_MESSAGES = 12, MOST_BAD = 400 };

// Fills `out` with a report of an instance of so many jobs that is right, but for the incarnation.
static int64_t put_report(int32_t jobs, uint8_t *out)
{
    flowshop_message m = {.kind = FLOWSHOP_REPORT, .life = 5, .incarnation = 1, .number = 1, .open.jobs = jobs};
    flowshop_bytes bytes = {0};
    flowshop_interval v = {0};
    assert_ok(flowshop_interval_create(test_ctx, jobs, &v));
    v.a_depth = v.b_depth = 2;
    v.b[0] = 3;
    assert_ok(flowshop_intervals_add(test_ctx, &m.open, &v));
    assert_ok(flowshop_message_reserve(test_ctx, &m, 2));
    m.values[m.count++] = 1;
    m.values[m.count++] = 1000;
    assert_ok(flowshop_message_encode(test_ctx, &m, &bytes));
    assert_true(bytes.count < MOST_BAD);
    const int64_t count = bytes.count;
    memcpy(out, bytes.data, (size_t)count);
    mco_free(test_ctx, &bytes.data);
    flowshop_interval_destroy(test_ctx, &v);
    flowshop_message_clear(test_ctx, &m);
    return count;
}

// The k-th of them; its size. Begins of messages: protocol 1, kind, life, incarnation, slot, number.
static int64_t put_bad(int k, int32_t jobs, mco_rng *rng, uint8_t *out)
{
    static const uint8_t HUGE_NUMBER[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 1};
    int64_t size = put_report(jobs, out);
    switch (k) {
    case 0: return 0;
    case 1: out[0] = 2; return size;                                // another protocol
    case 2: out[1] = FLOWSHOP_MESSAGE_KINDS; return size;           // no kind
    case 3: return 1 + mco_rng_below(rng, (uint32_t)size - 1);      // cut
    case 4: out[size] = 0; return size + 1;                         // too long
    case 5: memset(out, 255, MOST_BAD); return MOST_BAD;            // a number without an end
    case 6: memcpy(out + 8, HUGE_NUMBER, sizeof HUGE_NUMBER); return 8 + (int64_t)sizeof HUGE_NUMBER;  // as many values
    case 7: memcpy(out + 6, HUGE_NUMBER, sizeof HUGE_NUMBER); return size > 16 ? size : 16;            // as many leaves
    case 8: out[size - 2] = (uint8_t)jobs + 1; return size;         // a path that is no path
    case 9: out[1] = FLOWSHOP_WELCOME; return size;
    case 10: out[1] = FLOWSHOP_FOUND; return size;
    default:
        size = 2 + mco_rng_below(rng, MOST_BAD - 2);
        for (int64_t i = 1; i < size; i++)
            out[i] = (uint8_t)mco_rng_below(rng, 256);
        return size;
    }
}

static void test_decode(void **state)
{
    (void)state;
    mco_rng rng;
    uint8_t data[MOST_BAD + 16];
    flowshop_message m;
    mco_rng_seed(&rng, 25, 0);
    flowshop_message_begin(20, &m);
    assert_ok(flowshop_message_decode(test_ctx, data, put_report(20, data), &m));
    for (int k = 0; k < 100 * BAD_MESSAGES; k++) {
        const int64_t size = put_bad(k % BAD_MESSAGES, 20, &rng, data);
        assert_int_equal(flowshop_message_decode(test_ctx, data, size, &m), MCO_ERR_PARSE);
    }
    // A message of a few bytes takes no memory for what it claims.
    assert_true(m.room <= 2 * 21 * flowshop_children_columns(20) + 64);
    flowshop_message_clear(test_ctx, &m);
}

// ---- A channel of the test: `say` fills the next message, or returns -1

typedef struct stage {
    int64_t (*say)(struct stage *s, uint64_t *peer, uint8_t *out);
    mco_rng rng;
    int64_t said, heard, later;
    uint8_t data[MOST_BAD + 16];
} stage;

static mco_status stage_send(void *self, uint64_t peer, const uint8_t *data, int64_t size)
{
    (void)peer;
    ((stage *)self)->heard++;
    ((stage *)self)->later += size == 1 && data[0] == FLOWSHOP_LATER;
    return MCO_OK;
}

static void nap(double seconds)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))}, NULL);
}

static mco_status stage_receive(void *self, double wait_s, uint64_t *peer, const uint8_t **data, int64_t *size)
{
    stage *s = self;
    *size = s->say(s, peer, s->data);
    *data = s->data;
    if (*size < 0)
        nap(wait_s);
    return MCO_OK;
}

static int64_t say_nothing(stage *s, uint64_t *peer, uint8_t *out)
{
    (void)s, (void)peer, (void)out;
    return -1;
}

static int64_t say_nonsense(stage *s, uint64_t *peer, uint8_t *out)
{
    *peer = 1 + mco_rng_below(&s->rng, 3);
    return put_bad((int)(s->said++ % BAD_MESSAGES), 20, &s->rng, out);
}

// Two ranks leave, each says so again and again.
static int64_t say_last_words(stage *s, uint64_t *peer, uint8_t *out)
{
    *peer = 1 + (uint64_t)(s->said++ / 5 % 2);
    out[0] = 0;
    return s->said % 3 == 0 ? -1 : 1;
}

// A coordinator on that stage. Its search ends within the limit, with all of the tree left.
static mco_status coordinate(stage *s, int64_t ranks, double alone_s, double limit_s, flowshop_crew *crew, mco_flowshop_result *result)
{
    mco_flowshop *shop = NULL;
    const double begin_s = mco_clock_s();
    const mco_flowshop_params p = params_of(2178, limit_s);
    *result = (mco_flowshop_result)MCO_FLOWSHOP_RESULT_INIT;
    mco_rng_seed(&s->rng, 7, 0);
    const flowshop_station station = {.channel = {.self = s, .send = stage_send, .receive = stage_receive}, .silence_s = 15, .crew = crew,
                                      .ranks = ranks, .alone_s = alone_s};
    assert_ok(mco_flowshop_taillard(test_ctx, "ta030", &shop));
    const mco_status st = flowshop_solve_at(test_ctx, shop, &p, &station, result);
    assert_true(mco_clock_s() - begin_s < LIMIT_S);
    mco_flowshop_destroy(test_ctx, &shop);
    return st;
}

static void test_nonsense(void **state)
{
    (void)state;
    stage s = {.say = say_nonsense};
    flowshop_crew crew = {0};
    mco_flowshop_result r;
    assert_ok(coordinate(&s, 0, 0, 0.3, &crew, &r));
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_int_equal(r.nodes, 0);
    assert_int_equal(crew.workers, 0);
    assert_true(s.said > 1000);
    mco_flowshop_result_clear(test_ctx, &r);
}

// Nobody can join any more: the search says so. Where anybody may join it waits for its limit.
static void test_alone(void **state)
{
    (void)state;
    stage s = {.say = say_nothing};
    flowshop_crew crew = {0};
    mco_flowshop_result r;
    assert_ok(coordinate(&s, 2, 0.2, LIMIT_S, &crew, &r));
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    assert_true(crew.is_deserted && !crew.have_all_left);
    mco_flowshop_result_clear(test_ctx, &r);
    assert_ok(coordinate(&s, 0, 0.2, 0.5, &crew, &r));
    assert_int_equal(r.stop, MCO_STOP_TIME);
    mco_flowshop_result_clear(test_ctx, &r);
}

static void test_all_left(void **state)
{
    (void)state;
    stage s = {.say = say_last_words};
    flowshop_crew crew = {0};
    mco_flowshop_result r;
    assert_ok(coordinate(&s, 2, 50, LIMIT_S, &crew, &r));
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    assert_true(crew.have_all_left && !crew.is_deserted);
    assert_true(s.later > 0);
    mco_flowshop_result_clear(test_ctx, &r);
}

#ifdef MCO_HAVE_ZMQ
#include <zmq.h>

// ---- Over ZeroMQ: a coordinator and later a worker in threads of their own, and this thread against them

static const int64_t NODES = 2415746, LEAVES = 32;  // of ta030 at 2178
enum { KEY = 40 };

typedef struct other {
    pthread_t thread;
    mco_context *ctx;
    mco_channel channel;
    mco_flowshop *shop;
    mco_flowshop_result result;
    flowshop_crew crew;
    mco_status st;
} other;

static void *run_coordinator(void *user)
{
    other *o = user;
    const mco_flowshop_params p = params_of(2178, LIMIT_S);
    const flowshop_station station = {.channel = o->channel, .silence_s = 2, .crew = &o->crew};
    o->st = flowshop_solve_at(o->ctx, o->shop, &p, &station, &o->result);
    o->channel.close(o->ctx, o->channel.self);
    return NULL;
}

static void *run_worker(void *user)
{
    other *o = user;
    flowshop_work_done done;
    flowshop_work_order order = {.params = params_of(-1, LIMIT_S), .period_s = 0.05, .silence_s = 5, .patience_s = 20};
    o->st = flowshop_work(o->ctx, &order, &o->channel, &done);
    o->channel.close(o->ctx, o->channel.self);
    return NULL;
}

static int64_t listen_somewhere(other *o, const char *key_file)
{
    const int64_t first = 20000 + getpid() % 20000;
    mco_status st = MCO_ERR_ARGUMENT;
    int64_t port = first;
    for (; port < first + 50 && (st = mco_zmq_listen(o->ctx, port, key_file, &o->channel)) != MCO_OK; port++)
        ;
    assert_int_equal(st, MCO_OK);
    return port;
}

// Opens a socket as a worker's, with an id of so many bytes.
static void *open_socket(void *library, int64_t port, const char *key_file, size_t id_size)
{
    char secret[KEY + 1] = "", public_key[KEY + 1], address[64];
    const int none = 0, soon_ms = 5000;
    FILE *file = fopen(key_file, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%40s", secret), 1);
    fclose(file);
    void *socket = zmq_socket(library, ZMQ_DEALER);
    assert_int_equal(zmq_curve_public(public_key, secret), 0);
    zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &soon_ms, sizeof soon_ms);
    zmq_setsockopt(socket, ZMQ_ROUTING_ID, "hostile!hostile!", id_size);
    zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret, KEY);
    zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, public_key, KEY);
    zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, public_key, KEY);
    snprintf(address, sizeof address, "tcp://127.0.0.1:%lld", (long long)port);
    assert_int_equal(zmq_connect(socket, address), 0);
    return socket;
}

static void say(void *socket, const flowshop_message *m)
{
    flowshop_bytes bytes = {0};
    assert_ok(flowshop_message_encode(test_ctx, m, &bytes));
    assert_true(zmq_send(socket, bytes.data, (size_t)bytes.count, 0) >= 0);
    mco_free(test_ctx, &bytes.data);
}

// Waits for an answer of this kind, which must come.
static void hear(void *socket, flowshop_message_kind kind, flowshop_message *m)
{
    const double end_s = mco_clock_s() + LIMIT_S / 4;
    do {
        zmq_msg_t bytes;
        zmq_msg_init(&bytes);
        assert_true(zmq_msg_recv(&bytes, socket, 0) >= 0 && mco_clock_s() < end_s);
        assert_ok(flowshop_message_decode(test_ctx, zmq_msg_data(&bytes), (int64_t)zmq_msg_size(&bytes), m));
        zmq_msg_close(&bytes);
    } while (m->kind != kind);
}

// Joins, so that it has the whole tree.
static void join(void *socket, flowshop_message *m)
{
    const flowshop_message hello = {.kind = FLOWSHOP_HELLO, .build = flowshop_cluster_build(), .power = 1};
    for (int i = 0; i < 100; i++)
        say(socket, &hello);  // they are one
    hear(socket, FLOWSHOP_WORK, m);
    assert_int_equal(m->open.count, 1);
}

// Each breach of a member costs it its incarnation.
static void break_rules(void *socket, int32_t jobs)
{
    flowshop_message in, stranger = {.kind = FLOWSHOP_HELLO, .build = 1, .power = 1};
    int64_t values[64] = {0};
    flowshop_message_begin(jobs, &in);
    say(socket, &stranger);
    hear(socket, FLOWSHOP_REFUSE, &in);
    stranger = (flowshop_message){.kind = FLOWSHOP_REPORT, .life = 1, .incarnation = 1, .slot = INT64_MAX, .number = 1, .open.jobs = jobs};
    say(socket, &stranger);
    hear(socket, FLOWSHOP_GONE, &in);
    for (int breach = 0; breach < 5; breach++) {
        join(socket, &in);
        flowshop_message m = {.life = in.life, .incarnation = in.incarnation, .slot = in.slot, .number = breach == 0 ? 7 : 1, .open.jobs = jobs,
                              .values = values};
        m.kind = breach == 0 ? FLOWSHOP_REPORT : breach == 1 ? FLOWSHOP_GAVE : breach == 2 ? FLOWSHOP_FOUND : breach == 3 ? FLOWSHOP_WORK : FLOWSHOP_STOP;
        m.count = breach == 2 ? jobs : 0;  // a schedule that has the first job alone
        if (breach == 1) {                 // two parts of the tree, one in the other
            assert_ok(flowshop_intervals_add(test_ctx, &m.open, &in.open.items[0]));
            assert_ok(flowshop_intervals_add(test_ctx, &m.open, &in.open.items[0]));
        }
        say(socket, &m);
        hear(socket, FLOWSHOP_GONE, &in);
        flowshop_intervals_clear(test_ctx, &m.open);
    }
    flowshop_message_clear(test_ctx, &in);
}

static void send_nonsense(void *socket, mco_rng *rng)
{
    uint8_t data[MOST_BAD + 16];
    for (int k = 0; k < 20 * BAD_MESSAGES; k++) {
        const int64_t size = put_bad(k % BAD_MESSAGES, 20, rng, data);
        assert_true(zmq_send(socket, data, (size_t)size, k % 7 == 3 ? ZMQ_SNDMORE : 0) >= 0);  // some have several parts
    }
    assert_true(zmq_send(socket, data, 3, 0) >= 0);
}

// Connections of somebody without the key: they say nothing, nonsense, or a part of the greeting of ZeroMQ.
static void knock(int64_t port, int count, int *sockets)
{
    static const uint8_t GREETING[64] = {255, 0, 0, 0, 0, 0, 0, 0, 1, 127, 3, 0, 'C', 'U', 'R', 'V', 'E'};
    const struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < count; i++) {
        sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(sockets[i] >= 0 && connect(sockets[i], (const struct sockaddr *)&to, sizeof to) == 0);
        if (i % 4 == 1)
            (void)!send(sockets[i], "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL);
        if (i % 4 >= 2)
            (void)!send(sockets[i], GREETING, i % 4 == 2 ? 11 : 64, MSG_NOSIGNAL);
        if (i % 2 == 1)
            shutdown(sockets[i], SHUT_WR);
    }
}

static void begin(other *o, void *(*run)(void *))
{
    assert_int_equal(pthread_create(&o->thread, NULL, run, o), 0);
}

static void test_zmq(void **state)
{
    (void)state;
    enum { CALLERS = 60 };
    const char *const key_file = test_path("hostile.key");
    char key[PATH_MAX];
    other host = {.result = MCO_FLOWSHOP_RESULT_INIT}, worker = {0};
    int callers[CALLERS];
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    snprintf(key, sizeof key, "%s", key_file);
    assert_int_equal(mco_context_create(&host.ctx, NULL), MCO_OK);
    assert_int_equal(mco_context_create(&worker.ctx, NULL), MCO_OK);
    assert_ok(mco_flowshop_taillard(test_ctx, "ta030", &host.shop));
    const int64_t port = listen_somewhere(&host, key);
    begin(&host, run_coordinator);
    void *library = zmq_ctx_new();
    knock(port, CALLERS, callers);
    void *hostile = open_socket(library, port, key, 8), *odd = open_socket(library, port, key, 5);
    send_nonsense(hostile, &rng);
    send_nonsense(odd, &rng);
    break_rules(hostile, 20);
    flowshop_message in;
    flowshop_message_begin(20, &in);
    join(hostile, &in);  // and falls silent with all work, until it is given up
    flowshop_message_clear(test_ctx, &in);
    char address[32];
    snprintf(address, sizeof address, "localhost:%lld", (long long)port);
    assert_int_equal(mco_zmq_join(worker.ctx, address, key, &worker.channel), MCO_OK);
    begin(&worker, run_worker);
    send_nonsense(hostile, &rng);
    pthread_join(host.thread, NULL);
    pthread_join(worker.thread, NULL);
    assert_int_equal(host.st, MCO_OK);
    assert_int_equal(worker.st, MCO_OK);
    assert_int_equal(host.result.nodes, NODES);
    assert_int_equal(host.result.leaves, LEAVES);
    assert_int_equal(host.result.outcome, MCO_OUTCOME_NONE_BELOW);
    assert_true(host.crew.lost >= 6);
    for (int i = 0; i < CALLERS; i++)
        close(callers[i]);
    zmq_close(hostile);
    zmq_close(odd);
    zmq_ctx_term(library);
    mco_flowshop_result_clear(host.ctx, &host.result);
    mco_flowshop_destroy(test_ctx, &host.shop);
    mco_context_destroy(&host.ctx);
    mco_context_destroy(&worker.ctx);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_decode), TEST(test_nonsense), TEST(test_alone), TEST(test_all_left),
#ifdef MCO_HAVE_ZMQ
        TEST(test_zmq),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
