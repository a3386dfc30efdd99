// SPDX-License-Identifier: MIT
// Takes any bytes as a state. If the first byte is '#', the other bytes get their length and their checksum, so that what is behind
// these is reached. What is accepted must be refused or taken by a network without harm, and an assignment that begins with it must
// reach the gap of a cold one. An input that begins with '!' is a file: mco_traffic_state_read() takes the rest, compressed or not.
#include "traffic_target.h"

#include "traffic/files/state_file.h"

enum { LENGTH_AT = 16, WORD = 8 };  // where the header has the length

// Two zones, joined by two ways; a turn at the node between them.
static mco_traffic *make_network(mco_context *ctx)
{
    const int32_t tail[] = {0, 0, 2, 1}, head[] = {1, 2, 1, 0};
    const double ones[] = {1, 1, 1, 1}, amount[] = {2, 3};
    int64_t first[] = {0, 1, 2};
    int32_t to[] = {1, 0};
    const mco_traffic_turn turn = {1, 2, 1};
    const mco_traffic_network net = {.nodes = 3, .zones = 2, .links = 4, .tail = tail, .head = head, .capacity = ones, .free_time = ones,
                                     .b = ones, .power = ones, .turns = &turn, .turn_count = 1};
    const mco_traffic_class trips = {.first = first, .to = to, .amount = (double *)(uintptr_t)amount, .toll_factor = -1,
                                     .distance_factor = -1, .car_equivalent = 1};
    mco_traffic *traffic = NULL;
    require(mco_traffic_create(ctx, "network", &net, 1, &trips, &traffic) == MCO_OK);
    return traffic;
}

// A state of other zones or classes is refused; any other one leads to the equilibrium.
static void assign(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state)
{
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    const mco_traffic_start start = {.state = state};
    mco_traffic_result result = MCO_TRAFFIC_RESULT_INIT;
    params.method = MCO_TRAFFIC_METHOD_PAIRS;
    params.gap = 1e-6;
    params.threads = 1;
    if (mco_traffic_assign(ctx, traffic, &params, &start, &result) == MCO_OK)
        require(result.outcome == MCO_OUTCOME_OPTIMAL && result.gap <= 1e-6);
    mco_traffic_result_clear(ctx, &result);
}

static void take(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state)
{
    const mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    traffic_problem p = {0};
    traffic_flows flows = {0};
    traffic_pairs pairs = {0};
    double matrix[4], share[4];
    require(traffic_problem_make(ctx, traffic, &params, &p) == MCO_OK);
    if (traffic_state_take(ctx, &p, state, &flows, &pairs) == MCO_OK) {
        for (int64_t i = 0; i < flows.first[flows.rows]; i++)
            require(flows.link[i] >= 0 && flows.link[i] < p.links && flows.flow[i] > 0);
        for (int64_t i = 0; i < pairs.first[2 * pairs.count]; i++)
            require(pairs.link[i] >= 0 && pairs.link[i] < p.links);
    }
    assign(ctx, traffic, state);
    mco_traffic_select_link(ctx, traffic, state, 0, 1, matrix, share);
    traffic_plan plan = {0};
    if (traffic_state_take_plan(ctx, &p, state, &plan) == MCO_OK && plan.order != NULL)
        for (int64_t i = 0; i < (int64_t)plan.batches * plan.places; i++)
            require(plan.order[i] >= p.first_through && plan.order[i] < p.nodes);
    mco_free(ctx, &plan.row);
    traffic_flows_clear(ctx, &flows);
    traffic_pairs_clear(ctx, &pairs);
    traffic_problem_clear(ctx, &p);
}

static mco_status read_file(mco_context *ctx, const mco_traffic *traffic, const uint8_t *data, size_t size, mco_traffic_state **state)
{
    const char *path = fuzz_file(0, "state.mcot", data, size);
    const mco_status st = mco_traffic_state_read(ctx, traffic, path, state);
    fuzz_remove(path);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_traffic_state *state = NULL;
    char *copy = calloc(1, size + WORD);
    if (copy == NULL || size == 0 || mco_context_create(&ctx, NULL) != MCO_OK) {
        free(copy);
        return 0;
    }
    mco_traffic *traffic = make_network(ctx);
    int64_t bytes = (int64_t)size;
    memcpy(copy, data, size);
    if (data[0] == '#') {
        bytes = (int64_t)(size - 1) / WORD * WORD + WORD;
        memmove(copy, data + 1, (size_t)bytes - WORD);
        if (bytes > LENGTH_AT + WORD)
            memcpy(copy + LENGTH_AT, &bytes, sizeof bytes);
        const uint64_t sum = traffic_state_checksum(copy, bytes - WORD);
        memcpy(copy + bytes - WORD, &sum, sizeof sum);
    }
    const mco_status st = data[0] == '!' ? read_file(ctx, traffic, data + 1, size - 1, &state)
                                         : traffic_state_parse(ctx, "input", copy, bytes, &state);
    require((st == MCO_OK) == (state != NULL));
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    if (state != NULL)
        take(ctx, traffic, state);
    mco_traffic_state_clear(ctx, &state);
    mco_traffic_destroy(ctx, &traffic);
    mco_context_destroy(&ctx);
    free(copy);
    return 0;
}
