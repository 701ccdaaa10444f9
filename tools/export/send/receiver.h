/* SPDX-License-Identifier: MIT */
/* The receiver of one signal's requests: the exporter's options of OpenTelemetry. */
#ifndef UE__TOOLS_EXPORT_RECEIVER_H
#define UE__TOOLS_EXPORT_RECEIVER_H

#include "common/cli/options.h"
#include "export/otlp/otlp_batch.h"

#define RECEIVER_ENDPOINT "http://localhost:4318"
#define RECEIVER_TIMEOUT 10000 /* milliseconds */
#define RECEIVER_TIMEOUT_MAX 86400000

/* Texts and words are its own. */
struct receiver {
	char *url;   /* with the path of the signal */
	char *shown; /* the same without a user, a password and a query, for sentences */
	/* "NAME: VALUE", or "NAME;" without a value; each name once */
	struct words headers;
	long timeout; /* from the connection to the end of the answer, in milliseconds */
	int is_gzip;
	/* Files of PEM; NULL: the system's certificates, and no certificate of our own. */
	char *certificate;
	char *client_certificate;
	char *client_key; /* NULL: in client_certificate */
};

/*
 * Take options from the command line, and the rest from OpenTelemetry's variables. 0, or
 * an exit status after a message. The caller frees it in both cases.
 */
int receiver_read(struct receiver *receiver, enum otlp_signal signal,
		  const struct export_options *command_line);
void receiver_free(struct receiver *receiver);

/*
 * A header that is added to each request, in the place of one of the same name. 0, or -1
 * after a message, in which from is the option or variable. The value is never shown.
 */
int receiver_add_header(struct receiver *receiver, const char *name, size_t name_length,
			const char *value, const char *from);
/* "NAME=VALUE,NAME=VALUE" of OTEL_EXPORTER_OTLP_HEADERS, with %20 for a blank. The same. */
int receiver_add_header_list(struct receiver *receiver, const char *list,
			     const char *from);

#endif
