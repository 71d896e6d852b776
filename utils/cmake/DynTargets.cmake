# Helpers that give every target of the project the same form.
include(CMakeParseArguments)

# dyn_add_library(NAME sources... DEPENDS tablegen-targets... LINK libraries...)
# One static library, exported as Dyn::NAME without its `Dyn` prefix.
function(dyn_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  string(SUBSTRING ${name} 3 -1 export_name)
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  add_library(Dyn::${export_name} ALIAS ${name})
  install(TARGETS ${name} EXPORT DynTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# dyn_add_tool(NAME sources... LINK libraries...)
function(dyn_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# dyn_add_unit_test(NAME sources... LINK libraries...)   GoogleTest program in build/unit, run by test/unit/lit.cfg.py
function(dyn_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unit)
  set_property(GLOBAL APPEND PROPERTY DYN_UNIT_TESTS ${name})
endfunction()
