# SPDX-License-Identifier: MIT
# Flags of every target of ours: `mco_options` carries them.
add_library(mco_options INTERFACE)
target_compile_definitions(mco_options INTERFACE _GNU_SOURCE)
target_compile_options(mco_options INTERFACE
  "$<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wstrict-prototypes;-Wmissing-prototypes;-Wvla;-Wformat=2;-Wno-psabi;-fno-math-errno>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-fno-exceptions,-fno-threadsafe-statics>")
if(MCO_WERROR)
  target_compile_options(mco_options INTERFACE "$<$<COMPILE_LANGUAGE:C>:-Werror>" "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
if(MCO_SANITIZE)
  # Lines for the reports where the build type gives none: full debug information would cost a third of the compile time.
  target_compile_options(mco_options INTERFACE -fsanitize=${MCO_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all $<$<CONFIG:Release,MinSizeRel>:-g1>)
  target_link_options(mco_options INTERFACE -fsanitize=${MCO_SANITIZE})
endif()

# Vector units: the engines' inner files are compiled once for each and chosen at run time.
set(MCO_SIMD_SETS portable)
set(MCO_FLAGS_portable "")
set(MCO_FLAGS_avx2 -march=x86-64-v3)
set(MCO_FLAGS_avx512 -march=x86-64-v4)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND MCO_SIMD STREQUAL "AUTO")
  set(MCO_SIMD_SETS avx512 avx2 portable)
endif()
