// SPDX-License-Identifier: MIT
// Open Matrix (OMX): an HDF5 file with matrices of one shape in /data and names of zones in /lookup. A build without HDF5 says so.
//
// HDF5 has one state for all threads, so one call at a time uses it. Matrices are read row by row, as HDF5 converts any number to double.
// A file is made in memory, and written at once. HDF5 is loaded at the first use (base/library.h).
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "base/grow.h"
#include "base/stream.h"
#include "traffic/files/files.h"

#ifndef MCO_HAVE_HDF5

static mco_status fail_without(mco_context *ctx, const char *path)
{
    return mco_fail(ctx, MCO_ERR_IO, "%s: this build lacks HDF5, which reads and writes OMX (Debian: libhdf5-dev); CSV needs no library", path);
}

mco_status traffic_read_omx_trips(mco_context *ctx, const char *path, const char *matrix, const mco_traffic *traffic, mco_traffic_class *out)
{
    (void)matrix;
    (void)traffic;
    (void)out;
    return fail_without(ctx, path);
}

mco_status traffic_write_omx(mco_context *ctx, const mco_traffic *traffic, const char *name, const double *matrix, const char *path)
{
    (void)traffic;
    (void)name;
    (void)matrix;
    return fail_without(ctx, path);
}

#else

#include <hdf5.h>

#include "base/library.h"

// Constants of the header call the library unless these say nothing.
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK

// Functions, and the ids that H5open() makes.
#define SYMBOLS(SYMBOL) \
    SYMBOL(H5open) SYMBOL(H5Aclose) SYMBOL(H5Acreate2) SYMBOL(H5Awrite) SYMBOL(H5Dclose) SYMBOL(H5Dcreate2) SYMBOL(H5Dget_space) \
    SYMBOL(H5Dget_type) SYMBOL(H5Dopen2) SYMBOL(H5Dread) SYMBOL(H5Dwrite) SYMBOL(H5Eget_auto2) SYMBOL(H5Eset_auto2) SYMBOL(H5Fclose) \
    SYMBOL(H5Fcreate) SYMBOL(H5Fflush) SYMBOL(H5Fget_file_image) SYMBOL(H5Fopen) SYMBOL(H5Gclose) SYMBOL(H5Gcreate2) SYMBOL(H5Lexists) \
    SYMBOL(H5Literate_by_name) SYMBOL(H5Pclose) SYMBOL(H5Pcreate) SYMBOL(H5Pset_fapl_core) SYMBOL(H5Sclose) SYMBOL(H5Screate) \
    SYMBOL(H5Screate_simple) SYMBOL(H5Sget_simple_extent_dims) SYMBOL(H5Sget_simple_extent_ndims) SYMBOL(H5Sselect_hyperslab) \
    SYMBOL(H5Tclose) SYMBOL(H5Tcopy) SYMBOL(H5Tget_class) SYMBOL(H5Tset_size) SYMBOL(H5T_NATIVE_INT64_g) SYMBOL(H5T_NATIVE_INT32_g) \
    SYMBOL(H5T_NATIVE_DOUBLE_g) SYMBOL(H5T_C_S1_g) SYMBOL(H5T_STD_I32LE_g) SYMBOL(H5T_IEEE_F64LE_g) SYMBOL(H5T_STD_I64LE_g) \
    SYMBOL(H5P_CLS_FILE_ACCESS_ID_g)
static struct {
    SYMBOLS(MCO_SYMBOL_POINTER)
} hdf5;
static const char *const symbols[] = {SYMBOLS(MCO_SYMBOL_NAME)};
static mco_library library = {.file = MCO_HDF5_FILE, .folder = MCO_HDF5_FOLDER, .purpose = "HDF5, which reads and writes OMX",
                              .count = sizeof symbols / sizeof *symbols, .names = symbols, .symbols = &hdf5};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { NAME_ROOM = 256, LIST_ROOM = 200 };

