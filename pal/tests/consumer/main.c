/* SPDX-License-Identifier: MIT */
#include <pal.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    if (PAL_Initialize(argc, argv) != 0)
        return (int)GetLastError();
    FlushProcessWriteBuffers();
    puts("every thread has seen it");
    PAL_Terminate();
    return 0;
}
