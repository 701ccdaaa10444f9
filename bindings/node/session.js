// SPDX-License-Identifier: MIT
'use strict';
// Sessions, events and tracepoints.
const { constants } = require('node:os');
const { types } = require('node:util');
const { Activity, bytesOf, currentActivity, within } = require('./activity');
const { Layout } = require('./classic');
const native = require('./native');
const { TooLarge, headOf, isA, packEventHeader } = require('./pack');

const CALL_OPEN = 0, CALL_REGISTER = 2, CALL_WRITE = 5;
const LOSSES = 5;
const WORD_ASK = 2 ** 31;
const PAYLOAD_MAX = 4064;
const { EBADF, EINVAL, EMSGSIZE, ENOMEM } = constants.errno;

const Level = Object.freeze({ CRITICAL: 1, ERROR: 2, WARNING: 3, INFORMATION: 4, VERBOSE: 5 });
const Opcode = Object.freeze({ INFO: 0, ACTIVITY_START: 1, ACTIVITY_STOP: 2 });

// An error of the library: errno, and a sentence with the cause and the fix.
class UserEventsError extends Error {
	constructor(call, error) {
		super(native.explain(call, error));
		this.name = 'UserEventsError';
		this.errno = -error;
		this.code = Object.keys(constants.errno).find((name) => constants.errno[name] === -error);
	}
}

function lossesOf(session, event) {
	const losses = {};
	for (let reason = 0; reason < LOSSES; reason++) {
		const count = native.losses(session, event, reason);
		if (count > 0)
			losses[native.lossName(reason)] = count;
	}
	return losses;
}

function textWithoutNul(text, what) {
	if (typeof text !== 'string')
		throw new TypeError(`cannot define ${what}: a string is expected`);
	if (text.includes('\0'))
		throw new RangeError(`cannot define ${what}: it contains a NUL`);
	return text;
}

function checkedInteger(number, most, what) {
	if (!Number.isInteger(number) || number < 0 || number > most)
		throw new RangeError(`cannot define ${what}: an integer from 0 to ${most} is expected`);
	return number;
}

// A connection to user_events, or to what is in its place. Without any, .error is the reason, events are
// disabled and nothing is written; with strict, failures to open, register and write are thrown.
class Session {
	#handle;
	#payloadMax = PAYLOAD_MAX;
	#altered = 0;

	constructor({ path, fd, strict = false } = {}) {
		this.strict = Boolean(strict);
		this.error = undefined;
		const opened = native.open(path === undefined ? undefined : textWithoutNul(path, 'the session'),
			fd === undefined ? undefined : checkedInteger(fd, 2 ** 31 - 1, 'the session'));
		if (typeof opened === 'number') {
			this.error = new UserEventsError(CALL_OPEN, opened);
			if (strict)
				throw this.error;
			return;
		}
		this.#handle = opened;
		this.#payloadMax = native.payloadMax(opened);
	}

	// A classic event, "name type field; type field". Throws for a malformed definition.
	event(definition, flags = 0) {
		return new Event(this, textWithoutNul(definition, 'the event'), checkedInteger(flags, 2 ** 31 - 1, 'the event'));
	}

	// A tracepoint of EventHeader events. level: 1 to 255. keyword: 64 bits, a BigInt or a number.
	tracepoint(provider, level, keyword = 0, { group, flags = 0 } = {}) {
		return new Tracepoint(this, provider, level, keyword, group, flags);
	}

	get losses() {
		return this.#handle ? lossesOf(this.#handle) : {};
	}

	// Values of all its events that were not written as they are.
	get altered() {
		return this.#altered;
	}

	// Disables all events of the session, which remain usable.
	close() {
		const handle = this.#handle;
		this.#handle = undefined;
		if (handle)
			native.close(handle);
	}

	[Symbol.dispose]() {
		this.close();
	}

	static handleOf(session) {
		return session.#handle;
	}

	static payloadMaxOf(session) {
		return session.#payloadMax;
	}

	static countAltered(session, altered) {
		session.#altered += altered;
	}
}
const { countAltered, handleOf, payloadMaxOf } = Session;
delete Session.countAltered;
delete Session.handleOf;
delete Session.payloadMaxOf;

