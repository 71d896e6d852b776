# Finds what `utils/setup` installs: LLVM and MLIR 22, ONNX's C++ library, protobuf, RE2, GoogleTest.

find_package(MLIR REQUIRED CONFIG)
if(NOT MLIR_VERSION_MAJOR EQUAL 22 AND NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Dyn needs LLVM and MLIR 22, found ${LLVM_PACKAGE_VERSION} at ${MLIR_DIR}")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} at ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${definitions})

# ONNX's package file expects the protobuf targets to exist already.
find_package(Protobuf REQUIRED)
find_package(ONNX REQUIRED CONFIG PATHS ${CMAKE_SOURCE_DIR}/.deps/onnx NO_DEFAULT_PATH)
find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
find_package(GTest REQUIRED)
