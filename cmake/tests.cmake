# SPDX-License-Identifier: MIT
# How tests are built and registered. Include it from a CMakeLists.txt, not from a function.
#
# Tests are C and are compiled once; they run under GoogleTest where that is found and under the
# plain-C runner everywhere. ctest has one entry, and so one process, for each test.

include(CheckLanguage)

check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  find_package(GTest QUIET)
endif()

# pal_add_tests(name LABELS label... [TIMEOUT seconds] [LIBRARIES target...] SOURCES file...)
#
# Builds name (GoogleTest, if found) and name_plain (the plain runner) from the sources, and adds
# their tests to ctest under the labels; each may take `seconds` (60). With the label "unit" there is
# also an entry plain-runner.name, which runs all of them under the plain runner.
function(pal_add_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS;LIBRARIES;SOURCES")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()

  add_library(${name}_tests OBJECT ${arg_SOURCES})
  target_link_libraries(${name}_tests PUBLIC ${arg_LIBRARIES} pal_test_kit)
  add_executable(${name}_plain)
  target_link_libraries(${name}_plain PRIVATE pal_test_runner_plain ${name}_tests)

  if(TARGET pal_test_runner_gtest)
    add_executable(${name})
    target_link_libraries(${name} PRIVATE pal_test_runner_gtest ${name}_tests)
    pal_discover_tests(${name} ${name} --gtest_filter= "${arg_LABELS}" ${arg_TIMEOUT})
  else()
    pal_discover_tests(${name} ${name}_plain "--no-isolate;--filter=" "${arg_LABELS}"
                       ${arg_TIMEOUT})
  endif()

  if("unit" IN_LIST arg_LABELS)
    add_test(NAME plain-runner.${name} COMMAND ${name}_plain --timeout=${arg_TIMEOUT})
    set_tests_properties(plain-runner.${name} PROPERTIES
      LABELS "${arg_LABELS}" TIMEOUT 600 ENVIRONMENT "${PAL_TEST_ENVIRONMENT}")
  endif()
endfunction()

# Tests fork, also after having started threads, which ThreadSanitizer refuses by default.
set(PAL_TEST_ENVIRONMENT "")
if(PAL_SANITIZE STREQUAL "thread")
  set(PAL_TEST_ENVIRONMENT "TSAN_OPTIONS=die_after_fork=0:halt_on_error=1")
endif()

# A skip is a line that the kit prints, and no other word of a test's output.
set(PAL_TEST_SKIPPED "(^|\n)SKIPPED [A-Za-z_0-9]+\\.")

# The plain runner lists the tests, whoever runs them. ctest asks it, so it is asked on a machine that
# can run it. gtest_discover_tests would do, if it could pass on more than one label.
function(pal_discover_tests name runner filter labels timeout)
  set(emulator "$<TARGET_PROPERTY:${name}_plain,CROSSCOMPILING_EMULATOR>")
  string(REPLACE ";" " " filter "${filter}")
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}_discover.cmake")
  file(GENERATE OUTPUT "${script}" CONTENT
"if(NOT EXISTS \"$<TARGET_FILE:${name}_plain>\" OR NOT EXISTS \"$<TARGET_FILE:${runner}>\")
  add_test(\"${name}_NOT_BUILT\" \"${name}_NOT_BUILT\")
  return()
endif()
execute_process(COMMAND ${emulator} \"$<TARGET_FILE:${name}_plain>\" --list
  OUTPUT_VARIABLE tests RESULT_VARIABLE result)
if(NOT result STREQUAL \"0\")
  message(SEND_ERROR \"${name}_plain --list: \${result}\")
endif()
string(REGEX MATCHALL \"[^\n]+\" tests \"\${tests}\")
foreach(test IN LISTS tests)
  add_test(\"\${test}\" ${emulator} \"$<TARGET_FILE:${runner}>\" ${filter}\${test})
  set_tests_properties(\"\${test}\" PROPERTIES
    LABELS \"${labels}\" TIMEOUT ${timeout} ENVIRONMENT \"${PAL_TEST_ENVIRONMENT}\"
    SKIP_REGULAR_EXPRESSION [==[${PAL_TEST_SKIPPED}]==])
endforeach()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
