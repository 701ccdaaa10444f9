// SPDX-License-Identifier: MIT
'use strict';
// How values of JavaScript become the bytes of a record.
//
// A record of EventHeader is a header, a description of the fields, and their values. It is packed in
// the buffer of the addon: what precedes the values in the first half, the values in the second. A value
// that no field takes as it is is altered: written as text, cut, or left out, and counted. In a strict
// packing it is an error instead.
const os = require('node:os');
const util = require('node:util');
const native = require('./native');

const HALF = native.buffer.byteLength / 2;
const bytes = Buffer.from(native.buffer);
const view = new DataView(native.buffer);
const IS_LITTLE = os.endianness() === 'LE';
const IS_64_BIT = !['arm', 'ia32', 'mips', 'mipsel', 'ppc', 's390'].includes(process.arch);

// enum ue_encoding and enum ue_format of <userevents/abi/eventheader.h>
const STRUCT = 1, VALUE8 = 2, VALUE16 = 3, VALUE32 = 4, VALUE64 = 5, VALUE128 = 6;
const STRING = 10, BINARY = 13, VARRAY = 0x40, CHAIN = 0x80;
const UNSIGNED = 1, SIGNED = 2, HEX = 3, ERRNO = 4, PID = 5, TIME = 6, BOOLEAN = 7, FLOAT = 8;
const JSON_TEXT = 14, UUID = 15, PORT = 16;
const HEAD = 8, EXTENSION = 4, METADATA = 1, ACTIVITY = 2, EXTENSION_CHAIN = 0x8000;
const DEPTH_MAX = 8, MEMBERS_MAX = 127, FIELDS_MAX = 1000;
const LONG = 2n ** 1024n;
const S64_MIN = -(2n ** 63n), S64_MAX = 2n ** 63n - 1n, U64_MAX = 2n ** 64n - 1n;

// Bytes that a text or array takes at most, in the attempts to make a record fit. At the last,
// fields that do not fit are left out.
const CAPS = [HALF, 2048, 1024, 512, 256, 64];

class TooLarge extends RangeError {
	constructor() {
		super('cannot write the event: its values are too long for any listener');
	}
}

class Unfit extends TypeError {}

// Whether what code of the caller has thrown is of a type; a Proxy may throw again at this question.
function isA(thrown, type) {
	try {
		return thrown instanceof type;
	} catch {
		return false;
	}
}

// A number, or an array of numbers, of one type of the trace.
class Typed {
	constructor(kind, value) {
		this.kind = kind;
		this.value = value;
	}
}

// Text that is JSON.
class JsonText {
	constructor(text) {
		this.text = text;
	}
}

function kindOf(encoding, format, size, set, low, high) {
	return { encoding, format, size, set, low: BigInt(low), high: BigInt(high) };
}

function integer(bits, isSigned, format) {
	const size = bits / 8, encoding = VALUE8 + Math.log2(size);
	const name = bits === 64 ? (isSigned ? 'setBigInt64' : 'setBigUint64') :
		`set${isSigned ? 'Int' : 'Uint'}${bits}`;
	const low = isSigned ? -(2n ** BigInt(bits - 1)) : 0n;
	const big = format === PORT ? false : IS_LITTLE; // a port has the order of the network
	return kindOf(encoding, format, size, bits === 64 ?
		(at, number) => view[name](at, number, big) :
		(at, number) => view[name](at, Number(number), big), low, low + 2n ** BigInt(bits) - 1n);
}

const KINDS = {
	u8: integer(8, false, UNSIGNED), u16: integer(16, false, UNSIGNED),
	u32: integer(32, false, UNSIGNED), u64: integer(64, false, UNSIGNED),
	s8: integer(8, true, SIGNED), s16: integer(16, true, SIGNED),
	s32: integer(32, true, SIGNED), s64: integer(64, true, SIGNED),
	hex8: integer(8, false, HEX), hex16: integer(16, false, HEX),
	hex32: integer(32, false, HEX), hex64: integer(64, false, HEX),
	pid: integer(32, true, PID), errnoNumber: integer(32, true, ERRNO),
	port: integer(16, false, PORT), time: integer(64, true, TIME),
	f32: { encoding: VALUE32, format: FLOAT, size: 4, set: (at, number) => view.setFloat32(at, number, IS_LITTLE) },
	f64: { encoding: VALUE64, format: FLOAT, size: 8, set: (at, number) => view.setFloat64(at, number, IS_LITTLE) },
	boolean: { encoding: VALUE8, format: BOOLEAN, size: 1, set: (at, value) => view.setUint8(at, value ? 1 : 0) },
	uuid: { encoding: VALUE128, format: UUID, size: 16, set: (at, value) => bytes.set(idOf(value), at) },
};

