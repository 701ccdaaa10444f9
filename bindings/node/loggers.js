// SPDX-License-Identifier: MIT
'use strict';
// Events of what console and pino log. Each level is a tracepoint.
const util = require('node:util');
const { types } = require('./pack');
const { Level, Session } = require('./session');

const LINE_MAX = 2 ** 20; // characters of a line that is parsed
const PINO = { fatal: 60, error: 50, warn: 40, info: 30, debug: 20, trace: 10 };
const CONSOLE = { debug: Level.VERBOSE, trace: Level.VERBOSE, log: Level.INFORMATION, info: Level.INFORMATION,
	warn: Level.WARNING, error: Level.ERROR };

function tracepointsOf(provider, { session = new Session(), keyword = 1 } = {}) {
	return [undefined, ...Object.values(Level).map((level) => session.tracepoint(provider, level, keyword))];
}

function levelOf(severity) {
	return severity >= PINO.fatal ? Level.CRITICAL : severity >= PINO.error ? Level.ERROR :
		severity >= PINO.warn ? Level.WARNING : severity >= PINO.info ? Level.INFORMATION : Level.VERBOSE;
}

// The fields of a line, which may be anything.
function fieldsOf(line, lastLevel) {
	const { level, time, msg, ...rest } = parsed(line);
	const number = PINO[level] ?? level ?? lastLevel ?? PINO.info;
	const severity = Number.isInteger(number) && number >= 0 && number < 2 ** 32 ? number : PINO.info;
	const fields = { message: '', severity: types.u32(severity), ...rest };
	if (msg !== undefined)
		fields.message = msg;
	return [severity, fields];
}

// A text that is too long for an event is cut, and counted, when it is packed.
function parsed(line) {
	const text = String(line);
	try {
		const record = text.length <= LINE_MAX && JSON.parse(text);
		if (typeof record === 'object' && record !== null && !Array.isArray(record))
			return record;
	} catch {
		// no line of pino
	}
	return { msg: text.trimEnd() };
}

// A stream for pino: pino(options, userevents.pinoStream('MyCompany_Shop')), or one of
// pino.multistream(). A line is parsed only if a tool listens to its level.
function pinoStream(provider, options) {
	const tracepoints = tracepointsOf(provider, options);
	return {
		[Symbol.for('pino.metadata')]: true, // pino sets lastLevel before it writes
		writable: true, // so that pino takes it for a stream
		lastLevel: undefined,
		write(line) {
			if (this.lastLevel === undefined || tracepoints[levelOf(this.lastLevel)].enabled) {
				const [severity, fields] = fieldsOf(line, this.lastLevel);
				tracepoints[levelOf(severity)].write('Log', fields);
			}
			return true;
		},
	};
}

// Makes an event of each call of console.log() and the like, which print as before. Returns a function
// that ends this.
function captureConsole(provider, { target = console, ...options } = {}) {
	const tracepoints = tracepointsOf(provider, options);
	const ends = Object.entries(CONSOLE).map(([method, level]) => {
		const print = target[method];
		const replaced = target[method] = function (...given) {
			writeConsole(tracepoints[level], method, given);
			return print.apply(this, given);
		};
		return () => {
			if (target[method] === replaced)
				target[method] = print;
		};
	});
	return () => ends.forEach((end) => end());
}

function writeConsole(tracepoint, method, given) {
	if (tracepoint.enabled)
		tracepoint.write('Log', { message: formatted(given), method });
}

// The text that console prints.
function formatted(given) {
	try {
		return util.format(...given);
	} catch {
		return '<arguments without text>';
	}
}

module.exports = { captureConsole, pinoStream };