// Loads HDF5 and takes the lock. Errors: IO, without the lock.
static mco_status take_hdf5(mco_context *ctx, const char *path)
{
    const mco_status st = mco_library_open(ctx, &library, path);
    if (st != MCO_OK)
        return st;
    pthread_mutex_lock(&lock);
    if (hdf5.H5open() >= 0)
        return MCO_OK;
    pthread_mutex_unlock(&lock);
    return mco_fail(ctx, MCO_ERR_IO, "%s: HDF5 cannot start", path);
}

// What HDF5 does about failures, which belongs to the process: it is put back after each use.
typedef struct printer {
    H5E_auto2_t print;
    void *user;
} printer;

// Failures become a status here; HDF5 would print them.
static printer be_quiet(void)
{
    printer held = {0};
    hdf5.H5Eget_auto2(H5E_DEFAULT, &held.print, &held.user);
    hdf5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return held;
}

// ---- Reading

typedef struct omx {
    mco_context *ctx;
    const char *path;
    const mco_traffic *traffic;
    hid_t file, data;       // negative: closed
    hsize_t rows, columns;
    int32_t *zone;          // [zones] of each row and column
    double *row;            // [columns]
    traffic_trip *trip;
    int64_t count, room;
} omx;

#define REFUSE(...) return mco_fail(o->ctx, MCO_ERR_PARSE, __VA_ARGS__)

typedef struct listing {
    char first[NAME_ROOM], all[LIST_ROOM];
    int count;
} listing;

static herr_t list_one(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    (void)group;
    (void)info;
    listing *l = user;
    if (l->count++ == 0)
        snprintf(l->first, sizeof l->first, "%s", name);
    const size_t used = strlen(l->all);
    snprintf(l->all + used, sizeof l->all - used, "%s%s", used > 0 ? ", " : "", name);
    return 0;
}

static listing list_group(hid_t file, const char *group)
{
    listing l = {0};
    if (hdf5.H5Lexists(file, group, H5P_DEFAULT) > 0)
        hdf5.H5Literate_by_name(file, group, H5_INDEX_NAME, H5_ITER_INC, NULL, list_one, &l, H5P_DEFAULT);
    return l;
}

