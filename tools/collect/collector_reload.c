/* SPDX-License-Identifier: MIT */
/* Applies new settings to a collector that runs. */
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "collector.h"
#include "service_notify.h"

/* An expression that is wrong leaves the old settings, all of them. */
static int parse_where(const struct settings *settings, struct where **where)
{
	*where = NULL;
	if (!settings->where)
		return 0;
	*where = where_parse(settings->where);
	return *where ? 0 : EXIT_WRONG_USAGE;
}

/* Events that are on their way were judged by the old ones. */
static void apply(struct collector *collector, const struct settings *settings,
		  struct where *where)
{
	struct settings *running = &collector->settings;

	where_free(collector->where);
	collector->where = where;
	collector->has_misfit = 0;
	collector->limit.rate = settings->max_rate ? settings->rate : 0;
	running->where = settings->where;
	running->max_rate = settings->max_rate;
	running->rate = settings->rate;
	if (words_differ(&running->metrics, &settings->metrics))
		metrics_server_listen(collector->server, &settings->metrics);
	running->metrics = settings->metrics;
	running->metrics_interval = settings->metrics_interval;
	collector->next_metrics = 0;
}

void collector_reload(struct collector *collector)
{
	struct settings settings = collector->settings;
	struct where *where;

	service_notify_reload();
	if (collector->reload(&settings) || parse_where(&settings, &where)) {
		message("The settings stay as they were.");
	} else {
		apply(collector, &settings, where);
		message("The settings were read again.");
	}
	service_notify("READY=1");
}
