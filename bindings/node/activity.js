// SPDX-License-Identifier: MIT
'use strict';
// Activities, and the one that events of this call and all that it awaits belong to.
const { AsyncLocalStorage } = require('node:async_hooks');
const crypto = require('node:crypto');
const native = require('./native');
const { alone, bytes, idOf } = require('./pack');

const current = new AsyncLocalStorage();

// An id that the events of one piece of work share: 16 bytes or the text of a UUID; a new one by default.
class Activity {
	#id;

	constructor(id) {
		this.#id = id === undefined ? newId() : idOf(id);
	}

	get id() {
		return Buffer.from(this.#id);
	}

	toString() {
		return this.#id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
	}

	toJSON() {
		return this.toString();
	}

	// Its bytes, or undefined for what is no activity: a program does not fail because of its trace.
	static bytesOf(activity) {
		return typeof activity === 'object' && activity !== null && #id in activity ? activity.#id : undefined;
	}
}
const { bytesOf } = Activity;
delete Activity.bytesOf; // nobody else may change the bytes

function newId() {
	return alone(() => native.activity() < 0 ? crypto.randomBytes(16) : Buffer.from(bytes.subarray(0, 16)));
}

function currentActivity() {
	return current.getStore();
}

// Calls the function with its arguments; events that it writes, and what it awaits, belong to the activity.
function within(activity, call, ...given) {
	if (activity !== undefined && !bytesOf(activity)) // instanceof would call a Proxy
		throw new TypeError('cannot be within what is no Activity; make one of an id with new Activity(id)');
	return current.run(activity, call, ...given);
}

module.exports = { Activity, bytesOf, currentActivity, within };
