/* SPDX-License-Identifier: GPL-2.0-only */
/* Internal to the library: the parts of HTML reports. */
#ifndef GLASS_LIB_PICTURE_PAGE_H
#define GLASS_LIB_PICTURE_PAGE_H

#include <stdio.h>

#include "lib/picture/picture.h"

/* All up to and with <body> */
void page_head(FILE *to, const char *title);
void page_diagram(FILE *to, const struct picture *p);
void page_table(FILE *to, const struct picture *p);
/* All from </main> on. command may be NULL. */
void page_foot(FILE *to, const char *choice, const char *tool, const char *command);

#endif
