// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does pin_user_pages_remote() have a parameter for an array of VMAs? */
#include <linux/mm.h>

long probe(struct mm_struct *mm, struct page **pages);

long probe(struct mm_struct *mm, struct page **pages)
{
	return pin_user_pages_remote(mm, 0, 1, 0, pages, NULL, NULL);
}
