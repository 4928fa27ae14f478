/* SPDX-License-Identifier: MIT */
/*
 * Runs the tests under GoogleTest. This is the only C++ in the project; the tests are C.
 */
#include <gtest/gtest.h>

#include "test.h"

namespace
{

void fail(const char *file, int line, const char *text)
{
    ADD_FAILURE_AT(file, line) << text;
}

/* GoogleTest hears of a skip when the test has ended without a failure, not earlier. */
void skip(const char *, int, const char *)
{
}

constexpr kit_sink sink = {fail, skip};

class Case : public testing::Test
{
  public:
    explicit Case(const kit_test *test) : test_(test)
    {
    }

  private:
    void TestBody() override
    {
        kit_set_sink(&sink);
        kit_run_test(test_);
        if (kit_skipped()) {
            GTEST_SKIP() << kit_skip_reason();
        }
    }

    const kit_test *test_;
};

} // namespace

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    for (const kit_test *test = kit_tests(); test != nullptr; test = test->next) {
        testing::RegisterTest(test->suite, test->name, nullptr, nullptr, test->file, test->line,
                              [test]() -> Case * { return new Case(test); });
    }
    return RUN_ALL_TESTS();
}
