# The options of the project, and what each of them does to the compiler's command line.

include(GNUInstallDirs)

option(PAL_BUILD_TESTS "Build the tests (needs GoogleTest, or runs them under the plain-C runner)"
       ${PROJECT_IS_TOP_LEVEL})
option(PAL_BUILD_HOST "Build the tools: palhost, palbench (needs jansson)" ${PROJECT_IS_TOP_LEVEL})
option(BUILD_SHARED_LIBS "Build libpal as a shared library" OFF)
set(PAL_SANITIZE "" CACHE STRING "Sanitizer for everything built here: address, thread, undefined")
set_property(CACHE PAL_SANITIZE PROPERTY STRINGS "" address thread undefined)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(PAL_SANITIZE)
  add_compile_options(-fsanitize=${PAL_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PAL_SANITIZE})
endif()

find_package(Threads REQUIRED)