// The 16 bytes of an id: of bytes, or of the text of a UUID.
function idOf(value) {
	const id = typeof value === 'string' ? Buffer.from(value.replaceAll('-', ''), 'hex') : Buffer.from(value);
	if (id.length !== 16)
		throw new RangeError('an id has 16 bytes, or is the text of a UUID');
	return id;
}

// Typed arrays are arrays of these; bytes are bytes.
const ELEMENTS = new Map([[Int8Array, 's8'], [Int16Array, 's16'], [Uint16Array, 'u16'],
	[Int32Array, 's32'], [Uint32Array, 'u32'], [BigInt64Array, 's64'], [BigUint64Array, 'u64'],
	[Float32Array, 'f32'], [Float64Array, 'f64']].map(([type, name]) => [type, KINDS[name]]));

// The state of the record that is being packed. Code of the caller, such as a getter, may write an
// event in the middle: see alone().
let at = 0, valuesAt = HALF; // cursors
let begin = 0, end = 0; // of the description's extension; of the bytes that listeners take
let cap = HALF, isLast = false, isStrict = false, isFloat = false, altered = 0;
let isBusy = false;

// Runs a function that packs and sends a record, whatever was in the middle of being packed.
function alone(pack) {
	if (!isBusy) {
		isBusy = true;
		try {
			return pack();
		} finally {
			isBusy = false;
		}
	}
	const saved = [at, valuesAt, begin, end, cap, isLast, isStrict, isFloat, altered];
	const first = bytes.subarray(0, at).slice(), second = bytes.subarray(HALF, valuesAt).slice();
	const kept = [Buffer.from(first), Buffer.from(second)];
	try {
		return pack();
	} finally {
		[at, valuesAt, begin, end, cap, isLast, isStrict, isFloat, altered] = saved;
		kept[0].copy(bytes, 0);
		kept[1].copy(bytes, HALF);
	}
}

function need(size) {
	if (at + valuesAt - HALF + size > end)
		throw new TooLarge();
}

function unfit(why) {
	if (isStrict)
		throw new Unfit(why);
	altered++;
}

// A name in the description, with its NUL.
function putName(name) {
	const length = name.length;
	if (length > cap)
		return putOtherName(name);
	need(length + 1);
	for (let i = 0; i < length; i++) {
		const code = name.charCodeAt(i);
		if (code === 0 || code > 127)
			return putOtherName(name);
		bytes[at + i] = code;
	}
	at += length;
	bytes[at++] = 0;
}

function putOtherName(name) {
	if (name.length > cap) {
		if (isStrict)
			throw new TooLarge();
		altered++;
		name = name.slice(0, cap - 3) + '...';
	}
	if (name.includes('\0')) {
		unfit(`cannot write the field ${JSON.stringify(name)}: its name contains a NUL`);
		name = name.replaceAll('\0', '\ufffd');
	}
	const size = Buffer.byteLength(name);
	need(size + 1);
	at += bytes.write(name, at);
	bytes[at++] = 0;
}

function putKind(encoding, format) {
	need(3);
	if (format) {
		bytes[at++] = encoding | CHAIN;
		bytes[at++] = format;
	} else {
		bytes[at++] = encoding;
	}
}

function putCount(number) {
	if (number > 65535)
		throw new TooLarge();
	need(2);
	view.setUint16(valuesAt, number, IS_LITTLE);
	valuesAt += 2;
}

// Text with its length before it. UTF-8; a lone surrogate becomes U+FFFD.
function putText(text) {
	const length = text.length;
	if (length <= 48 && length <= cap) {
		need(length + 2);
		if (setAscii(valuesAt + 2, text))
			return finishText(length);
	}
	putLongText(text);
}

function putLongText(text) {
	const room = cap;
	if (text.length <= room && (3 * text.length <= room || Buffer.byteLength(text) <= room))
		return finishText(bytes.write(text, valuesAt + 2));
	if (isStrict)
		throw new TooLarge();
	altered++;
	const cut = bytes.write(text.slice(0, room), valuesAt + 2, room - 3); // between characters
	bytes.write('...', valuesAt + 2 + cut);
	finishText(cut + 3);
}

function finishText(size) {
	need(size + 2);
	view.setUint16(valuesAt, size, IS_LITTLE);
	valuesAt += 2 + size;
}

function putBytes(data) {
	let size = data.byteLength;
	if (size > cap) {
		if (isStrict)
			throw new TooLarge();
		altered++;
		size = cap;
	}
	putCount(size);
	need(size);
	bytes.set(new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, size), valuesAt);
	valuesAt += size;
}

