/* SPDX-License-Identifier: MIT */
#include "base/utf.h"

#include <string.h>

#include "kit/test.h"

static void expect(const char16_t *text, size_t size, const char *bytes)
{
    char out[32];

    size_t length = utf16_to_utf8(text, out, size);
    EXPECT_STREQ(out, bytes);
    EXPECT_EQ(length, strlen(bytes));
}

PAL_TEST(utf, every_length)
{
    expect(u"", 32, "");
    expect(u"a\x7f", 32, "a\x7f");
    expect(u"\u00a0\u07ff", 32, "\xc2\xa0\xdf\xbf");
    expect(u"\u0800\uffff", 32, "\xe0\xa0\x80\xef\xbf\xbf");
    expect(u"\U00010000\U0010ffff", 32, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

PAL_TEST(utf, lone_surrogates_are_replaced)
{
    const char16_t high_last[] = {u'a', 0xD800, 0};
    const char16_t high_alone[] = {0xDBFF, u'a', 0};
    const char16_t low_alone[] = {0xDC00, u'a', 0};
    const char16_t wrong_way_round[] = {0xDC00, 0xD800, 0};

    expect(high_last, 32, "a\xef\xbf\xbd");
    expect(high_alone, 32,
           "\xef\xbf\xbd"
           "a");
    expect(low_alone, 32,
           "\xef\xbf\xbd"
           "a");
    expect(wrong_way_round, 32, "\xef\xbf\xbd\xef\xbf\xbd");
}

PAL_TEST(utf, cut_between_characters)
{
    expect(u"abc", 4, "abc");
    expect(u"abc", 3, "ab");
    expect(u"abc", 1, "");
    expect(u"ab\u00e9", 5, "ab\xc3\xa9");
    expect(u"ab\u00e9", 4, "ab");
    expect(u"a\U0001f600b", 6, "a\xf0\x9f\x98\x80");
    expect(u"a\U0001f600b", 5, "a");
}
