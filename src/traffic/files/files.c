// SPDX-License-Identifier: MIT
#include "traffic/files/files.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Links by their ends: two stable counting sorts

// Sorts from [links] into to [links] by the node key[link]; `first` [nodes + 1] ends as the places of each node.
static void sort_by(const int32_t *key, int32_t nodes, int32_t links, const int32_t *from, int64_t *first, int32_t *to)
{
    memset(first, 0, ((size_t)nodes + 1) * sizeof *first);
    for (int32_t a = 0; a < links; a++)
        first[key[a] + 1]++;
    for (int32_t v = 0; v < nodes; v++)
        first[v + 1] += first[v];
    for (int32_t k = 0; k < links; k++) {
        const int32_t a = from != NULL ? from[k] : k;
        to[first[key[a]]++] = a;
    }
    memmove(first + 1, first, (size_t)nodes * sizeof *first);
    first[0] = 0;
}

mco_status traffic_ends_make(mco_context *ctx, const mco_traffic_network *view, traffic_ends *out)
{
    mco_status st = MCO_OK;
    traffic_ends ends = {.view = view};
    int32_t *by_head = NULL;
    MCO_TRY(mco_alloc(ctx, &ends.first, (int64_t)view->nodes + 1));
    MCO_TRY(mco_alloc(ctx, &ends.link, view->links));
    MCO_TRY(mco_alloc(ctx, &by_head, view->links));
    sort_by(view->head, view->nodes, view->links, NULL, ends.first, by_head);
    sort_by(view->tail, view->nodes, view->links, by_head, ends.first, ends.link);
    *out = ends;
    ends = (traffic_ends){0};
done:
    mco_free(ctx, &by_head);
    traffic_ends_clear(ctx, &ends);
    return st;
}

void traffic_ends_clear(mco_context *ctx, traffic_ends *ends)
{
    mco_free(ctx, &ends->first);
    mco_free(ctx, &ends->link);
}

// The first entry of the tail whose head is `head` or more.
static int64_t first_not_below(const traffic_ends *ends, int32_t tail, int64_t head)
{
    int64_t low = ends->first[tail], high = ends->first[tail + 1];
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (ends->view->head[ends->link[middle]] < head)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t traffic_ends_find(const traffic_ends *ends, int32_t tail, int32_t head, int64_t *count)
{
    const int64_t begin = first_not_below(ends, tail, head);
    *count = first_not_below(ends, tail, (int64_t)head + 1) - begin;
    return begin;
}

// ---- Names

mco_name_finder traffic_find_nodes(const mco_traffic *traffic, const char *what)
{
    return (mco_name_finder){.what = what, .names = traffic->node_name, .rows = traffic->view.nodes, .ids = MCO_IDS_NAMES};
}

mco_name_finder traffic_find_zones(const mco_traffic *traffic, const char *what)
{
    char *const *names = traffic->zone_name != NULL ? traffic->zone_name : traffic->node_name;
    return (mco_name_finder){.what = what, .names = names, .rows = traffic->view.zones, .ids = MCO_IDS_NAMES};
}

const char *traffic_zone_name(const mco_traffic *traffic, int32_t zone, char buffer[16])
{
    return traffic->zone_name != NULL ? traffic->zone_name[zone] : mco_traffic_node_name(traffic, zone, buffer);
}

mco_status traffic_copy_text(mco_context *ctx, const char *text, size_t size, const char **out)
{
    char *copy = NULL;
    const mco_status st = mco_alloc(ctx, &copy, size + 1);
    if (st == MCO_OK)
        memcpy(copy, text, size);
    *out = copy;
    return st;
}

// ---- Paths

bool traffic_ends_with(const char *path, const char *end)
{
    size_t size = strlen(path);
    const size_t of_end = strlen(end);
    if (size > 3 && strcasecmp(path + size - 3, ".gz") == 0)
        size -= 3;
    return size > of_end && strncasecmp(path + size - of_end, end, of_end) == 0;
}

bool traffic_is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

bool traffic_is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

bool traffic_is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static mco_status fail_long(mco_context *ctx, const char *path)
{
    return mco_fail(ctx, MCO_ERR_IO, "%s: the path is longer than %d bytes", path, MCO_PATH_LENGTH - 1);
}

mco_status traffic_path_in(mco_context *ctx, const char *folder, const char *name, char out[MCO_PATH_LENGTH])
{
    const int used = snprintf(out, MCO_PATH_LENGTH, "%s/%s", folder, name);
    if (used >= MCO_PATH_LENGTH - 3)
        return fail_long(ctx, folder);
    if (!traffic_is_there(out)) {
        memcpy(out + used, ".gz", 4);
        out[traffic_is_there(out) ? used + 3 : used] = '\0';
    }
    return MCO_OK;
}

mco_status traffic_path_beside(mco_context *ctx, const char *path, const char *end, char out[MCO_PATH_LENGTH])
{
    size_t size = strlen(path);
    if (size > 3 && strcasecmp(path + size - 3, ".gz") == 0)
        size -= 3;
    const char *slash = strrchr(path, '/');
    for (size_t k = size; k-- > 0 && path + k != slash;)
        if (path[k] == '.') {
            size = k;
            break;
        }
    return snprintf(out, MCO_PATH_LENGTH, "%.*s%s", (int)size, path, end) < MCO_PATH_LENGTH ? MCO_OK : fail_long(ctx, path);
}