// The 64 bits of an integer that is a number.
function setS64(at, number) {
	view.setUint32(at + (IS_LITTLE ? 0 : 4), number >>> 0, IS_LITTLE);
	view.setInt32(at + (IS_LITTLE ? 4 : 0), Math.floor(number / 4294967296), IS_LITTLE);
}

function putS64(number) {
	need(8);
	setS64(valuesAt, number);
	valuesAt += 8;
}

// ASCII text in the buffer; false for any other text.
function setAscii(at, text) {
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code > 127)
			return false;
		bytes[at + i] = code;
	}
	return true;
}

function putF64(number) {
	need(8);
	view.setFloat64(valuesAt, number, IS_LITTLE);
	valuesAt += 8;
}

function putTypedNumber(kind, value) {
	need(kind.size);
	if (kind.low === undefined) {
		kind.set(valuesAt, kind.format === FLOAT ? Number(value) : value);
	} else {
		if (typeof value !== 'bigint')
			value = BigInt(kind.format === TIME ? Math.floor(value) : value);
		if (value < kind.low || value > kind.high)
			throw new Unfit(`the number ${shortText(value)} does not fit its type`);
		kind.set(valuesAt, value);
	}
	valuesAt += kind.size;
}

// A copy of as many elements as the cap allows: what the caller has may change meanwhile.
function some(values, size) {
	const most = Math.max(1, Math.floor(cap / size));
	const length = values.length >>> 0;
	const copy = [];
	for (let i = 0; i < length && i < most; i++)
		copy.push(values[i]);
	if (length > most) {
		if (isStrict)
			throw new TooLarge();
		altered++;
	}
	return copy;
}

function putTyped(kind, value) {
	if (!Array.isArray(value) && !ArrayBuffer.isView(value)) {
		putKind(kind.encoding, kind.format);
		return putTypedNumber(kind, value);
	}
	putArray(kind, some(value, kind.size));
}

function putArray(kind, values) {
	putKind(kind.encoding | VARRAY, kind.format);
	putCount(values.length);
	for (let i = 0; i < values.length; i++)
		putTypedNumber(kind, values[i]);
}

function putTexts(values) {
	putKind(STRING | VARRAY, 0);
	putCount(values.length);
	for (const value of values)
		putText(value);
}

// The type of which all elements are.
function typeOfAll(values) {
	let type = '';
	for (const value of values) {
		let own = typeof value;
		if (own === 'number')
			own = Number.isSafeInteger(value) && !isFloat ? 'integer' : 'number';
		if (own === 'object' && (value === null || Array.isArray(value) || isSpecial(value)))
			return 'mixed';
		if (type === '' || type === own)
			type = own;
		else if ((type === 'integer' && own === 'number') || (type === 'number' && own === 'integer'))
			type = 'number';
		else if ((type === 'integer' && own === 'bigint') || (type === 'bigint' && own === 'integer'))
			type = 'bigint';
		else
			return 'mixed';
	}
	return type;
}

function putSequence(given, depth) {
	const values = some(given, 2);
	switch (typeOfAll(values)) {
	case '':
	case 'integer':
		return putArray(KINDS.s64, some(values, 8));
	case 'number':
		return putArray(KINDS.f64, some(values, 8));
	case 'bigint':
		return putArray(values.every((value) => value <= S64_MAX) ? KINDS.s64 : KINDS.u64, some(values, 8));
	case 'string':
		return putTexts(values);
	case 'boolean':
		return putArray(KINDS.boolean, values);
	case 'object':
		return putStructs(some(values, 16), depth);
	}
	throw new Unfit('the elements of an array are numbers, bigints, strings, booleans or objects, and all alike');
}

// All elements have the names and types of the first. Where a number is an integer in one element only,
// numbers of all elements are floating-point.
function putStructs(values, depth) {
	if (depth >= DEPTH_MAX)
		throw new Unfit('structs are nested deeper than 8');
	const marks = [at, valuesAt, altered, isFloat];
	try {
		putStructsOnce(values, depth);
	} catch (error) {
		if (isFloat || !isA(error, Unfit))
			throw error;
		[at, valuesAt, altered] = marks;
		isFloat = true;
		putStructsOnce(values, depth);
	} finally {
		isFloat = marks[3];
	}
}

