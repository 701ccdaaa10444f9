/* SPDX-License-Identifier: MIT */
/* Applies new settings to a collector that runs. */
#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "collector.h"
#include "metrics/metrics_labels.h"
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
	running->metrics = settings->metrics;
	running->metrics_labels = settings->metrics_labels;
	free(collector->metrics.labels);
	collector->metrics.labels = metrics_labels_text(&settings->metrics_labels);
	running->metrics_interval = settings->metrics_interval;
	collector->next_metrics = 0;
}

/* After everything else, as it takes effect at once. */
static int listen_there(struct collector *collector, const struct settings *settings)
{
	if (!words_differ(&collector->settings.metrics, &settings->metrics))
		return 0;
	return metrics_server_listen(collector->server, &settings->metrics);
}

static int read_again(struct collector *collector)
{
	struct settings settings = collector->settings;
	struct where *where;

	if (collector->reload(&settings))
		return -1;
	if (parse_where(&settings, &where) || listen_there(collector, &settings)) {
		where_free(where);
		settings_free(&settings);
		return -1;
	}
	apply(collector, &settings, where);
	settings_free(&collector->reread);
	collector->reread = settings;
	return 0;
}

void collector_reload(struct collector *collector)
{
	service_notify_reload();
	message(read_again(collector) ? "The settings stay as they were." :
					"The settings were read again.");
	service_notify("READY=1");
}
