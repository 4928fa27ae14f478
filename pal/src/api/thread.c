/* SPDX-License-Identifier: MIT */
#include <pal/thread.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/reference.h"
#include "init/init.h"
#include "os/clock.h"
#include "os/native_thread.h"
#include "os/stack_limits.h"
#include "thread/current.h"
#include "thread/description.h"
#include "thread/hint.h"

HANDLE CreateThread(LPSECURITY_ATTRIBUTES lpThreadAttributes, SIZE_T dwStackSize,
                    LPTHREAD_START_ROUTINE lpStartAddress, LPVOID lpParameter,
                    DWORD dwCreationFlags, LPDWORD lpThreadId)
{
    const DWORD known = CREATE_SUSPENDED | STACK_SIZE_PARAM_IS_A_RESERVATION;
    HANDLE handle = NULL;
    PAL_ERROR error = ERROR_INVALID_PARAMETER;

    (void)lpThreadAttributes;
    if (lpStartAddress && (dwCreationFlags & ~known) == 0)
        error = thread_create(
            &(struct thread_request){
                .start = lpStartAddress,
                .parameter = lpParameter,
                .stack_size = dwStackSize,
                .suspended = (dwCreationFlags & CREATE_SUSPENDED) != 0,
            },
            &handle, lpThreadId);
    if (error)
        SetLastError(error);
    return handle;
}

LPCSTR PAL_CreateThreadHint(int errorNumber)
{
    return thread_hint(errorNumber);
}

DWORD ResumeThread(HANDLE hThread)
{
    struct thread *thread;
    PAL_ERROR error = reference_thread(hThread, &thread);

    if (error == ERROR_SUCCESS) {
        error = thread_resume(thread);
        release_thread(thread);
    }
    if (error == ERROR_SUCCESS)
        return 1;
    SetLastError(error);
    return (DWORD)-1;
}

VOID ExitThread(DWORD dwExitCode)
{
    struct thread *thread = current_peek();

    if (thread)
        thread->exit_code = dwExitCode;
    /* The process ends with its last thread: that is not to be the worker. */
    if (current_id() == (DWORD)getpid())
        init_stop_worker();
    pthread_exit(NULL);
}

HANDLE GetCurrentThread(VOID)
{
    return handle_current_thread();
}

DWORD GetCurrentThreadId(VOID)
{
    return current_id();
}

DWORD GetThreadId(HANDLE Thread)
{
    struct thread *thread;

    if (handle_is_current_thread(Thread))
        return current_id();
    PAL_ERROR error = reference_thread(Thread, &thread);
    if (error) {
        SetLastError(error);
        return 0;
    }
    DWORD id = thread_id(thread);
    release_thread(thread);
    return id;
}

static PAL_ERROR open_thread(DWORD id, HANDLE *ret_handle)
{
    struct thread *thread;

    if (id == current_id()) {
        PAL_ERROR error = reference_thread(handle_current_thread(), &thread);
        if (error)
            return error;
    } else {
        thread = thread_find(id);
        if (!thread)
            return ERROR_INVALID_PARAMETER;
    }
    PAL_ERROR error = handle_open(&thread->waitable.object, ret_handle);
    if (error)
        release_thread(thread);
    return error;
}

HANDLE OpenThread(DWORD dwDesiredAccess, BOOL bInheritHandle, DWORD dwThreadId)
{
    HANDLE handle = NULL;

    (void)dwDesiredAccess;
    (void)bInheritHandle;
    PAL_ERROR error = open_thread(dwThreadId, &handle);
    if (error)
        SetLastError(error);
    return handle;
}

BOOL GetExitCodeThread(HANDLE hThread, LPDWORD lpExitCode)
{
    struct thread *thread;
    PAL_ERROR error = lpExitCode ? reference_thread(hThread, &thread) : ERROR_INVALID_PARAMETER;

    if (error) {
        SetLastError(error);
        return FALSE;
    }
    *lpExitCode = waitable_is_signalled(&thread->waitable) ? thread->exit_code : STILL_ACTIVE;
    release_thread(thread);
    return TRUE;
}

