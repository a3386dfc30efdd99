# SPDX-License-Identifier: MIT
# Runs over several processes are compiled in if an MPI is found. MPI_C_COMPILER chooses among several: mpicc.openmpi, mpicc.mpich.
# The command alone is linked with it, never the library.
set(MCO_HAVE_MPI OFF)
if(NOT MCO_MPI STREQUAL "OFF" AND MCO_BUILD_COMMAND)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(MCO_HAVE_MPI ON)
    # The launcher beside the compiler, for the tests: mpicc.mpich has mpirun.mpich.
    string(REPLACE mpicc mpirun MCO_MPIEXEC "${MPI_C_COMPILER}")
    if(NOT EXISTS "${MCO_MPIEXEC}")
      set(MCO_MPIEXEC "${MPIEXEC_EXECUTABLE}")
    endif()
  elseif(MCO_MPI STREQUAL "ON")
    message(FATAL_ERROR "MCO_MPI is ON, and no MPI works here: give MPI_C_COMPILER")
  endif()
endif()