static mco_status open_matrix(omx *o, const char *matrix)
{
    char path[NAME_ROOM + 8];
    const listing l = list_group(o->file, "/data");
    if (l.count == 0)
        REFUSE("%s: the file has no matrix in /data", o->path);
    if (matrix == NULL && l.count > 1)
        REFUSE("%s: which of the %d matrices are the trips? They are %s; a list of classes names one (docs/formats.md)", o->path, l.count, l.all);
    snprintf(path, sizeof path, "/data/%s", matrix != NULL ? matrix : l.first);
    o->data = hdf5.H5Lexists(o->file, path, H5P_DEFAULT) > 0 ? hdf5.H5Dopen2(o->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    if (o->data < 0)
        REFUSE("%s: there is no matrix %s, there are %s", o->path, path, l.all);
    return MCO_OK;
}

static mco_status find_shape(omx *o)
{
    hsize_t size[2] = {0, 0};
    const hid_t space = hdf5.H5Dget_space(o->data);
    const int dimensions = space >= 0 ? hdf5.H5Sget_simple_extent_ndims(space) : -1;
    if (dimensions == 2)
        hdf5.H5Sget_simple_extent_dims(space, size, NULL);
    if (space >= 0)
        hdf5.H5Sclose(space);
    if (dimensions != 2)
        REFUSE("%s: the matrix has %d dimensions, 2 were expected", o->path, dimensions);
    if (size[0] != size[1] || size[0] > (hsize_t)o->traffic->view.zones)
        REFUSE("%s: the matrix has %" PRIu64 " rows and %" PRIu64 " columns, the network has %d zones", o->path, (uint64_t)size[0], (uint64_t)size[1],
               o->traffic->view.zones);
    o->rows = size[0];
    o->columns = size[1];
    return MCO_OK;
}

// Reads the numbers of a lookup into *number [rows]; false where there is no lookup of numbers.
static bool read_lookup(const omx *o, const char *name, int64_t *number)
{
    char path[NAME_ROOM + 8];
    hsize_t size = 0;
    snprintf(path, sizeof path, "/lookup/%s", name);
    const hid_t set = hdf5.H5Dopen2(o->file, path, H5P_DEFAULT), space = set >= 0 ? hdf5.H5Dget_space(set) : H5I_INVALID_HID;
    const hid_t type = set >= 0 ? hdf5.H5Dget_type(set) : H5I_INVALID_HID;
    bool is_read = space >= 0 && hdf5.H5Sget_simple_extent_ndims(space) == 1 && hdf5.H5Sget_simple_extent_dims(space, &size, NULL) == 1 &&
                   size == o->rows && type >= 0 && hdf5.H5Tget_class(type) == H5T_INTEGER;
    is_read = is_read && hdf5.H5Dread(set, *hdf5.H5T_NATIVE_INT64_g, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) >= 0;
    if (type >= 0)
        hdf5.H5Tclose(type);
    if (space >= 0)
        hdf5.H5Sclose(space);
    if (set >= 0)
        hdf5.H5Dclose(set);
    return is_read;
}

// The zones of rows and columns: those of the first lookup of numbers, else in order.
static mco_status find_zones(omx *o)
{
    mco_status st = MCO_OK;
    const listing l = list_group(o->file, "/lookup");
    mco_name_finder finder = traffic_find_zones(o->traffic, "the zone");
    int64_t *number = NULL;
    char name[32];
    MCO_TRY(mco_alloc(o->ctx, &o->zone, o->rows));
    MCO_TRY(mco_alloc(o->ctx, &number, o->rows));
    const bool has_numbers = l.count > 0 && read_lookup(o, l.first, number);
    if (!has_numbers && o->rows != (hsize_t)o->traffic->view.zones)
        MCO_TRY(mco_fail(o->ctx, MCO_ERR_PARSE, "%s: the matrix has %" PRIu64 " rows and no numbers of zones in /lookup, the network has %d zones", o->path,
                         (uint64_t)o->rows, o->traffic->view.zones));
    for (hsize_t k = 0; k < o->rows; k++) {
        o->zone[k] = (int32_t)k;
        if (!has_numbers)
            continue;
        const int size = snprintf(name, sizeof name, "%" PRId64, number[k]);
        MCO_TRY(mco_names_look_up(&finder, o->ctx, name, (size_t)size, &o->zone[k]));
        if (o->zone[k] < 0)
            MCO_TRY(mco_fail(o->ctx, MCO_ERR_PARSE, "%s: /lookup/%s[%" PRIu64 "] is %s, the network has no such zone", o->path, l.first, (uint64_t)k,
                             name));
    }
done:
    mco_free(o->ctx, &finder.table.slots);
    mco_free(o->ctx, &number);
    return st;
}

static mco_status take_row(omx *o, hsize_t r)
{
    mco_status st = MCO_OK;
    for (hsize_t k = 0; k < o->columns; k++) {
        const double amount = isnan(o->row[k]) ? 0 : o->row[k];
        if (!(amount >= 0 && amount <= TRAFFIC_MAX_VALUE))
            REFUSE("%s: row %" PRIu64 ", column %" PRIu64 ": %g trips, a number of 0 or more was expected", o->path, (uint64_t)r + 1, (uint64_t)k + 1, amount);
        if (amount == 0)
            continue;
        MCO_TRY(mco_grow(o->ctx, &o->trip, &o->room, o->count + 1));
        o->trip[o->count++] = (traffic_trip){o->zone[r], o->zone[k], amount};
    }
done:
    return st;
}

static mco_status read_rows(omx *o)
{
    enum { OFTEN = 64 };  // rows between two looks at the clock
    mco_status st = MCO_OK;
    const hid_t space = hdf5.H5Dget_space(o->data), memory = hdf5.H5Screate_simple(1, &o->columns, NULL);
    MCO_TRY(mco_alloc(o->ctx, &o->row, o->columns));
    for (hsize_t r = 0; r < o->rows; r++) {
        const hsize_t begin[2] = {r, 0}, size[2] = {1, o->columns};
        if (r % OFTEN == 0)
            MCO_TRY(mco_read_in_time(o->ctx, o->path));
        if (space < 0 || memory < 0 || hdf5.H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, size, NULL) < 0 ||
            hdf5.H5Dread(o->data, *hdf5.H5T_NATIVE_DOUBLE_g, memory, space, H5P_DEFAULT, o->row) < 0)
            MCO_TRY(mco_fail(o->ctx, MCO_ERR_PARSE, "%s: row %" PRIu64 " of the matrix cannot be read as numbers", o->path, (uint64_t)r + 1));
        MCO_TRY(take_row(o, r));
    }
done:
    if (memory >= 0)
        hdf5.H5Sclose(memory);
    if (space >= 0)
        hdf5.H5Sclose(space);
    return st;
}

