// SPDX-License-Identifier: GPL-2.0-only
/* The story of a queue pair: why it failed, or what it waits for. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ibtop/model/compute.h"
#include "ibtop/model/snapshot.h"
#include "ibtop/refresh/refresh.h"
#include "lib/blackbox/box.h"
#include "lib/blackbox/snapshot.h"
#include "lib/picture/story.h"
#include "lib/picture/write.h"
#include "lib/why/tell.h"

struct told {
	bool failed;
	struct why_verdict verdict;
	/* of a failure */
	struct box box;
	struct picture_book *book;
	struct picture *picture; /* NULL: there is nothing to draw */
	/* of a QP that waits */
	enum why_end end;
};

/* Reads the failure. Returns false, with the reason in error, if there is none. */
static bool tell_failure(struct told *t, const char *dev, uint64_t qpn, char *error, size_t size)
{
	uint64_t id = box_last_of_qp(dev, qpn);
	struct picture_wish wish;
	char choice[400];
	int err;

	if (!id) {
		snprintf(error, size, "the driver keeps no failure of it");
		return false;
	}
	err = box_ask(&t->box, id);
	if (err) {
		snprintf(error, size, "failure %" PRIu64 ": %s", id,
			 err == ENOENT ? "the driver keeps it no longer" : strerror(err));
		return false;
	}
	t->failed = true;
	why_reason(&t->box.story[0].story, &t->verdict);
	t->book = picture_book_new(PICTURE_ITEMS);
	if (!t->book || picture_story(&t->box.story[0].story, t->book, NULL))
		return true;
	picture_story_wish(&t->box.story[0].story, &wish);
	t->picture = picture_book_choose(t->book, &wish, choice, sizeof(choice));
	if (t->picture)
		t->picture->zero = picture_story_zero(&t->box.story[0].story);
	return true;
}

/* As tell_failure(), of what it waits for */
static bool tell_wait(struct told *t, const char *dev, uint64_t qpn, char *error, size_t size)
{
	struct devices devices;
	struct qp_snapshot *s = malloc(sizeof(*s));
	const struct why_qp *qp = NULL;
	size_t i, failed = 0;
	int err = s ? debugfs_devices_with("details/qp", &devices) : ENOMEM;

	if (!err) {
		err = snapshot_take(s, &devices, &failed);
		for (i = 0; !err && i < s->w.qps; i++)
			if (s->w.qp[i].qpn == qpn && !strcmp(s->w.qp[i].dev, dev))
				qp = &s->w.qp[i];
		if (qp)
			t->end = why_wait(&s->w, qp, &t->verdict);
		snapshot_free(s);
	}
	free(s);
	if (err)
		snprintf(error, size, "details/qp: %s", strerror(err));
	else if (!qp)
		snprintf(error, size, "it is gone");
	return qp;
}

enum trouble model_trouble(const struct model *m, const struct row *row)
{
	struct cell state;

	if (row->view != VIEW_QP || m->replay)
		return TROUBLE_NONE;
	state = row_cell_named(m, row, "state");
	if (state.state == CELL_VALUE && state.text && (!strcmp(state.text, "err") || !strcmp(state.text, "sqe")))
		return TROUBLE_FAILED;
	return !(row->flags & ROW_GONE) && qp_stuck(row) ? TROUBLE_STUCK : TROUBLE_NONE;
}

struct told *model_story(struct model *m, const struct row *qp, bool wait, char *error, size_t size)
{
	struct told *t = NULL;
	const char *dev;
	bool ok;

	if (qp->view != VIEW_QP)
		snprintf(error, size, "only queue pairs have a story");
	else if (m->replay)
		snprintf(error, size, "stories are not in a record");
	else if (qp->dev == NO_DEVICE || !m->devices[qp->dev].tables)
		snprintf(error, size, "only Glass adapters keep stories");
	else
		t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	dev = m->devices[qp->dev].name;
	ok = wait ? tell_wait(t, dev, qp->num[0], error, size) :
		    tell_failure(t, dev, qp->num[0], error, size);
	if (ok)
		return t;
	told_free(t);
	return NULL;
}

bool told_is_failure(const struct told *t)
{
	return t->failed;
}

bool told_has_diagram(const struct told *t)
{
	return t->picture;
}

void told_text(const struct told *t, FILE *to, unsigned int width)
{
	const struct why_style style = { .to = to, .color = true, .width = width };

	if (t->failed)
		why_tell_story(&style, &t->box.story[0].story, &t->verdict);
	else
		why_tell_wait(&style, &t->verdict, t->end);
}

void told_diagram(const struct told *t, FILE *to, unsigned int width, bool utf8)
{
	const struct picture_terminal terminal = { .width = width, .utf8 = utf8, .color = true };

	picture_write_text(to, t->picture, &terminal);
}

void told_free(struct told *t)
{
	if (!t)
		return;
	picture_book_free(t->book);
	box_free(&t->box);
	free(t);
}
