# Installs a build into a folder of its own, builds the consumer against that, and runs it.
#
#   cmake -DBUILD=DIR -DSOURCE=DIR -DWORK=DIR -DCC=COMPILER -P test.cmake

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_C_FLAGS=${CFLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
