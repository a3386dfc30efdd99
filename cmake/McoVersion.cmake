# SPDX-License-Identifier: MIT
# The git hash goes into one file, which is written again only when the hash changes.
set(MCO_VERSION_FILE ${PROJECT_BINARY_DIR}/generated/mco_git.h)
add_custom_target(mco_git
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${MCO_VERSION_FILE}
          -P ${PROJECT_SOURCE_DIR}/cmake/write_git_hash.cmake
  BYPRODUCTS ${MCO_VERSION_FILE} VERBATIM)