function putStructsOnce(values, depth) {
	const kindAt = at;
	putKind(STRUCT | VARRAY, 1);
	putCount(values.length);
	const first = at;
	const count = putMembers(values[0], depth + 1, MEMBERS_MAX);
	if (count === 0)
		throw new Unfit('no struct is empty');
	bytes[kindAt + 1] = count;
	const next = at;
	for (let i = 1; i < values.length; i++) {
		const again = putMembers(values[i], depth + 1, MEMBERS_MAX);
		const isAlike = again === count && bytes.compare(bytes, first, next, next, at) === 0;
		at = next;
		if (!isAlike)
			throw new Unfit('the elements of an array of structs have the same names and types');
	}
}

function putStruct(value, depth) {
	const kindAt = at;
	putKind(STRUCT, 1);
	const count = putMembers(value, depth + 1, MEMBERS_MAX);
	bytes[kindAt + 1] = count;
	return count > 0; // no struct is empty
}

function putError(error, depth) {
	const { name, message, stack, code } = error;
	return putStruct({ type: String(name), message: String(message), code,
		stack: stack === undefined ? undefined : String(stack).slice(0, 512) }, depth);
}

// Not a struct by its own properties.
function isSpecial(value) {
	return value instanceof Typed || value instanceof JsonText || value instanceof Date ||
		value instanceof Error || ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

function putObject(value, depth) {
	if (Array.isArray(value))
		return putSequence(value, depth);
	if (value instanceof Typed)
		return putTyped(value.kind, value.value);
	if (value instanceof JsonText) {
		const size = Buffer.byteLength(value.text);
		putKind(STRING, size > cap ? 0 : JSON_TEXT); // JSON that is cut is none
		return putText(value.text);
	}
	if (value instanceof Date) {
		putKind(VALUE64, TIME);
		return putTypedNumber(KINDS.time, value.getTime() / 1000);
	}
	if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
		return putMemory(value);
	if (depth >= DEPTH_MAX)
		throw new Unfit('structs are nested deeper than 8');
	if (value instanceof Error)
		return putError(value, depth);
	if (typeof value.toJSON === 'function')
		return putPlain(value.toJSON(), depth);
	return putPlain(value, depth);
}

function putPlain(value, depth) {
	if (typeof value !== 'object' || value === null || Array.isArray(value) || isSpecial(value))
		return putValue(value, depth);
	if (!isPlain(value) && Object.keys(value).length === 0)
		throw new Unfit('its value is an object without properties, which no field has');
	return putStruct(value, depth);
}

function isPlain(value) {
	const prototype = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}

function putMemory(value) {
	const kind = ELEMENTS.get(value.constructor);
	if (kind)
		return putTyped(kind, value);
	putKind(BINARY, 0);
	putBytes(value);
}

function putBigInt(value) {
	if (value < S64_MIN || value > U64_MAX)
		throw new Unfit('the number does not fit 64 bits');
	const kind = value > S64_MAX ? KINDS.u64 : KINDS.s64;
	putKind(kind.encoding, kind.format);
	putTypedNumber(kind, value);
}

// Puts the type in the description, and the value. Returns false for a field that is left out.
function putValue(value, depth) {
	switch (typeof value) {
	case 'string':
		putKind(STRING, 0);
		return putText(value);
	case 'number':
		if (!isFloat && Number.isSafeInteger(value)) {
			putKind(VALUE64, SIGNED);
			return putS64(value);
		}
		putKind(VALUE64, FLOAT);
		return putF64(value);
	case 'boolean':
		putKind(VALUE8, BOOLEAN);
		need(1);
		bytes[valuesAt++] = value ? 1 : 0;
		return true;
	case 'undefined':
		return false;
	case 'bigint':
		return putBigInt(value);
	case 'object':
		if (value !== null)
			return putObject(value, depth);
		putKind(BINARY, UNSIGNED);
		return putCount(0);
	}
	throw new Unfit(`its value is a ${typeof value}, which no field has; convert it, for example by String()`);
}

// One field. Returns 1, or 0 if it is left out.
function putField(object, name, depth) {
	const nameAt = at, valueAt = valuesAt, before = altered;
	let value;
	try {
		putName(name);
		value = object[name];
		if (putValue(value, depth) !== false)
			return 1;
		at = nameAt;
		valuesAt = valueAt;
		return 0;
	} catch (error) {
		at = nameAt;
		valuesAt = valueAt;
		if (isStrict)
			throw named(name, error);
		if (isA(error, TooLarge))
			throw error;
		altered = before + 1;
	}
	putName(name);
	putKind(STRING, 0);
	putText(value === undefined ? '<a getter that throws>' : textOf(value));
	return 1;
}

function named(name, error) {
	if (isA(error, TooLarge) || String(error?.message).startsWith('cannot write '))
		return error;
	const kind = isA(error, RangeError) ? RangeError : TypeError;
	return new kind(`cannot write the field ${name}: ${error?.message}`, { cause: error });
}

// The members of a struct, or the fields of an event. Returns their number.
function putMembers(object, depth, most) {
	const names = Object.keys(object);
	let count = 0;
	for (let i = 0; i < names.length; i++) {
		if (count === most) {
			if (isStrict && depth)
				throw new Unfit(`a struct has more than ${MEMBERS_MAX} members`);
			if (isStrict)
				throw new TooLarge();
			altered++; // the rest is left out
			break;
		}
		const nameAt = at, valueAt = valuesAt;
		try {
			count += putField(object, names[i], depth);
		} catch (error) {
			if (!isLast || depth || !isA(error, TooLarge))
				throw error;
			at = nameAt;
			valuesAt = valueAt;
			altered++;
		}
	}
	return count;
}

function shortText(value) {
	const text = String(value);
	return text.length > 40 ? text.slice(0, 37) + '...' : text;
}

// Any value as text, of bounded length; this runs no code of the caller.
function textOf(value) {
	try {
		switch (typeof value) {
		case 'bigint': // large ones take long in decimal
			return value > -LONG && value < LONG ? String(value) : 'a very large BigInt';
		case 'object':
		case 'function':
			return util.inspect(value, { depth: 0, customInspect: false, showProxy: true, getters: false,
				maxArrayLength: 8, maxStringLength: 512, breakLength: Infinity });
		}
		return String(value);
	} catch {
		return `<${typeof value} without text>`;
	}
}

function putHeader(head, activity, related) {
	head.copy(bytes, 0);
	at = HEAD;
	if (activity) {
		view.setUint16(at, related ? 32 : 16, IS_LITTLE);
		view.setUint16(at + 2, ACTIVITY | EXTENSION_CHAIN, IS_LITTLE);
		bytes.set(activity, at + EXTENSION);
		if (related)
			bytes.set(related, at + EXTENSION + 16);
		at += EXTENSION + (related ? 32 : 16);
	}
	begin = at;
	at += EXTENSION;
	valuesAt = HALF;
}

// Whether fields can be asked for their names, which may be code of the caller.
function isReadable(fields) {
	try {
		return typeof fields === 'object' && Boolean(Object.keys(fields));
	} catch {
		return false;
	}
}

function putRecord(head, activity, related, name, fields) {
	putHeader(head, activity, related);
	if (typeof name !== 'string') {
		unfit('cannot write the event: its name is no string');
		name = textOf(name);
	}
	putName(name);
	if (fields !== undefined && fields !== null)
		putMembers(isReadable(fields) ? fields : { value: fields }, 0, FIELDS_MAX);
	view.setUint16(begin, at - begin - EXTENSION, IS_LITTLE);
	view.setUint16(begin + 2, METADATA, IS_LITTLE);
}

// Packs a record in the buffer. send(descriptions, values) gets the bytes of each half.
// Returns its result; count() gets the number of altered values.
function packEventHeader(head, activity, related, name, fields, room, strict, send, count) {
	return alone(() => {
		for (let attempt = 0; ; attempt++) {
			end = Math.min(room, HALF - 8);
			isStrict = strict;
			altered = 0;
			isFloat = false;
			cap = Math.min(CAPS[attempt], end);
			isLast = attempt === CAPS.length - 1;
			try {
				putRecord(head, activity, related, name, fields);
				break;
			} catch (error) {
				if (strict || isLast || !isA(error, TooLarge))
					throw error;
			}
		}
		if (altered)
			count(altered);
		return send(at, valuesAt - HALF);
	});
}

function headOf(level, { id = 0, version = 0, opcode = 0, tag = 0 } = {}) {
	const head = Buffer.alloc(HEAD);
	const header = new DataView(head.buffer, head.byteOffset, HEAD);
	head[0] = 4 | (IS_64_BIT ? 1 : 0) | (IS_LITTLE ? 2 : 0);
	head[1] = version;
	header.setUint16(2, id, IS_LITTLE);
	header.setUint16(4, tag, IS_LITTLE);
	head[6] = opcode;
	head[7] = level;
	return head;
}

const types = {};
for (const [name, kind] of Object.entries(KINDS))
	types[name] = (value) => new Typed(kind, value);
types.json = (text) => new JsonText(String(text));

module.exports = { CAPS, HALF, IS_LITTLE, TooLarge, Unfit, alone, bytes, headOf, idOf, isA, isReadable, packEventHeader, setAscii, setS64, shortText, textOf,
	types, view };
