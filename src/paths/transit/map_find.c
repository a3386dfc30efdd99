// SPDX-License-Identifier: MIT
// The street nearest to a place. Segments of streets lie in the lists of the cells that they cross. A search looks at the cell of the
// place and at rings of cells around it, until all cells of the next ring are farther off than the best segment. Near a place, degrees
// are taken as lengths along the meridian and along its parallel.
#include <math.h>

#include "paths/transit/build.h"
#include "paths/transit/map_parts.h"

#define METRES_OF_DEGREE 111195.0797  // on the sphere of transit_metres()

// ---- Remote parts

static int32_t find_root(int32_t *parent, int32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

mco_status map_find_remote(mco_context *ctx, transit_map *m)
{
    mco_status st = MCO_OK;
    int32_t *parent = NULL, *size = NULL;
    MCO_TRY(mco_alloc(ctx, &m->is_remote, m->streets));
    MCO_TRY(mco_alloc(ctx, &parent, m->vertices));
    MCO_TRY(mco_alloc(ctx, &size, m->vertices));
    for (int32_t v = 0; v < m->vertices; v++)
        parent[v] = v;
    for (int32_t s = 0; s < m->streets; s++)
        parent[find_root(parent, m->street[s].from)] = find_root(parent, m->street[s].to);
    for (int32_t v = 0; v < m->vertices; v++)
        size[find_root(parent, v)]++;
    for (int32_t s = 0; s < m->streets; s++)
        m->is_remote[s] = (int64_t)100 * size[find_root(parent, m->street[s].from)] < m->vertices;
done:
    mco_free(ctx, &size);
    mco_free(ctx, &parent);
    return st;
}

// ---- Cells

static int32_t cell_of(double degrees, double begin, double cell, int32_t cells)
{
    const double k = floor((degrees - begin) / cell);
    return k < 0 ? 0 : k >= cells ? cells - 1 : (int32_t)k;
}

// Chooses the bounds and a cell of about 200 m, larger where that would make many more cells than segments.
static void choose_cells(transit_map *m)
{
    static const double usual = 0.002, room = 1e-9;
    double north = -90, east = -180;
    m->south = 90;
    m->west = 180;
    for (int64_t k = 0; k < m->points; k++) {
        m->south = fmin(m->south, m->point[k].latitude);
        m->west = fmin(m->west, m->point[k].longitude);
        north = fmax(north, m->point[k].latitude);
        east = fmax(east, m->point[k].longitude);
    }
    const double height = fmax(north - m->south, 0) + room, width = fmax(east - m->west, 0) + room;
    m->cell = fmax(usual, sqrt(height * width / (4.0 * (double)m->points + 1024)));
    m->cell = fmax(m->cell, fmax(height, width) / (4.0 * (double)m->points + 1024));
    m->cells_x = (int32_t)fmin(width / m->cell, 1 << 30) + 1;
    m->cells_y = (int32_t)fmin(height / m->cell, 1 << 30) + 1;
}

// Counts a segment in the cells that it crosses, or lists it there: row by row, the columns between its ends in the row.
static void visit_cells(transit_map *m, int64_t k, bool is_list)
{
    const transit_point a = m->point[k], b = m->point[k + 1];
    const int32_t row_a = cell_of(a.latitude, m->south, m->cell, m->cells_y), row_b = cell_of(b.latitude, m->south, m->cell, m->cells_y);
    const int32_t low = row_a < row_b ? row_a : row_b, high = row_a < row_b ? row_b : row_a;
    for (int32_t y = low; y <= high; y++) {
        double share[2] = {0, 1};  // where the segment enters and leaves the row
        for (int end = 0; end < 2 && low < high; end++) {
            const double edge = m->south + m->cell * (y + end);
            share[end] = fmin(fmax((edge - a.latitude) / (b.latitude - a.latitude), 0), 1);
        }
        const int32_t x0 = cell_of(a.longitude + share[0] * (b.longitude - a.longitude), m->west, m->cell, m->cells_x);
        const int32_t x1 = cell_of(a.longitude + share[1] * (b.longitude - a.longitude), m->west, m->cell, m->cells_x);
        for (int32_t x = x0 < x1 ? x0 : x1; x <= (x0 < x1 ? x1 : x0); x++) {
            const int64_t cell = (int64_t)y * m->cells_x + x;
            if (is_list)
                m->cell_segment[m->cell_first[cell + 1]++] = k;
            else
                m->cell_first[cell + 2]++;
        }
    }
}

static void visit_streets(transit_map *m, bool is_list)
{
    for (int32_t s = 0; s < m->streets; s++)
        for (int64_t k = m->street[s].first_point; k < m->street[s + 1].first_point; k++) {
            m->point_street[k] = s;
            if (k + 1 < m->street[s + 1].first_point && !m->is_remote[s])
                visit_cells(m, k, is_list);
        }
}

mco_status map_make_cells(mco_context *ctx, transit_map *m)
{
    mco_status st = MCO_OK;
    choose_cells(m);
    const int64_t cells = (int64_t)m->cells_x * m->cells_y;
    MCO_TRY(mco_alloc(ctx, &m->point_street, m->points));
    MCO_TRY(mco_alloc(ctx, &m->cell_first, cells + 2));
    visit_streets(m, false);
    for (int64_t c = 0; c < cells; c++)
        m->cell_first[c + 2] += m->cell_first[c + 1];
    MCO_TRY(mco_alloc(ctx, &m->cell_segment, m->cell_first[cells + 1]));
    visit_streets(m, true);
done:
    return st;
}

// ---- Search

typedef struct search {
    const transit_map *map;
    transit_point place;
    double metres_x;   // of a degree of longitude at the place
    double best;       // metres
    int64_t segment;   // -1: none yet
    double share;      // of the segment, from its first point
} search;

static void try_segment(search *s, int64_t k)
{
    const transit_point a = s->map->point[k], b = s->map->point[k + 1];
    const double ax = (a.longitude - s->place.longitude) * s->metres_x, ay = (a.latitude - s->place.latitude) * METRES_OF_DEGREE;
    const double dx = (b.longitude - a.longitude) * s->metres_x, dy = (b.latitude - a.latitude) * METRES_OF_DEGREE;
    const double square = dx * dx + dy * dy;
    const double share = square > 0 ? fmin(fmax(-(ax * dx + ay * dy) / square, 0), 1) : 0;
    const double metres = hypot(ax + share * dx, ay + share * dy);
    if (metres < s->best || (metres == s->best && s->segment >= 0 && k < s->segment)) {
        s->best = metres;
        s->segment = k;
        s->share = share;
    }
}

static void try_cell(search *s, int64_t x, int64_t y)
{
    const transit_map *m = s->map;
    const int64_t cell = y * m->cells_x + x;
    for (int64_t k = m->cell_first[cell]; k < m->cell_first[cell + 1]; k++)
        try_segment(s, m->cell_segment[k]);
}

static int64_t inside(int64_t k, int64_t cells)
{
    return k < 0 ? 0 : k < cells ? k : cells - 1;
}

// Looks at the cells whose distance from (x, y) is `ring`, by the greater of both coordinates; of a ring only the part on the map.
static void try_ring(search *s, int64_t x, int64_t y, int64_t ring)
{
    const int64_t cells_x = s->map->cells_x, cells_y = s->map->cells_y;
    for (int side = 0; side < (ring > 0 ? 2 : 1); side++) {
        const int64_t row = side == 0 ? y - ring : y + ring, column = side == 0 ? x - ring : x + ring;
        if (row >= 0 && row < cells_y && x + ring >= 0 && x - ring < cells_x)
            for (int64_t k = inside(x - ring, cells_x); k <= inside(x + ring, cells_x); k++)
                try_cell(s, k, row);
        if (ring > 0 && column >= 0 && column < cells_x && y + ring > 0 && y - ring + 1 < cells_y)
            for (int64_t k = inside(y - ring + 1, cells_y); k <= inside(y + ring - 1, cells_y); k++)
                try_cell(s, column, k);
    }
}

// Metres along the line of a street to a segment of it.
static double metres_before(const transit_map *m, int32_t street, int64_t segment)
{
    double metres = 0;
    for (int64_t k = m->street[street].first_point; k < segment; k++)
        metres += transit_metres(m->point[k].latitude, m->point[k].longitude, m->point[k + 1].latitude, m->point[k + 1].longitude);
    return metres;
}

bool transit_map_nearest(const transit_map *m, transit_point place, double most_m, transit_spot_on_map *out)
{
    search s = {.map = m, .place = place, .metres_x = METRES_OF_DEGREE * cos(place.latitude * 3.14159265358979323846 / 180),
                .best = nextafter(most_m, INFINITY), .segment = -1};
    if (m->streets == 0 || !(fabs(place.latitude) <= 90) || !(fabs(place.longitude) <= 360))
        return false;
    const double fx = floor((place.longitude - m->west) / m->cell), fy = floor((place.latitude - m->south) / m->cell);
    const int64_t x = (int64_t)fx, y = (int64_t)fy, rings = (int64_t)m->cells_x + m->cells_y;
    const double reach = m->cell * fmin(s.metres_x, METRES_OF_DEGREE);  // metres across a cell, at least
    // Off the map the first rings are empty: the first one that can have cells is where the map begins.
    const int64_t off_x = x < 0 ? -x : x >= m->cells_x ? x - m->cells_x + 1 : 0, off_y = y < 0 ? -y : y >= m->cells_y ? y - m->cells_y + 1 : 0;
    const int64_t begin = off_x > off_y ? off_x : off_y;
    for (int64_t ring = begin; ring <= begin + rings && (double)(ring - 1) * reach <= s.best; ring++)
        try_ring(&s, x, y, ring);
    if (s.segment < 0)
        return false;
    const transit_point a = m->point[s.segment], b = m->point[s.segment + 1];
    out->street = m->point_street[s.segment];
    out->off = s.best;
    out->place = (transit_point){a.latitude + s.share * (b.latitude - a.latitude), a.longitude + s.share * (b.longitude - a.longitude)};
    out->along = metres_before(m, out->street, s.segment) +
                 s.share * transit_metres(a.latitude, a.longitude, b.latitude, b.longitude);
    return true;
}
