/* SPDX-License-Identifier: MIT */
/*
 * Tests and checks.
 *
 *     PAL_TEST(suite, name)
 *     {
 *         EXPECT_EQ(FlushCount(), 3u);
 *     }
 *
 * EXPECT_* goes on after a failure; ASSERT_*, FAIL and SKIP return from the function that they are
 * in, which has to return void. Any thread of the test may use them, and so may the children that
 * child.h and trace.h start; a bare fork() does not hand its failures back.
 *
 * Operands are evaluated once, the left one first. Integers compare by their mathematical values
 * whatever their signedness; a char pointer compares as a pointer (EXPECT_STREQ compares text).
 * Bit-fields have no type that _Generic can name: write `+bits.field`.
 */
#ifndef KIT_TEST_H
#define KIT_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kit_test {
    const char *suite;
    const char *name;
    const char *file;
    int line;
    void (*body)(void);
    struct kit_test *next;
};

/* All tests, in the order in which the linker put their files. */
struct kit_test *kit_tests(void);
void kit_register(struct kit_test *test);

/* Where failures and skips go: to a runner, or from a child to its parent. */
struct kit_sink {
    void (*fail)(const char *file, int line, const char *text);
    void (*skip)(const char *file, int line, const char *reason);
};

/* Not while another thread reports. NULL restores the default, which prints. */
void kit_set_sink(const struct kit_sink *sink);

/* Forgets the outcome of the test before. */
void kit_start_over(void);
/* Runs one test under the present sink. A skip, if it stands, is announced on stdout. */
void kit_run_test(const struct kit_test *test);

/* The outcome of the running test so far. A test that failed does not count as skipped. */
int kit_failures(void);
bool kit_skipped(void);
const char *kit_skip_reason(void);

void kit_fail_text(const char *file, int line, const char *text);
void kit_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void kit_skip(const char *file, int line, const char *reason);

#ifdef __cplusplus
}
#else

