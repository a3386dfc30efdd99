// SPDX-License-Identifier: MIT
// Every initialiser of the public headers, compiled as each version of C and of C++ (headers.sh). It must set the size
// of the struct and the defaults; the rest of a result must be zero.
#include <mco/mco.h>

#define TEST(type, init, is_right)                            \
    do {                                                      \
        type value = init;                                    \
        if (value.struct_size != sizeof value || !(is_right)) \
            return __LINE__;                                  \
    } while (0)

int main(void)
{
    TEST(mco_context_params, MCO_CONTEXT_PARAMS_INIT, value.allocate == NULL && value.log_level == MCO_LOG_INFO);
    TEST(mco_dtspms_neighbourhood_result, MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT, value.moves == 0 && value.counters.tours == 0);
    TEST(mco_dtspms_params, MCO_DTSPMS_PARAMS_INIT, value.stacks == 3 && value.start == NULL);
    TEST(mco_dtspms_result, MCO_DTSPMS_RESULT_INIT, value.cost == 0 && value.history_count == 0);
    TEST(mco_flowshop_params, MCO_FLOWSHOP_PARAMS_INIT, value.seed == 1 && value.time_limit_s > 1e300);
    TEST(mco_flowshop_result, MCO_FLOWSHOP_RESULT_INIT, value.order == NULL && value.heuristic_s == 0);
    TEST(mco_cycles_params, MCO_CYCLES_PARAMS_INIT, value.min_length == 3 && value.through_count == 0);
    TEST(mco_cycles_result, MCO_CYCLES_RESULT_INIT, value.exact == NULL && value.reason[0] == 0);
    TEST(mco_graph_file, MCO_GRAPH_FILE_INIT, value.format == MCO_GRAPH_FORMAT_AUTO && value.direction == MCO_GRAPH_DIRECTION_AUTO);
    TEST(mco_guillotine_params, MCO_GUILLOTINE_PARAMS_INIT, value.kerf == 0 && value.wants_table == 0);
    TEST(mco_multimodal_facts, MCO_MULTIMODAL_FACTS_INIT, value.vertices == 0 && value.arcs == 0);
    TEST(mco_multimodal_params, MCO_MULTIMODAL_PARAMS_INIT, value.engine == MCO_ENGINE_AUTO && value.time_limit_s > 1e300);
    TEST(mco_multimodal_result, MCO_MULTIMODAL_RESULT_INIT, value.done == 0 && value.work.solve_s == 0);
    TEST(mco_multimodal_tree, MCO_MULTIMODAL_TREE_INIT, value.label == NULL && value.work.solve_s == 0);
    TEST(mco_overlay_bound_params, MCO_OVERLAY_BOUND_PARAMS_INIT, value.method == MCO_OVERLAY_METHOD_AUTO && value.std_constant == 0.001);
    TEST(mco_overlay_bound_result, MCO_OVERLAY_BOUND_RESULT_INIT, value.duals == NULL && value.reason[0] == 0);
    TEST(mco_overlay_generation, MCO_OVERLAY_GENERATION_INIT, value.nodes == -1 && value.seed == 1);
    TEST(mco_overlay_live_params, MCO_OVERLAY_LIVE_PARAMS_INIT, value.shakes == 400 && value.seed == 1);
    TEST(mco_overlay_model, MCO_OVERLAY_MODEL_INIT, value.least == -1 && value.links == NULL);
    TEST(mco_overlay_params, MCO_OVERLAY_PARAMS_INIT, value.seed == 1 && value.time_limit_s > 1e300);
    TEST(mco_overlay_result, MCO_OVERLAY_RESULT_INIT, value.solution.from == NULL && value.reason[0] == 0);
    TEST(mco_paths_model, MCO_PATHS_MODEL_INIT, value.scale == 0 && value.turns == NULL);
    TEST(mco_paths_params, MCO_PATHS_PARAMS_INIT, value.method == MCO_PATHS_METHOD_AUTO && value.time_limit_s > 1e300);
    TEST(mco_paths_tree, MCO_PATHS_TREE_INIT, value.distance == NULL && value.reason[0] == 0);
    TEST(mco_paths_hierarchy_facts, MCO_PATHS_HIERARCHY_FACTS_INIT, value.vertices == 0 && value.order_by[0] == 0);
    TEST(mco_paths_result, MCO_PATHS_RESULT_INIT, value.done == 0 && value.reason[0] == 0);
    TEST(mco_guillotine_result, MCO_GUILLOTINE_RESULT_INIT, value.nodes == NULL && value.history_count == 0);
    TEST(mco_reduce_params, MCO_REDUCE_PARAMS_INIT, value.repeat == 1 && value.gpus == NULL);
    TEST(mco_reduce_result, MCO_REDUCE_RESULT_INIT, value.value.i == 0 && value.bytes_per_s == 0);
    TEST(mco_traffic_params, MCO_TRAFFIC_PARAMS_INIT, value.method == MCO_TRAFFIC_METHOD_AUTO && value.wants_state == 0);
    TEST(mco_traffic_result, MCO_TRAFFIC_RESULT_INIT, value.flow == NULL && value.reason[0] == 0);
    TEST(mco_transit_batch, MCO_TRANSIT_BATCH_INIT, value.journeys == NULL && value.work.solve_s == 0);
    TEST(mco_transit_facts, MCO_TRANSIT_FACTS_INIT, value.date == 0 && value.open_s == 0);
    TEST(mco_transit_model, MCO_TRANSIT_MODEL_INIT, value.map == NULL && value.max_transfer_m == 0);
    TEST(mco_transit_params, MCO_TRANSIT_PARAMS_INIT, value.max_rides == 6 && value.time_limit_s > 1e300);
    TEST(mco_transit_reach, MCO_TRANSIT_REACH_INIT, value.arrive == NULL && value.work.solve_s == 0);
    TEST(mco_transit_result, MCO_TRANSIT_RESULT_INIT, value.journeys == NULL && value.reason[0] == 0);
    TEST(mco_vrp_bound_params, MCO_VRP_BOUND_PARAMS_INIT, value.ng_size == 8 && value.start == NULL);
    TEST(mco_vrp_bound_result, MCO_VRP_BOUND_RESULT_INIT, value.price == NULL && value.reason[0] == 0);
    TEST(mco_vrp_generation, MCO_VRP_GENERATION_INIT, value.customers == -1 && value.seed == 1);
    TEST(mco_vrp_model, MCO_VRP_MODEL_INIT, value.capacity == -1 && value.vehicles == -1);
    TEST(mco_vrp_neighbourhood_result, MCO_VRP_NEIGHBOURHOOD_RESULT_INIT, value.sweeps == NULL && value.work.solve_s == 0);
    TEST(mco_vrp_params, MCO_VRP_PARAMS_INIT, value.keep == 1 && value.start == NULL && value.prove == 0);
    TEST(mco_vrp_relax_params, MCO_VRP_RELAX_PARAMS_INIT, value.relaxation == MCO_VRP_RELAXATION_NG && value.price == NULL);
    TEST(mco_vrp_relax_result, MCO_VRP_RELAX_RESULT_INIT, value.route == NULL && value.work.solve_s == 0);
    TEST(mco_vrp_result, MCO_VRP_RESULT_INIT, value.solution.order == NULL && value.history_count == 0);
#if MCO_VERSION_NUMBER < 100
#error the version is older than the first
#endif
    return 0;
}