static FILETIME filetime(uint64_t time)
{
    return (FILETIME){(DWORD)time, (DWORD)(time >> 32)};
}

BOOL GetThreadTimes(HANDLE hThread, LPFILETIME lpCreationTime, LPFILETIME lpExitTime,
                    LPFILETIME lpKernelTime, LPFILETIME lpUserTime)
{
    struct thread *thread;
    PAL_ERROR error = ERROR_INVALID_PARAMETER;
    uint64_t kernel;
    uint64_t user;

    if (lpCreationTime && lpExitTime && lpKernelTime && lpUserTime)
        error = reference_thread(hThread, &thread);
    if (error) {
        SetLastError(error);
        return FALSE;
    }
    thread_cpu_times(thread, &kernel, &user);
    *lpCreationTime = filetime(thread->creation_time);
    *lpExitTime = filetime(waitable_is_signalled(&thread->waitable) ? thread->exit_time : 0);
    *lpKernelTime = filetime(kernel);
    *lpUserTime = filetime(user);
    release_thread(thread);
    return TRUE;
}

static bool is_priority(int priority)
{
    return (priority >= THREAD_PRIORITY_LOWEST && priority <= THREAD_PRIORITY_HIGHEST) ||
           priority == THREAD_PRIORITY_IDLE || priority == THREAD_PRIORITY_TIME_CRITICAL;
}

BOOL SetThreadPriority(HANDLE hThread, int nPriority)
{
    struct thread *thread;
    PAL_ERROR error =
        is_priority(nPriority) ? reference_thread(hThread, &thread) : ERROR_INVALID_PARAMETER;

    if (error) {
        SetLastError(error);
        return FALSE;
    }
    atomic_store_explicit(&thread->priority, nPriority, memory_order_relaxed);
    release_thread(thread);
    return TRUE;
}

int GetThreadPriority(HANDLE hThread)
{
    struct thread *thread;
    PAL_ERROR error = reference_thread(hThread, &thread);

    if (error) {
        SetLastError(error);
        return THREAD_PRIORITY_ERROR_RETURN;
    }
    int priority = atomic_load_explicit(&thread->priority, memory_order_relaxed);
    release_thread(thread);
    return priority;
}

HRESULT SetThreadDescription(HANDLE hThread, PCWSTR lpThreadDescription)
{
    struct thread *thread;
    PAL_ERROR error =
        lpThreadDescription ? reference_thread(hThread, &thread) : ERROR_INVALID_PARAMETER;

    if (error == ERROR_SUCCESS) {
        error = description_set(thread, lpThreadDescription);
        release_thread(thread);
    }
    return HRESULT_FROM_WIN32(error);
}

HRESULT GetThreadDescription(HANDLE hThread, PWSTR *ppszThreadDescription)
{
    struct thread *thread;
    PAL_ERROR error =
        ppszThreadDescription ? reference_thread(hThread, &thread) : ERROR_INVALID_PARAMETER;

    if (error == ERROR_SUCCESS) {
        error = description_get(thread, ppszThreadDescription);
        release_thread(thread);
    }
    return HRESULT_FROM_WIN32(error);
}

HANDLE LocalFree(HANDLE hMem)
{
    free(hMem);
    return NULL;
}

BOOL SwitchToThread(VOID)
{
    os_thread_yield();
    return TRUE;
}

VOID Sleep(DWORD dwMilliseconds)
{
    if (dwMilliseconds == 0) {
        os_thread_yield();
        return;
    }
    if (dwMilliseconds != INFINITE)
        os_clock_sleep((uint64_t)dwMilliseconds * 1000000u);
    else
        os_thread_pause();
}

VOID GetCurrentThreadStackLimits(PULONG_PTR LowLimit, PULONG_PTR HighLimit)
{
    struct thread *thread = current_peek();
    void *low = NULL;
    void *high = NULL;

    if (thread && thread->created) {
        low = stack_low(thread->stack);
        high = stack_high(thread->stack);
    } else {
        (void)os_stack_limits(&low, &high);
    }
    if (LowLimit)
        *LowLimit = (ULONG_PTR)low;
    if (HighLimit)
        *HighLimit = high ? (ULONG_PTR)high : UINTPTR_MAX;
}
