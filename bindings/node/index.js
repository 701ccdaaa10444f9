// SPDX-License-Identifier: MIT
'use strict';
// Trace events through Linux user_events, or into a ring without them. README.md has the rest.
//
//	const userevents = require('userevents');
//
//	const session = new userevents.Session();
//	const request = session.event('shop_request u32 status; __rel_loc char[] path');
//	request.write({ status: 200, path: '/index.html' });
//
// Without user_events, everything works and nothing is written; session.error says why.
const { Activity, currentActivity, within } = require('./activity');
const { types } = require('./pack');

module.exports = { Activity, currentActivity, within, ...require('./session'), ...require('./loggers'), ...types };
