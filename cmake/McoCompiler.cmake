# SPDX-License-Identifier: MIT
# What every target of ours is compiled with. The settings belong to targets, so that a project around mco keeps its
# own.

# mco_own(TARGET): sets our languages, flags and folders.
function(mco_own target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
    C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden
    CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_VISIBILITY_PRESET hidden CUDA_RUNTIME_LIBRARY Static)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE mco_options)
endfunction()

# Flags.
add_library(mco_options INTERFACE)
target_compile_definitions(mco_options INTERFACE _GNU_SOURCE)
target_compile_options(mco_options INTERFACE
  "$<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wstrict-prototypes;-Wmissing-prototypes;-Wvla;-Wformat=2;-Wno-psabi;-fno-math-errno>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-fno-exceptions,-fno-threadsafe-statics>")
if(MCO_WERROR)
  target_compile_options(mco_options INTERFACE "$<$<COMPILE_LANGUAGE:C>:-Werror>" "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
if(MCO_SANITIZE)
  # Gives line numbers to reports if the build type has none; full debug information would cost a third of the compile
  # time.
  target_compile_options(mco_options INTERFACE -fsanitize=${MCO_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all $<$<CONFIG:Release,MinSizeRel>:-g1>)
  # gcc takes the tests that a sanitizer adds for branches of the program, and warns of what would happen there.
  target_compile_options(mco_options INTERFACE
    "$<$<C_COMPILER_ID:GNU>:-Wno-format-truncation;-Wno-maybe-uninitialized>")
  target_link_options(mco_options INTERFACE -fsanitize=${MCO_SANITIZE})
endif()

# Hardening of the C code: a check of stack frames with arrays, and of the sizes that the C library is given. Both need
# optimisation. Targets with MCO_IS_HOT, the vector files, do without. Programs and the shared library have their tables of
# addresses filled at the start and read-only from then on (full RELRO), and no stack that can be executed.
if(NOT MCO_SANITIZE)
  set(hardened "$<AND:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>,$<NOT:$<BOOL:$<TARGET_PROPERTY:MCO_IS_HOT>>>>")
  target_compile_options(mco_options INTERFACE
    "$<$<AND:$<COMPILE_LANGUAGE:C>,${hardened}>:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_link_options(mco_options INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
endif()

# Vector units: the engines' inner files are compiled once for each and chosen at run time.
set(MCO_SIMD_SETS portable)
set(MCO_FLAGS_portable "")
set(MCO_FLAGS_avx2 -march=x86-64-v3)
set(MCO_FLAGS_avx512 -march=x86-64-v4)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND MCO_SIMD STREQUAL "AUTO")
  set(MCO_SIMD_SETS avx512 avx2 portable)
endif()
