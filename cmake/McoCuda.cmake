# SPDX-License-Identifier: MIT
# GPU engines are compiled if nvcc is found and works. The runtime is linked statically, so the binary starts on a
# machine without a GPU or a driver and says so.
set(MCO_HAVE_CUDA OFF)
set(MCO_OLDEST_GPU 80)
if(NOT MCO_CUDA STREQUAL "OFF")
  # CUDACXX proposes a compiler. check_language tries it, and skips the trial if CMAKE_CUDA_COMPILER is set. So an nvcc
  # that rejects the host compiler means a build without GPU engines; the configuration goes on.
  find_program(MCO_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  include(CheckLanguage)
  if(MCO_NVCC AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${MCO_NVCC})
    check_language(CUDA)
    unset(ENV{CUDACXX})
  else()
    check_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      if(DEFINED ENV{CUDAARCHS})
        set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS})
      else()  # machine code for both, and PTX of the later one for newer GPUs
        set(CMAKE_CUDA_ARCHITECTURES ${MCO_OLDEST_GPU}-real 90)
      endif()
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit 12 QUIET)
  endif()
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
    set(MCO_HAVE_CUDA ON)
  elseif(MCO_CUDA STREQUAL "ON")
    message(FATAL_ERROR "MCO_CUDA is ON and no CUDA toolkit 12 or newer works here (nvcc: ${MCO_NVCC}): "
                        "give CMAKE_CUDA_COMPILER")
  else()
    message(STATUS "No GPU engines: no CUDA toolkit 12 or newer works here (nvcc: ${MCO_NVCC})")
  endif()
endif()