static mco_status read_file(omx *o, const char *matrix)
{
    mco_status st = MCO_OK;
    const printer held = be_quiet();
    o->file = hdf5.H5Fopen(o->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (o->file < 0)
        MCO_TRY(mco_fail(o->ctx, MCO_ERR_PARSE, "%s: not an HDF5 file, which OMX is", o->path));
    MCO_TRY(open_matrix(o, matrix));
    MCO_TRY(find_shape(o));
    MCO_TRY(find_zones(o));
    if (o->rows > 0)
        MCO_TRY(read_rows(o));
done:
    if (o->data >= 0)
        hdf5.H5Dclose(o->data);
    if (o->file >= 0)
        hdf5.H5Fclose(o->file);
    hdf5.H5Eset_auto2(H5E_DEFAULT, held.print, held.user);
    return st;
}

mco_status traffic_read_omx_trips(mco_context *ctx, const char *path, const char *matrix, const mco_traffic *traffic, mco_traffic_class *out)
{
    mco_status st = MCO_OK;
    omx o = {.ctx = ctx, .path = path, .traffic = traffic, .file = H5I_INVALID_HID, .data = H5I_INVALID_HID};
    if (!traffic_is_file(path))
        return mco_fail(ctx, MCO_ERR_IO, "cannot read %s: there is no such file", path);
    MCO_TRY(take_hdf5(ctx, path));
    st = read_file(&o, matrix);
    pthread_mutex_unlock(&lock);
    if (st == MCO_OK)
        st = traffic_class_fill(ctx, traffic->view.zones, o.count, o.trip, out);
done:
    mco_free(ctx, &o.zone);
    mco_free(ctx, &o.row);
    mco_free(ctx, &o.trip);
    return st;
}

// ---- Writing

static bool write_attributes(hid_t file, int32_t zones)
{
    static const char version[] = "0.2";
    const int32_t shape[2] = {zones, zones};
    const hsize_t two = 2;
    const hid_t type = hdf5.H5Tcopy(*hdf5.H5T_C_S1_g), scalar = hdf5.H5Screate(H5S_SCALAR), pair = hdf5.H5Screate_simple(1, &two, NULL);
    hdf5.H5Tset_size(type, sizeof version);
    const hid_t a = hdf5.H5Acreate2(file, "OMX_VERSION", type, scalar, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t b = hdf5.H5Acreate2(file, "SHAPE", *hdf5.H5T_STD_I32LE_g, pair, H5P_DEFAULT, H5P_DEFAULT);
    const bool is_written = a >= 0 && b >= 0 && hdf5.H5Awrite(a, type, version) >= 0 && hdf5.H5Awrite(b, *hdf5.H5T_NATIVE_INT32_g, shape) >= 0;
    hdf5.H5Aclose(a);
    hdf5.H5Aclose(b);
    hdf5.H5Sclose(pair);
    hdf5.H5Sclose(scalar);
    hdf5.H5Tclose(type);
    return is_written;
}

// Writes one array in a group of its own.
static bool write_array(hid_t file, const char *group, const char *name, int dimensions, const hsize_t *size, hid_t stored, hid_t memory,
                        const void *data)
{
    const hid_t folder = hdf5.H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), space = hdf5.H5Screate_simple(dimensions, size, NULL);
    const hid_t set = hdf5.H5Dcreate2(folder, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool is_written = set >= 0 && hdf5.H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    hdf5.H5Dclose(set);
    hdf5.H5Sclose(space);
    hdf5.H5Gclose(folder);
    return is_written;
}

// Copies the file out of HDF5's memory.
static mco_status copy_image(mco_context *ctx, hid_t file, const char *path)
{
    mco_status st = MCO_OK;
    mco_stream stream = {0};
    char *image = NULL;
    hdf5.H5Fflush(file, H5F_SCOPE_GLOBAL);
    const ssize_t size = hdf5.H5Fget_file_image(file, NULL, 0);
    if (size <= 0)
        return mco_fail(ctx, MCO_ERR_IO, "cannot write %s: HDF5 failed", path);
    MCO_TRY(mco_alloc(ctx, &image, size));
    if (hdf5.H5Fget_file_image(file, image, (size_t)size) != size)
        MCO_TRY(mco_fail(ctx, MCO_ERR_IO, "cannot write %s: HDF5 failed", path));
    MCO_TRY(mco_stream_open(ctx, path, &stream));
    mco_stream_put(&stream, image, (size_t)size);
    MCO_TRY(mco_stream_commit(&stream));
done:
    mco_stream_discard(&stream);
    mco_free(ctx, &image);
    return st;
}

static mco_status write_file(mco_context *ctx, int32_t zones, const char *name, const double *matrix, const int64_t *number, const char *path)
{
    enum { STEP = 1 << 24 };  // bytes by which the memory of the file grows
    mco_status st = MCO_OK;
    const hsize_t size[2] = {(hsize_t)zones, (hsize_t)zones};
    const printer held = be_quiet();
    const hid_t access = hdf5.H5Pcreate(*hdf5.H5P_CLS_FILE_ACCESS_ID_g);
    hdf5.H5Pset_fapl_core(access, STEP, 0);
    const hid_t file = hdf5.H5Fcreate("mco.omx", H5F_ACC_TRUNC, H5P_DEFAULT, access);  // a name in memory
    const bool is_written = file >= 0 && write_attributes(file, zones) &&
                            write_array(file, "/data", name, 2, size, *hdf5.H5T_IEEE_F64LE_g, *hdf5.H5T_NATIVE_DOUBLE_g, matrix) &&
                            (number == NULL || write_array(file, "/lookup", "zone", 1, size, *hdf5.H5T_STD_I64LE_g, *hdf5.H5T_NATIVE_INT64_g, number));
    st = is_written ? copy_image(ctx, file, path) : mco_fail(ctx, MCO_ERR_IO, "cannot write %s: HDF5 failed", path);
    if (file >= 0)
        hdf5.H5Fclose(file);
    hdf5.H5Pclose(access);
    hdf5.H5Eset_auto2(H5E_DEFAULT, held.print, held.user);
    return st;
}

mco_status traffic_write_omx(mco_context *ctx, const mco_traffic *traffic, const char *name, const double *matrix, const char *path)
{
    mco_status st = MCO_OK;
    const int32_t zones = traffic->view.zones;
    int64_t *number = NULL;
    bool has_numbers = true;
    char buffer[16];
    if (strchr(name, '/') != NULL || name[0] == '\0')
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a matrix cannot be called \"%s\" in an OMX file", name);
    MCO_TRY(mco_alloc(ctx, &number, zones));
    for (int32_t z = 0; z < zones; z++)
        has_numbers = has_numbers && mco_parse_integer(traffic_zone_name(traffic, z, buffer), INT64_MIN, INT64_MAX, &number[z]);
    MCO_TRY(take_hdf5(ctx, path));
    st = write_file(ctx, zones, name, matrix, has_numbers ? number : NULL, path);
    pthread_mutex_unlock(&lock);
done:
    mco_free(ctx, &number);
    return st;
}

#endif
