/* SPDX-License-Identifier: MIT */
#include "os/page.h"

#include <errno.h>
#include <sys/mman.h>

#include "kit/fault.h"
#include "kit/resources.h"
#include "kit/test.h"

static void *map_anonymous(void *where, size_t size, int more_flags)
{
    return mmap(where, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
}

/* Without rights the page looks like a stack's guard, and the kernel merges what looks alike. */
PAL_TEST(page, is_a_mapping_of_its_own)
{
    SKIP_UNLESS(!KIT_ASAN && !KIT_TSAN, "a sanitizer maps what it wants");
    ASSERT_EQ(os_page_size_init(), 0);
    size_t size = os_page_size();
    char *guards = map_anonymous(NULL, 3 * size, 0);
    ASSERT_NE((void *)guards, MAP_FAILED);
    int merged = kit_resources_now().mappings;

    /* The control: a page with nothing special about it, between two like it. */
    ASSERT_EQ(munmap(guards + size, size), 0);
    EXPECT_EQ(kit_resources_now().mappings, merged + 1);
    ASSERT_EQ((void *)(guards + size), map_anonymous(guards + size, size, MAP_FIXED));
    EXPECT_EQ(kit_resources_now().mappings, merged);
    ASSERT_EQ(munmap(guards + size, size), 0);

    /* The kernel fills the gaps from above: sooner or later a page of ours gets this one. */
    void *page = NULL;
    for (int i = 0; i < 1000 && page != guards + size; i++)
        ASSERT_EQ(os_page_map(&page), 0);
    SKIP_UNLESS(page == guards + size, "the gap was not filled");
    int apart = kit_resources_now().mappings;
    ASSERT_EQ(os_page_protect(page, PROT_NONE), 0);
    EXPECT_EQ(kit_resources_now().mappings, apart);
}

PAL_TEST(page, can_be_written_locked_and_unmapped)
{
    void *page = NULL;

    ASSERT_EQ(os_page_size_init(), 0);
    struct kit_resources before = kit_resources_now();
    ASSERT_EQ(os_page_map(&page), 0);
    *(volatile char *)page = 1;
    EXPECT_EQ(os_page_protect(page, PROT_NONE), 0);
    os_page_unmap(page);
    EXPECT_RESOURCES_EQ(before, kit_resources_now());
}

PAL_TEST(page, failures_are_told)
{
    void *page = &page;

    kit_fault(OS_CALL_PAGE_SIZE, 0, 1, EINVAL);
    EXPECT_EQ(os_page_size_init(), -EINVAL);
    ASSERT_EQ(os_page_size_init(), 0);
    kit_fault(OS_CALL_MMAP, 0, 1, ENOMEM);
    EXPECT_EQ(os_page_map(&page), -ENOMEM);
    EXPECT_EQ(page, (void *)&page); /* left alone */
}
