// SPDX-License-Identifier: MIT
// Three separate facts about a call: whether it worked (status), what is known about the
// problem afterwards (outcome), and why the work ended (stop).
#ifndef MCO_STATUS_H
#define MCO_STATUS_H

#include "mco/compiler.h"

// One list makes the enum and the texts. A negative status means failure: outputs are untouched, and
// mco_context_error() says what happened.
#define MCO_STATUS_LIST(X)                                              \
    X(MCO_OK, 0, "success")                                             \
    X(MCO_ERR_ARGUMENT, -1, "invalid argument")                         \
    X(MCO_ERR_MEMORY, -2, "out of memory")                              \
    X(MCO_ERR_PARSE, -3, "invalid content")                             \
    X(MCO_ERR_IO, -4, "file cannot be read or written")                 \
    X(MCO_ERR_LIMIT, -5, "beyond a stated limit")                       \
    X(MCO_ERR_INTERNAL, -6, "internal error, please report it")         \
    X(MCO_ERR_DEVICE, -7, "a device is missing or failed")              \
    X(MCO_ERR_CHECK, -8, "the solution breaks a rule")                  \
    X(MCO_ERR_STOPPED, -9, "stopped before there was a result")

// What is known: nothing; a solution; that no solution exists; that the solution is the best one; that no solution is
// below the given upper bound.
#define MCO_OUTCOME_LIST(X)                     \
    X(MCO_OUTCOME_UNKNOWN, 0, "unknown")        \
    X(MCO_OUTCOME_FEASIBLE, 1, "feasible")      \
    X(MCO_OUTCOME_INFEASIBLE, 2, "infeasible")  \
    X(MCO_OUTCOME_OPTIMAL, 3, "optimal")        \
    X(MCO_OUTCOME_NONE_BELOW, 4, "none_below")

// Why a solve ended.
#define MCO_STOP_LIST(X)                        \
    X(MCO_STOP_FINISHED, 0, "finished")         \
    X(MCO_STOP_TIME, 1, "time")                 \
    X(MCO_STOP_ITERATIONS, 2, "iterations")     \
    X(MCO_STOP_GAP, 3, "gap")                   \
    X(MCO_STOP_TARGET, 4, "target")             \
    X(MCO_STOP_MEMORY, 5, "memory")             \
    X(MCO_STOP_CANCELLED, 6, "cancelled")

// Room for the reason why there is no solution, with the zero at the end.
enum { MCO_REASON_ROOM = 256 };

#define MCO_ENUM_MEMBER(name, value, text) name = value,
typedef enum mco_status { MCO_STATUS_LIST(MCO_ENUM_MEMBER) } mco_status;
typedef enum mco_outcome { MCO_OUTCOME_LIST(MCO_ENUM_MEMBER) } mco_outcome;
typedef enum mco_stop { MCO_STOP_LIST(MCO_ENUM_MEMBER) } mco_stop;

MCO_BEGIN_C

// The text of a member; "?" for a value outside the list. Static storage.
MCO_API const char *mco_status_text(mco_status status);
MCO_API const char *mco_outcome_text(mco_outcome outcome);
MCO_API const char *mco_stop_text(mco_stop stop);

MCO_END_C
#endif
