/* SPDX-License-Identifier: MIT */
/* Where requests of one signal are sent, and how: the exporter's options of OpenTelemetry. */
#ifndef UE__TOOLS_EXPORT_RECEIVER_H
#define UE__TOOLS_EXPORT_RECEIVER_H

#include "cli/options.h"

#define RECEIVER_ENDPOINT "http://localhost:4318"
#define RECEIVER_TIMEOUT 10000 /* milliseconds */

/* Texts and words are its own. */
struct receiver {
	char *url;   /* with the path of the signal */
	char *shown; /* the same without a user, a password and a query, for sentences */
	struct words headers; /* "NAME: VALUE", each name once */
	long timeout;	      /* for the connection, the request and the answer, in milliseconds */
	int is_gzip;
	/* Files of PEM; NULL: the system's certificates, and no certificate of our own. */
	char *certificate;
	char *client_certificate;
	char *client_key; /* NULL: in client_certificate */
};

#endif