#define PAL_TEST(suite_, name_)                                                                    \
    static void kit_body_##suite_##_##name_(void);                                                 \
    __attribute__((constructor)) static void kit_register_##suite_##_##name_(void)                 \
    {                                                                                              \
        static struct kit_test test = {.suite = #suite_,                                           \
                                       .name = #name_,                                             \
                                       .file = __FILE__,                                           \
                                       .line = __LINE__,                                           \
                                       .body = kit_body_##suite_##_##name_};                       \
        kit_register(&test);                                                                       \
    }                                                                                              \
    static void kit_body_##suite_##_##name_(void)

/* The texts of the operands come in from the outermost macro, where they are not expanded yet. */
#define KIT_COMPARE(operation, a, b, a_text, b_text, on_failure)                                   \
    do {                                                                                           \
        const struct kit_value kit_left = KIT_VALUE(a);                                            \
        const struct kit_value kit_right = KIT_VALUE(b);                                           \
        if (!kit_check(__FILE__, __LINE__, operation, kit_left, kit_right, a_text, b_text)) {      \
            on_failure;                                                                            \
        }                                                                                          \
    } while (0)

#define KIT_TRUTH(expected, condition, text, on_failure)                                           \
    do {                                                                                           \
        if (!kit_check_truth(__FILE__, __LINE__, expected, KIT_VALUE(condition), text)) {          \
            on_failure;                                                                            \
        }                                                                                          \
    } while (0)

#define KIT_STRINGS(operation, a, b, a_text, b_text, on_failure)                                   \
    do {                                                                                           \
        const char *kit_left = (a);                                                                \
        const char *kit_right = (b);                                                               \
        if (!kit_check_text(__FILE__, __LINE__, operation, kit_left, kit_right, a_text, b_text)) { \
            on_failure;                                                                            \
        }                                                                                          \
    } while (0)

#define EXPECT_EQ(a, b) KIT_COMPARE(KIT_EQ, a, b, #a, #b, (void)0)
#define EXPECT_NE(a, b) KIT_COMPARE(KIT_NE, a, b, #a, #b, (void)0)
#define EXPECT_LT(a, b) KIT_COMPARE(KIT_LT, a, b, #a, #b, (void)0)
#define EXPECT_LE(a, b) KIT_COMPARE(KIT_LE, a, b, #a, #b, (void)0)
#define EXPECT_GT(a, b) KIT_COMPARE(KIT_GT, a, b, #a, #b, (void)0)
#define EXPECT_GE(a, b) KIT_COMPARE(KIT_GE, a, b, #a, #b, (void)0)
#define EXPECT_TRUE(condition) KIT_TRUTH(true, condition, #condition, (void)0)
#define EXPECT_FALSE(condition) KIT_TRUTH(false, condition, #condition, (void)0)
#define EXPECT_STREQ(a, b) KIT_STRINGS(KIT_EQ, a, b, #a, #b, (void)0)
#define EXPECT_STRNE(a, b) KIT_STRINGS(KIT_NE, a, b, #a, #b, (void)0)
#define EXPECT_STRHAS(haystack, needle)                                                            \
    KIT_STRINGS(KIT_HAS, haystack, needle, #haystack, #needle, (void)0)

#define ASSERT_EQ(a, b) KIT_COMPARE(KIT_EQ, a, b, #a, #b, return )
#define ASSERT_NE(a, b) KIT_COMPARE(KIT_NE, a, b, #a, #b, return )
#define ASSERT_LT(a, b) KIT_COMPARE(KIT_LT, a, b, #a, #b, return )
#define ASSERT_LE(a, b) KIT_COMPARE(KIT_LE, a, b, #a, #b, return )
#define ASSERT_GT(a, b) KIT_COMPARE(KIT_GT, a, b, #a, #b, return )
#define ASSERT_GE(a, b) KIT_COMPARE(KIT_GE, a, b, #a, #b, return )
#define ASSERT_TRUE(condition) KIT_TRUTH(true, condition, #condition, return )
#define ASSERT_FALSE(condition) KIT_TRUTH(false, condition, #condition, return )
#define ASSERT_STREQ(a, b) KIT_STRINGS(KIT_EQ, a, b, #a, #b, return )
#define ASSERT_STRNE(a, b) KIT_STRINGS(KIT_NE, a, b, #a, #b, return )
#define ASSERT_STRHAS(haystack, needle)                                                            \
    KIT_STRINGS(KIT_HAS, haystack, needle, #haystack, #needle, return )

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        kit_fail(__FILE__, __LINE__, __VA_ARGS__);                                                 \
        return;                                                                                    \
    } while (0)

#define SKIP(reason)                                                                               \
    do {                                                                                           \
        kit_skip(__FILE__, __LINE__, reason);                                                      \
        return;                                                                                    \
    } while (0)

#define SKIP_UNLESS(condition, reason)                                                             \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            SKIP(reason);                                                                          \
        }                                                                                          \
    } while (0)

/* After a child that may have skipped: the rest of the test has nothing to look at. */
#define RETURN_IF_SKIPPED()                                                                        \
    do {                                                                                           \
        if (kit_skipped()) {                                                                       \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#endif

/* Which sanitizer the test was built with. */
#if defined(__has_feature)
#define KIT_HAS_FEATURE(feature) __has_feature(feature)
#else
#define KIT_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || KIT_HAS_FEATURE(thread_sanitizer)
#define KIT_TSAN 1
#else
#define KIT_TSAN 0
#endif
#if defined(__SANITIZE_ADDRESS__) || KIT_HAS_FEATURE(address_sanitizer)
#define KIT_ASAN 1
#else
#define KIT_ASAN 0
#endif
#if KIT_TSAN || KIT_ASAN
#define KIT_SANITIZED 1
#else
#define KIT_SANITIZED 0
#endif

#endif
