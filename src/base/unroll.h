// SPDX-License-Identifier: MIT
// UNROLL(count) unrolls the loop that follows; not under a sanitizer, whose checks would be unrolled with it and take minutes
// to compile.
#ifndef MCO_BASE_UNROLL_H
#define MCO_BASE_UNROLL_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNROLL(count)
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNROLL(count)
#endif
#ifndef UNROLL
#define UNROLL_TEXT(text) _Pragma(#text)
#define UNROLL(count) UNROLL_TEXT(GCC unroll count)
#endif

#endif
