// SPDX-License-Identifier: GPL-2.0-only
/* The library of where_subject.c. */
#include "where_subject.h"

static volatile int calls;

void in_library(void)
{
	calls++;
	record("library"); /* MARK:library */
	calls++;
}
