// SPDX-License-Identifier: MIT
// Rounds over routes on a GPU, a block for each query: kernel and launchers. The reference is transit_search_run() (raptor.c), which
// gives the same journey, rides and trips included.
//
// A round has four steps: threads take marked stops and mark their routes; threads take marked routes and ride along each; threads
// take targets and lower the best arrival; threads take stops that were reached and walk on from there. Both labels of all stops lie in shared
// memory, where atomic minima lower them; the timetable lies in the L2 cache.
//
// The labels after each round go to device memory. The journey is found backwards from them: the ride to a stop is by the first
// route, in the order of the cores, that brings the label's arrival, and the stop before it is the first from which a change or a
// walk brings the label's moment. Where the cores drop a label that the best arrival rules out, this search may keep it or the other way
// round, because the order of routes differs: such a label is no earlier than the final best arrival of its round, so nothing follows from it.
#include "paths/transit/cuda.h"
#include "device/kernel.cuh"

namespace {

using namespace mco;

constexpr int32_t NEVER = TRANSIT_GPU_NEVER, UNMARKED = 0x7fffffff;
constexpr unsigned int NO_PLACE = 0xffffffffu;
constexpr int BOARDING = 1, LEAVING = 2;  // bits of d_use

struct round_state {
    int ask;
    int list_count;
    int best[TRANSIT_GPU_RIDES + 1];  // earliest arrival at the target with at most k rides
    unsigned int place;               // of the search backwards: the first place, over all routes, that brings a label
    int from;                         // and the first stop
    int stop;
};

struct round_memory {
    round_state *state;
    int32_t *ride, *ready;     // [stops]
    int32_t *route_from;       // [routes] first place to scan; UNMARKED
    int32_t *list;             // [routes] marked routes
    uint32_t *marked, *ridden; // [words]
    int words;
};

// What is left of a round in device memory.
struct row {
    int32_t *ready, *ride;
    uint32_t *marked, *ridden;
};

template <class T> DEVICE T read_now(const T *word) { return *const_cast<const volatile T *>(word); }

DEVICE bool has_bit(const uint32_t *set, int at) { return (set[at / 32] >> (at % 32) & 1u) != 0; }

DEVICE round_memory divide_memory(const transit_rounds_plan &plan)
{
    round_memory m;
    m.words = (plan.stops + 31) / 32;
    m.state = dynamic_shared<round_state>();
    m.ride = reinterpret_cast<int32_t *>(m.state + 1);
    m.ready = m.ride + plan.stops;
    m.route_from = m.ready + plan.stops;
    m.list = m.route_from + plan.routes;
    m.marked = reinterpret_cast<uint32_t *>(m.list + plan.routes);
    m.ridden = m.marked + m.words;
    return m;
}

DEVICE row row_of(const transit_rounds_plan &plan, const round_memory &m, int k)
{
    const size_t at = (size_t)blockIdx.x * (plan.max_rides + 1) + k;
    row r;
    r.ready = plan.d_row + at * 2 * plan.stops;
    r.ride = r.ready + plan.stops;
    r.marked = plan.d_bits + at * 2 * m.words;
    r.ridden = r.marked + m.words;
    return r;
}

DEVICE int walk_seconds(const transit_rounds_plan &plan, int cm) { return (int)ceil(cm / plan.cm_a_second); }

DEVICE const transit_gpu_end *ends_of(const transit_rounds_plan &plan, int ask, int side)
{
    return plan.d_end + (2 * (size_t)ask + side) * plan.stops;
}

DEVICE void clear_bits(uint32_t *set, int words)
{
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        set[i] = 0;
}

DEVICE void take_ready(const round_memory &m, int best, int stop, int moment)
{
    if (moment >= best || moment >= read_now(&m.ready[stop]))
        return;
    if (moment < atomicMin(&m.ready[stop], moment))
        atomicOr(&m.marked[stop / 32], 1u << (stop % 32));
}

DEVICE void save_row(const transit_rounds_plan &plan, const round_memory &m, int k)
{
    const row r = row_of(plan, m, k);
    for (int i = threadIdx.x; i < plan.stops; i += blockDim.x) {
        r.ready[i] = m.ready[i];
        r.ride[i] = m.ride[i];
    }
    for (int i = threadIdx.x; i < m.words; i += blockDim.x) {
        r.marked[i] = m.marked[i];
        r.ridden[i] = m.ridden[i];
    }
}

// Round 0: the walk to the target, and walks to the first stops.
DEVICE void begin(const transit_rounds_plan &plan, const round_memory &m, const transit_gpu_ask &ask)
{
    for (int i = threadIdx.x; i < plan.stops; i += blockDim.x)
        m.ride[i] = m.ready[i] = NEVER;
    clear_bits(m.marked, m.words);
    clear_bits(m.ridden, m.words);
    if (threadIdx.x == 0) {
        const int direct_s = ask.direct_cm >= 0 ? walk_seconds(plan, ask.direct_cm) : NEVER;
        m.state->best[0] = direct_s < NEVER - ask.depart_s ? ask.depart_s + direct_s : NEVER;
    }
    __syncthreads();
    const transit_gpu_end *start = ends_of(plan, m.state->ask, 0);
    for (int i = threadIdx.x; i < ask.end_count[0]; i += blockDim.x)
        take_ready(m, m.state->best[0], start[i].stop, ask.depart_s + walk_seconds(plan, start[i].cm));
    __syncthreads();
    save_row(plan, m, 0);
}

// Lists the routes that leave marked stops, each with its first such place.
DEVICE void mark_routes(const transit_rounds_plan &plan, const round_memory &m)
{
    for (int stop = threadIdx.x; stop < plan.stops; stop += blockDim.x) {
        if (!has_bit(m.marked, stop))
            continue;
        for (int i = plan.d_serve_first[stop]; i < plan.d_serve_first[stop + 1]; i++) {
            const int route = plan.d_serve_route[i], place = plan.d_serve_place[i];
            if ((plan.d_use[plan.d_first[route] + place] & BOARDING) == 0)
                continue;
            if (atomicMin(&m.route_from[route], place) == UNMARKED)
                m.list[atomicAdd(&m.state->list_count, 1)] = route;
        }
    }
}

// The first of trips [before] that leaves at `ready` or later; `before` if there is none.
DEVICE int first_trip(const int32_t *depart, int before, int ready)
{
    int low = 0, high = before;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (depart[middle] >= ready)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// A ride along a route: always by the earliest trip that could be boarded so far.
struct trip_at {
    int trip;   // in the route; that many as it has: none
    int board;  // its place
};

DEVICE void board(const int32_t *depart, bool may_board, int ready, int place, trip_at *on)
{
    if (!may_board)
        return;
    const int earlier = first_trip(depart, on->trip, ready);
    if (earlier < on->trip) {
        on->trip = earlier;
        on->board = place;
    }
}

DEVICE void scan_route(const transit_rounds_plan &plan, const round_memory &m, int best, int route)
{
    const int first = plan.d_first[route], places = plan.d_first[route + 1] - first;
    const int trips = plan.d_trip_first[route + 1] - plan.d_trip_first[route];
    const int32_t *arrive = plan.d_arrive + plan.d_time_first[route], *depart = plan.d_depart + plan.d_time_first[route];
    trip_at on = {trips, 0};
    for (int p = m.route_from[route]; p < places; p++) {
        const int stop = plan.d_route_stop[first + p], use = plan.d_use[first + p];
        if (on.trip < trips && (use & LEAVING) != 0) {
            const int moment = arrive[p * trips + on.trip];
            if (moment < best && moment < read_now(&m.ride[stop]) && moment < atomicMin(&m.ride[stop], moment))
                atomicOr(&m.ridden[stop / 32], 1u << (stop % 32));
        }
        board(depart + p * trips, (use & BOARDING) != 0 && has_bit(m.marked, stop), m.ready[stop], p, &on);
    }
}

// Lowers the best arrival by the stops near the target that this round has reached.
DEVICE void reach_target(const transit_rounds_plan &plan, const round_memory &m, const transit_gpu_ask &ask, int k)
{
    const transit_gpu_end *target = ends_of(plan, m.state->ask, 1);
    for (int i = threadIdx.x; i < ask.end_count[1]; i += blockDim.x)
        if (has_bit(m.ridden, target[i].stop))
            atomicMin(&m.state->best[k], m.ride[target[i].stop] + walk_seconds(plan, target[i].cm));
}

DEVICE void leave_rides(const transit_rounds_plan &plan, const round_memory &m, int best)
{
    for (int stop = threadIdx.x; stop < plan.stops; stop += blockDim.x) {
        const int ride = m.ride[stop];
        if (!has_bit(m.ridden, stop) || ride >= best)
            continue;
        if (plan.d_change[stop] < NEVER)
            take_ready(m, best, stop, ride + plan.d_change[stop]);
        for (int i = plan.d_walk_first[stop]; i < plan.d_walk_first[stop + 1]; i++)
            take_ready(m, best, plan.d_walk[i].stop, ride + plan.d_walk[i].seconds);
    }
}

// Rounds until no stop is marked. Returns the last round whose best arrival is known.
DEVICE int run_rounds(const transit_rounds_plan &plan, const round_memory &m, const transit_gpu_ask &ask)
{
    for (int k = 1; k <= plan.max_rides; k++) {
        for (int i = threadIdx.x; i < plan.routes; i += blockDim.x)
            m.route_from[i] = UNMARKED;
        if (threadIdx.x == 0) {
            m.state->list_count = 0;
            m.state->best[k] = m.state->best[k - 1];
        }
        __syncthreads();
        mark_routes(plan, m);
        clear_bits(m.ridden, m.words);
        __syncthreads();
        const int count = m.state->list_count, before = m.state->best[k - 1];
        if (count == 0)
            return k - 1;
        for (int i = threadIdx.x; i < count; i += blockDim.x)
            scan_route(plan, m, before, m.list[i]);
        __syncthreads();
        reach_target(plan, m, ask, k);
        clear_bits(m.marked, m.words);
        __syncthreads();
        leave_rides(plan, m, m.state->best[k]);
        __syncthreads();
        save_row(plan, m, k);
    }
    return plan.max_rides;
}

// ---- The journey, backwards

// The trip that a scan of round k has at a place of a route.
DEVICE trip_at ride_to(const transit_rounds_plan &plan, const row &before, int route, int place)
{
    const int first = plan.d_first[route], trips = plan.d_trip_first[route + 1] - plan.d_trip_first[route];
    const int32_t *depart = plan.d_depart + plan.d_time_first[route];
    trip_at on = {trips, 0};
    for (int p = 0; p < place; p++) {
        const int stop = plan.d_route_stop[first + p];
        board(depart + p * trips, (plan.d_use[first + p] & BOARDING) != 0 && has_bit(before.marked, stop), before.ready[stop], p, &on);
    }
    return on;
}

// Lowers state->place to the first place of a route at which a scan of round k arrives at a stop at `moment`.
DEVICE void find_place(const transit_rounds_plan &plan, const round_memory &m, const row &before, int stop, int moment)
{
    for (int i = plan.d_serve_first[stop] + threadIdx.x; i < plan.d_serve_first[stop + 1]; i += blockDim.x) {
        const int route = plan.d_serve_route[i], place = plan.d_serve_place[i], first = plan.d_first[route];
        const int trips = plan.d_trip_first[route + 1] - plan.d_trip_first[route];
        if ((plan.d_use[first + place] & LEAVING) == 0)
            continue;
        const trip_at on = ride_to(plan, before, route, place);
        if (on.trip < trips && plan.d_arrive[plan.d_time_first[route] + place * trips + on.trip] == moment)
            atomicMin(&m.state->place, (unsigned int)(first + place));
    }
}

// The route that has a place: the last one that begins at it or before it.
DEVICE int route_of(const transit_rounds_plan &plan, int place)
{
    int low = 0, high = plan.routes - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (plan.d_first[middle] <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Finds the ride of round k that ends at state->place, and leaves the stop where it begins in state->stop. One thread.
DEVICE transit_gpu_ride take_ride(const transit_rounds_plan &plan, const round_memory &m, const row &before)
{
    const int at = (int)m.state->place, route = route_of(plan, at), place = at - plan.d_first[route];
    const trip_at on = ride_to(plan, before, route, place);
    transit_gpu_ride ride;
    ride.trip = plan.d_trip_first[route] + on.trip;
    ride.board = (uint16_t)on.board;
    ride.leave = (uint16_t)place;
    m.state->stop = plan.d_route_stop[plan.d_first[route] + on.board];
    return ride;
}

// Lowers state->from to the first stop from which a change or a walk of round k brings the moment of a stop's label.
DEVICE void find_from(const transit_rounds_plan &plan, const round_memory &m, const row &now, int best, int stop)
{
    const int moment = now.ready[stop];
    if (threadIdx.x == 0 && has_bit(now.ridden, stop) && now.ride[stop] < best && plan.d_change[stop] < NEVER &&
        now.ride[stop] + plan.d_change[stop] == moment)
        atomicMin(&m.state->from, stop);
    for (int i = plan.d_back_first[stop] + threadIdx.x; i < plan.d_back_first[stop + 1]; i += blockDim.x) {
        const transit_gpu_walk walk = plan.d_back[i];
        if (has_bit(now.ridden, walk.stop) && now.ride[walk.stop] < best && now.ride[walk.stop] + walk.seconds == moment)
            atomicMin(&m.state->from, walk.stop);
    }
}

// The walk of a query to or from a stop.
DEVICE void find_end(const transit_rounds_plan &plan, int ask, int side, int count, int stop, int32_t *cm)
{
    const transit_gpu_end *end = ends_of(plan, ask, side);
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        if (end[i].stop == stop)
            *cm = end[i].cm;
}

DEVICE void reset_search(const round_memory &m)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        m.state->place = NO_PLACE;
        m.state->from = UNMARKED;
    }
    __syncthreads();
}

// The last ride of a journey: of all stops that bring the best arrival, the first one by its place.
DEVICE void find_last(const transit_rounds_plan &plan, const round_memory &m, const transit_gpu_ask &ask, int k)
{
    const row before = row_of(plan, m, k - 1), now = row_of(plan, m, k);
    const transit_gpu_end *target = ends_of(plan, m.state->ask, 1);
    for (int i = 0; i < ask.end_count[1]; i++) {
        const int stop = target[i].stop;
        if (has_bit(now.ridden, stop) && now.ride[stop] + walk_seconds(plan, target[i].cm) == m.state->best[k])
            find_place(plan, m, before, stop, now.ride[stop]);
    }
}

DEVICE void follow(const transit_rounds_plan &plan, const round_memory &m, const transit_gpu_ask &ask, int rides,
                   transit_gpu_answer *answer)
{
    reset_search(m);
    find_last(plan, m, ask, rides);
    for (int k = rides; k > 0; k--) {
        __syncthreads();
        if (threadIdx.x == 0) {
            answer->ride[k - 1] = take_ride(plan, m, row_of(plan, m, k - 1));
            if (k == rides)
                m.state->from = plan.d_route_stop[m.state->place];
        }
        __syncthreads();
        if (k == rides)
            find_end(plan, m.state->ask, 1, ask.end_count[1], m.state->from, &answer->last_cm);
        if (k == 1)
            break;
        reset_search(m);
        find_from(plan, m, row_of(plan, m, k - 1), m.state->best[k - 1], m.state->stop);
        __syncthreads();
        find_place(plan, m, row_of(plan, m, k - 2), m.state->from, row_of(plan, m, k - 1).ride[m.state->from]);
    }
    find_end(plan, m.state->ask, 0, ask.end_count[0], m.state->stop, &answer->first_cm);
}

DEVICE void take_ask(const transit_rounds_plan &plan, round_state *state)
{
    if (threadIdx.x == 0)
        state->ask = read_now(&plan.d_control->stop) != 0 ? plan.count : (int)atomicAdd(&plan.d_control->next_round, 1u);
}

DEVICE void answer_ask(const transit_rounds_plan &plan, const round_memory &m, const transit_gpu_ask &ask, transit_gpu_answer *answer)
{
    begin(plan, m, ask);
    const int last = run_rounds(plan, m, ask);
    int rides = last;
    while (rides > 0 && m.state->best[rides] == m.state->best[rides - 1])
        rides--;
    if (threadIdx.x == 0) {
        answer->arrive_s = m.state->best[rides];
        answer->rides = rides;
        answer->direct_cm = ask.direct_cm;
    }
    if (rides > 0)
        follow(plan, m, ask, rides, answer);
}

__global__ void rounds(const transit_rounds_plan plan)
{
    const round_memory m = divide_memory(plan);
    for (;;) {
        take_ask(plan, m.state);
        __syncthreads();
        if (m.state->ask >= plan.count)
            break;
        const transit_gpu_ask ask = plan.d_ask[m.state->ask];
        transit_gpu_answer *answer = plan.d_answer + m.state->ask;
        if (threadIdx.x == 0)
            answer->arrive_s = NEVER;
        if (!ask.is_off_map)
            answer_ask(plan, m, ask, answer);
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(&plan.d_control->done, 1u);
    }
}

}  // namespace

size_t transit_rounds_bytes(int32_t stops, int32_t routes)
{
    return sizeof(round_state) + sizeof(int32_t) * 2 * ((size_t)stops + (size_t)routes) + sizeof(uint32_t) * 2 * (((size_t)stops + 31) / 32);
}

cudaError_t transit_rounds_shape(transit_rounds_plan *plan, int multiprocessors)
{
    const size_t bytes = transit_rounds_bytes(plan->stops, plan->routes);
    int fit = 0;
    cudaError_t error = allow_shared(rounds, bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, rounds, plan->threads, bytes);
    if (error == cudaSuccess && fit == 0)
        error = cudaErrorInvalidConfiguration;
    plan->blocks = fit * multiprocessors;
    return error;
}

cudaError_t transit_launch_rounds(const transit_rounds_plan *plan, cudaStream_t stream)
{
    const int32_t blocks = plan->blocks < plan->count ? plan->blocks : plan->count;
    return launch(rounds, (unsigned int)blocks, (unsigned int)plan->threads, transit_rounds_bytes(plan->stops, plan->routes), stream, *plan);
}
