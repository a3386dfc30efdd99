# SPDX-License-Identifier: MIT
# How a folder of src/ names its files. All of them go into the object library mco_objects, kernels into mco_kernels.

# mco_sources(FILE...): C files of every build.
function(mco_sources)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(mco_objects PRIVATE ${ARGN})
endfunction()

# mco_gpu_sources(FILE...): C files that call the CUDA runtime, and .cu files with kernels and their launchers. A build
# without GPU engines leaves them out.
function(mco_gpu_sources)
  if(NOT MCO_HAVE_CUDA)
    return()
  endif()
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  list(FILTER ARGN EXCLUDE REGEX "\\.cu$")
  target_sources(mco_objects PRIVATE ${ARGN})
  target_sources(mco_kernels PRIVATE ${kernels})
  target_sources(mco_oldest_kernels PRIVATE ${kernels})
endfunction()

# mco_vector_sources(NAME [BITS WIDTH...] [OPTIONS FLAG...] FILES FILE...): vector files (base/lanes.h). They are
# compiled once for each vector unit and each width of lane, into the object libraries mco_NAME_SET[_WIDTH].
function(mco_vector_sources name)
  cmake_parse_arguments(arg "" "" "BITS;OPTIONS;FILES" ${ARGN})
  list(TRANSFORM arg_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  foreach(set ${MCO_SIMD_SETS})
    string(TOUPPER ${set} unit)
    if(arg_BITS)
      foreach(bits ${arg_BITS})
        mco_vector_library(mco_${name}_${set}_${bits} ${set} "LANE_SET=${set};LANE_SIMD=MCO_SIMD_${unit};LANE_BITS=${bits}")
      endforeach()
    else()
      mco_vector_library(mco_${name}_${set} ${set} "LANE_SET=${set};LANE_SIMD=MCO_SIMD_${unit}")
    endif()
  endforeach()
endfunction()

# Makes one object library for mco_vector_sources().
macro(mco_vector_library library set definitions)
  add_library(${library} OBJECT ${arg_FILES})
  target_compile_definitions(${library} PRIVATE ${definitions})
  # Without optimisation gcc's intrinsics are macros, whose conversions would warn.
  target_compile_options(${library} PRIVATE ${MCO_FLAGS_${set}} ${arg_OPTIONS}
                         $<$<AND:$<C_COMPILER_ID:GNU>,$<CONFIG:Debug>>:-Wno-sign-conversion>)
  mco_own(${library})
  set_target_properties(${library} PROPERTIES MCO_IS_HOT ON)  # McoCompiler.cmake
  set_property(GLOBAL APPEND PROPERTY MCO_OBJECT_LIBRARIES ${library})
endmacro()