// What events and tracepoints have in common.
class Registered {
	#event;
	#word;
	#altered = 0;
	#count = (altered) => {
		this.#altered += altered;
		countAltered(this.session, altered);
	};

	constructor(session, event) {
		if (!(session instanceof Session))
			throw new TypeError('events are made by a session');
		this.session = session;
		this.error = session.error;
		this.#event = event;
		const word = native.word(event);
		this.#word = word ? new Uint32Array(word) : undefined;
		const handle = handleOf(session);
		const result = handle ? native.register(handle, event) : 0;
		if (result < 0) {
			this.error = new UserEventsError(CALL_REGISTER, result);
			if (session.strict)
				throw this.error;
		}
	}

	// Whether any tool listens: to skip work that only the trace needs.
	get enabled() {
		const word = this.#word ? this.#word[0] : WORD_ASK;
		return word !== 0 && (word < WORD_ASK || native.enabled(this.#event));
	}

	// Lost events by reason; reasons without any are left out.
	get losses() {
		return lossesOf(undefined, this.#event);
	}

	// Values that were not written as they are: as text, cut, or left out.
	get altered() {
		return this.#altered;
	}

	// Packs and sends a record. pack: gets room, strict, send and count. Returns false for a loss.
	_write(pack) {
		const { session } = this;
		const handle = handleOf(session);
		let result;
		try {
			result = pack(payloadMaxOf(session), session.strict, (described, values) =>
				handle ? native.write(handle, this.#event, described, values) : -EBADF, this.#count);
		} catch (error) {
			if (session.strict && !isA(error, TooLarge))
				throw error;
			result = native.lost(handle, this.#event, isA(error, TooLarge) ? -EMSGSIZE :
				isA(error, RangeError) ? -ENOMEM : -EINVAL);
		}
		if (result < 0 && session.strict)
			throw new UserEventsError(CALL_WRITE, result);
		return result >= 0;
	}
}

// A classic event, of Session.event().
class Event extends Registered {
	#layout;

	constructor(session, definition, flags) {
		const fault = native.check(definition, flags);
		if (fault)
			throw new RangeError(`cannot define the event ${JSON.stringify(definition)}: ${fault}`);
		const event = native.event(definition, flags);
		if (typeof event === 'number')
			throw new UserEventsError(CALL_REGISTER, event);
		super(session, event);
		this.#layout = new Layout(definition);
	}

	// A value for each field, by name. Returns false if the event was lost, else true, also while it is
	// disabled.
	write(fields) {
		if (!this.enabled)
			return true;
		return this._write((room, strict, send, count) => this.#layout.pack(fields, room, strict, send, count));
	}
}

// A tracepoint, of Session.tracepoint(). Its events have any fields.
class Tracepoint extends Registered {
	#head;

	constructor(session, provider, level, keyword, group, flags) {
		const what = 'the tracepoint';
		if (checkedInteger(level, 255, what) === 0)
			throw new RangeError('cannot define the tracepoint: the level is 1 to 255');
		const bits = typeof keyword === 'bigint' ? keyword : BigInt(checkedInteger(keyword, 2 ** 53 - 1, what));
		if (bits < 0n || bits >= 2n ** 64n)
			throw new RangeError('cannot define the tracepoint: the keyword has 64 bits');
		const made = native.tracepoint(textWithoutNul(provider, what),
			group ? textWithoutNul(group, what) : undefined, level, bits, checkedInteger(flags, 2 ** 31 - 1, what));
		if (typeof made === 'number')
			throw new RangeError(`cannot define the tracepoint: ${JSON.stringify(provider)} and ` +
				`${JSON.stringify(group ?? '')} make no name; a provider is [A-Za-z0-9_]+, a group [a-z0-9]*, and both have at ` +
				'most some 230 bytes');
		super(session, made);
		this.level = level;
		this.#head = headOf(level);
	}

	// An event with a name and fields of any types that README.md lists. It belongs to
	// currentActivity(). Returns false if the event was lost, else true, also while it is disabled.
	write(name, fields) {
		if (!this.enabled)
			return true;
		return this._writeNamed(this.#head, bytesOf(currentActivity()), undefined, name, fields);
	}

	// An event that is written more than once, with a lasting number, an opcode, a tag.
	event(name, options) {
		return new EventHeader(this, name, options);
	}

	// Calls the function as an activity of this name, whose parent is the current one: an event with
	// the fields starts it, and one stops it when the function returns, or the promise of it is settled.
	activity(name, fields, call) {
		if (typeof fields === 'function')
			[fields, call] = [undefined, fields];
		const activity = new Activity();
		this.event(name, { opcode: Opcode.ACTIVITY_START }).writeActivity(activity, currentActivity(), fields);
		const stop = (error) => this.event(name, { opcode: Opcode.ACTIVITY_STOP }).writeActivity(activity, undefined,
			error && { error: nameOf(error) });
		return within(activity, () => untilSettled(call, activity, stop));
	}

	_writeNamed(head, activity, related, name, fields) {
		return this._write((room, strict, send, count) =>
			packEventHeader(head, activity, related, name, fields, room, strict, send, count));
	}
}

function nameOf({ thrown }) {
	try {
		return thrown instanceof Error ? String(thrown.name) : typeof thrown;
	} catch {
		return 'error';
	}
}

function untilSettled(call, activity, stop) {
	let result;
	try {
		result = call(activity);
	} catch (thrown) {
		stop({ thrown });
		throw thrown;
	}
	if (!types.isPromise(result)) { // a Proxy is none, and instanceof would call it
		stop();
		return result;
	}
	return result.then((value) => {
		stop();
		return value;
	}, (thrown) => {
		stop({ thrown });
		throw thrown;
	});
}

// An event of a tracepoint, of Tracepoint.event().
class EventHeader {
	#head;

	constructor(tracepoint, name, { id = 0, version = 0, opcode = 0, tag = 0 } = {}) {
		const what = 'the event';
		this.tracepoint = tracepoint;
		this.name = name;
		this.#head = headOf(tracepoint.level, { id: checkedInteger(id, 65535, what),
			version: checkedInteger(version, 255, what), opcode: checkedInteger(opcode, 255, what),
			tag: checkedInteger(tag, 65535, what) });
	}

	get enabled() {
		return this.tracepoint.enabled;
	}

	// As Tracepoint.write().
	write(fields) {
		return this.writeActivity(currentActivity(), undefined, fields);
	}

	// The same as part of this activity. related: of the event that starts it, the activity that it is part of.
	writeActivity(activity, related, fields) {
		if (!this.tracepoint.enabled)
			return true;
		const id = bytesOf(activity);
		return this.tracepoint._writeNamed(this.#head, id, id && bytesOf(related), this.name, fields);
	}
}

// The version of libuserevents, as [major, minor, patch].
function version() {
	const number = native.version();
	return [number >> 16, number >> 8 & 0xff, number & 0xff];
}

module.exports = { Event, EventHeader, Level, Opcode, Session, Tracepoint, UserEventsError, version };
