// SPDX-License-Identifier: MIT
// Takes any bytes as a multi-modal network, or with a first byte 'A' as an automaton of a small one. What is accepted must be searched as
// the reference searches it, with a certificate. What is refused must have a message.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "paths/multimodal/multimodal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char small_network[] = "p mm 3 3 3600\nl walk\nl bus\nf constant\nf headway 600 60\na 1 2 walk 1 30\na 2 3 bus 2 90\na 3 1 walk 1 9\n";
static const char small_automaton[] = "states s\nstart s\nfinal s\nmove s walk s\n";
enum { MOST_VERTICES = 1000 };

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void write_file(char *path, const void *data, size_t size)
{
    const int file = mkstemp(path);
    require(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0);
}

static void examine(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton)
{
    const mco_multimodal_query query = {.source = 0, .target = -1, .depart = 100};
    int32_t *label = NULL;
    if (network->vertices == 0 || network->vertices > MOST_VERTICES)
        return;
    require(mco_alloc(ctx, &label, (int64_t)network->vertices * automaton->states) == MCO_OK);
    const mco_status st = mm_ref_tree(ctx, network, automaton, &query, label);
    require(st == MCO_ERR_LIMIT || (st == MCO_OK && mco_multimodal_check(ctx, network, automaton, &query, label) == MCO_OK));
    mco_free(ctx, &label);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char network_path[] = "/tmp/fuzz-mm-XXXXXX", automaton_path[] = "/tmp/fuzz-mm-XXXXXX";
    mco_context *ctx = NULL;
    mco_multimodal *network = NULL;
    mco_automaton *automaton = NULL;
    const bool is_automaton = size > 0 && data[0] == 'A';
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    write_file(network_path, is_automaton ? (const void *)small_network : data, is_automaton ? sizeof small_network - 1 : size);
    write_file(automaton_path, is_automaton ? data + 1 : (const void *)small_automaton, is_automaton ? size - 1 : sizeof small_automaton - 1);
    mco_status st = mco_multimodal_read(ctx, network_path, &network);
    require((st == MCO_OK) == (network != NULL));
    if (st == MCO_OK)
        st = mco_automaton_read(ctx, network, automaton_path, &automaton);
    require(st == MCO_OK ? automaton != NULL : mco_context_error(ctx)[0] != '\0');
    if (automaton != NULL)
        examine(ctx, network, automaton);
    unlink(network_path);
    unlink(automaton_path);
    mco_automaton_destroy(ctx, &automaton);
    mco_multimodal_destroy(ctx, &network);
    mco_context_destroy(&ctx);
    return 0;
}
