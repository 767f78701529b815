// SPDX-License-Identifier: GPL-2.0-only
/* The commands of ibwhy. */
#include <argp.h>
#include <locale.h>
#include <string.h>

#include "command.h"
#include "hang.h"
#include "json.h"
#include "lib/json.h"
#include "options.h"
#include "other.h"
#include "peer.h"
#include "record.h"

/* The file of --peer; empty without the option */
static struct peer other_host;

/* live: a story of this host's driver, which may know more than the story */
static void reason(struct why_story *s, struct why_verdict *v, const struct options *live)
{
	/* places and findings are of this host: the other host's rows come behind them */
	if (live)
		record_add(s, !live->no_where);
	peer_join(s, &other_host);
	why_reason(s, v);
}

/* How to write text to this stream: lines fit its terminal, and are not so long that they are hard to read. */
static struct why_style style_of(FILE *to, const struct options *o)
{
	unsigned int columns = cli_columns(to);

	return (struct why_style){ to, cli_color(to), o->brief, columns < WHY_WIDTH ? columns : WHY_WIDTH };
}

static enum status write_json(json_object *to)
{
	return json_write(to, "-") ? ST_FAILED : ST_OK;
}

static enum status list(const struct why_style *style, struct box *b, const struct options *o)
{
	json_object *to = o->json ? json_object_new_array() : NULL;
	struct why_verdict v;
	size_t i;

	if (!o->json && b->count)
		why_tell_list_header(style);
	for (i = 0; i < b->count; i++) {
		reason(&b->story[i].story, &v, NULL);
		if (o->json)
			json_object_array_add(to, json_of_story(&b->story[i].story, &v));
		else
			why_tell_list_line(style, &b->story[i].story, &v);
	}
	if (o->json)
		return write_json(to);
	if (!b->count)
		fprintf(style->to, "no failures\n");
	if (!o->file)
		other_tell(style, 0, NULL);
	return ST_OK;
}

/* Writes the pictures that the command line asks for. */
static enum status draw(const struct options *o, const struct why_story *s, const struct why_verdict *v)
{
	struct picture_outputs pictures = o->pictures;
	enum cli_status status;

	if (!picture_outputs_any(&pictures))
		return ST_OK;
	status = picture_outputs_open(&pictures, argp_program_version, false);
	if (!status)
		picture_outputs_story(&pictures, s, v);
	/* also what was opened before a file that cannot be opened */
	return picture_outputs_close(&pictures, 0) || status ? ST_FAILED : ST_OK;
}

static enum status tell_one(const struct why_style *style, struct why_story *s, const struct options *o)
{
	enum status status = ST_OK;
	struct why_verdict v;

	reason(s, &v, o->file ? NULL : o);
	if (o->json)
		status = write_json(json_of_story(s, &v));
	else if (!picture_outputs_stdout(&o->pictures))
		why_tell_story(style, s, &v);
	return draw(o, s, &v) ?: status;
}

/* The newest story that the command line selects; NULL after cli_error() */
static struct why_story *choose(struct box *b, const struct options *o)
{
	size_t i;

	for (i = b->count; i--;) {
		struct why_story *s = &b->story[i].story;

		if (o->last || (o->id && box_id(s) == o->id) ||
		    (o->object && box_is_object(s, o->object)))
			return s;
	}
	if (o->object)
		cli_error("%s: no failure of this object is kept; ibwhy lists those that are",
			  o->object);
	else if (o->id)
		cli_error("failure %llu: there is none of this id; ibwhy lists those that are kept",
			  (unsigned long long)o->id);
	else
		cli_error("no failures");
	return NULL;
}

static int list_or_tell(const struct why_style *style, const struct options *o)
{
	struct why_story *s;
	struct box b;
	int status;

	if (o->file)
		status = box_read_file(&b, o->file);
	else if (o->id)
		status = box_read_one(&b, o->id);
	else
		status = box_read(&b, 0);
	/* a file with one story needs no choice */
	if (!status && (o->deed == DEED_TELL || (o->file && b.count == 1))) {
		s = o->deed == DEED_TELL ? choose(&b, o) : &b.story[0].story;
		status = s ? tell_one(style, s, o) : ST_NONE;
	} else if (!status && picture_outputs_any(&o->pictures)) {
		cli_error("pictures are those of one failure: name its id; ibwhy lists them");
		status = ST_USAGE;
	} else if (!status) {
		status = list(style, &b, o);
	}
	box_free(&b);
	return status;
}

/* The output is on standard error: standard output is the command's. Pictures are those of the first failure. */
static enum status tell_new(const struct options *o, struct box *b)
{
	struct why_style style = style_of(stderr, o);
	json_object *to = o->json ? json_object_new_array() : NULL;
	size_t i, others = 0, mine = 0;
	enum status status = ST_OK;
	struct why_verdict v;

	for (i = 0; i < b->count; i++) {
		struct why_story *s = &b->story[i].story;

		if (!command_owns(s)) {
			others++;
			continue;
		}
		reason(s, &v, o);
		if (to)
			json_object_array_add(to, json_of_story(s, &v));
		else
			why_tell_story(&style, s, &v);
		if (!mine++)
			status = draw(o, s, &v);
	}
	if (to) {
		fprintf(stderr, "%s\n",
			json_object_to_json_string_ext(to, JSON_C_TO_STRING_PRETTY |
								   JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(to);
	} else if (!mine) {
		cli_error("no QP, CQ or SRQ of the command failed");
	}
	if (others)
		cli_error("%zu other %s: ibwhy lists all", others,
			  others == 1 ? "object failed" : "objects failed");
	return status;
}

static int run_command(const struct options *o)
{
	struct box b;
	bool ran;
	int status;

	if (!o->no_where)
		record_begin();
	status = command_run(o->command, &b, &ran);
	/* the status is the command's, also if a picture cannot be written: that was told */
	if (ran && (status || o->always))
		tell_new(o, &b);
	box_free(&b);
	command_free();
	return status;
}

static enum status list_causes(const struct why_style *style, bool json)
{
	json_object *to = json_object_new_array();
	int i;

	for (i = 0; i < WHY_CAUSE_COUNT; i++) {
		json_object *one = json_object_new_object();

		json_object_object_add(one, "cause", json_object_new_string(why_cause_word(i)));
		json_object_object_add(one, "title", json_object_new_string(why_cause_title(i)));
		json_object_object_add(one, "advice", json_object_new_string(why_cause_advice(i)));
		json_object_array_add(to, one);
		if (!json)
			fprintf(style->to, "%-15s %s\n", why_cause_word(i), why_cause_title(i));
	}
	if (json)
		return write_json(to);
	json_object_put(to);
	return ST_OK;
}

static int carry_out(const struct options *o)
{
	struct why_style style = style_of(stdout, o);

	switch (o->deed) {
	case DEED_RUN:
		return run_command(o);
	case DEED_HANG:
		return hang_tell(&style, o->pid, o->json);
	case DEED_SAVE:
		return save(o->save, !o->no_where);
	case DEED_CAUSES:
		return list_causes(&style, o->json);
	default:
		return list_or_tell(&style, o);
	}
}

int ibwhy_main(int argc, char **argv)
{
	struct options o;
	int status = ST_OK;

	setlocale(LC_CTYPE, "");
	options_read(&o, argc, argv);
	if (o.peer)
		status = peer_read(&other_host, o.peer);
	if (!status)
		status = carry_out(&o);
	record_end();
	peer_free(&other_host);
	if (o.deed != DEED_RUN && cli_flush(CLI_OK) && !status)
		status = ST_FAILED;
	return status;
}
