// SPDX-License-Identifier: MIT
'use strict';
// How values of JavaScript become the bytes of a classic event, whose fields its definition has.
//
// The fields are packed in the first half of the buffer, what locations point to in the second.
const { CAPS, HALF, IS_LITTLE, TooLarge, Unfit, alone, bytes, isA, isReadable, setAscii, setS64, shortText, textOf, view } = require('./pack');

const NUMBERS = { u8: [1, 0], 'unsigned char': [1, 0], s8: [1, 1], char: [1, 2], u16: [2, 0], 'unsigned short': [2, 0],
	s16: [2, 1], short: [2, 1], u32: [4, 0], 'unsigned int': [4, 0], s32: [4, 1], int: [4, 1], u64: [8, 0],
	s64: [8, 1] };
const COMMON = 8; // bytes that the kernel has before the record, which __data_loc counts, too

// The bits of an integer that is a number; of any sign.
function setNumber(at, size, number) {
	switch (size) {
	case 1:
		return view.setInt8(at, number);
	case 2:
		return view.setInt16(at, number, IS_LITTLE);
	case 4:
		return view.setInt32(at, number, IS_LITTLE);
	}
	return setS64(at, number);
}

// sign: 0 unsigned, 1 signed, 2 char, which takes -128 to 255.
function numberField(name, at, size, sign) {
	const bits = BigInt(8 * size);
	const low = sign ? -(2n ** (bits - 1n)) : 0n, high = sign === 1 ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n;
	return { name, at, size, isNumber: true, low, high, lowest: Number(low), highest: Number(high) };
}

// The library has checked the definition.
function fieldOf(part, at) {
	const struct = /^struct \S+ (\S+) (\d+)$/.exec(part);
	if (struct)
		return { name: struct[1], at, size: Number(struct[2]) };
	const [, kind, name] = /^(.*) (\S+)$/.exec(part);
	if (NUMBERS[kind])
		return numberField(name, at, ...NUMBERS[kind]);
	const isText = /(^|_loc )char\[/.test(kind);
	if (kind.startsWith('__'))
		return { name, at, size: 4, isText, isLocated: true, base: kind.startsWith('__data_loc') ? -COMMON : at + 4 };
	return { name, at, size: Number(/\[(\d+)\]/.exec(kind)[1]), isText };
}

// The values of one record, which fit it, or are altered.
class Packing {
	constructor(layout, room, isStrict, cap, isLast) {
		Object.assign(this, { isStrict, cap, isLast, altered: 0, valuesAt: HALF, end: HALF + room - layout.size });
		if (this.end < HALF)
			throw new TooLarge();
	}

	alter(why) {
		if (this.isStrict)
			throw new Unfit(why);
		this.altered++;
	}

	number(field, value) {
		if (Number.isSafeInteger(value) && value >= field.lowest && value <= field.highest)
			setNumber(field.at, field.size, value);
		else
			this.otherNumber(field, value);
	}

	otherNumber(field, value) {
		if (typeof value === 'boolean')
			value = Number(value);
		if (typeof value !== 'bigint' && !Number.isInteger(value)) {
			this.alter('the field has another type than the value');
			value = nearest(value);
		}
		const isBelow = value < field.low;
		if (isBelow || value > field.high) {
			this.alter('the number does not fit the type of its field');
			value = isBelow ? field.low : field.high;
		}
		if (field.size === 8)
			view.setBigInt64(field.at, BigInt(value), IS_LITTLE);
		else
			setNumber(field.at, field.size, Number(value));
	}

	// Bytes, or text without NULs.
	plain(field, value) {
		if (typeof value === 'string' && field.isText) {
			if (!value.includes('\0'))
				return value;
			this.alter('the text contains a NUL');
			return value.replaceAll('\0', '\ufffd');
		}
		if (ArrayBuffer.isView(value))
			return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
		this.alter('the field has another type than the value');
		const text = typeof value === 'string' ? value : textOf(value).replaceAll('\0', '\ufffd');
		return field.isText ? text : Buffer.from(text);
	}

	bytes(field, given) {
		const value = this.plain(field, given);
		if (field.isLocated)
			return this.located(field, value);
		bytes.fill(0, field.at, field.at + field.size);
		if (this.put(value, field.at, field.size) < sizeOf(value))
			this.alter('the value is longer than the field');
	}

	located(field, value) {
		let most = this.end - this.valuesAt - (field.isText ? 1 : 0);
		if (most < 0)
			throw new TooLarge();
		if (this.isLast || this.cap < most)
			most = Math.min(most, this.cap);
		let size = this.put(value, this.valuesAt, most);
		if (size < value.length || (size >= most - 3 && size < sizeOf(value))) {
			if (this.isStrict || this.cap > HALF - 1)
				throw new TooLarge();
			this.altered++;
			if (typeof value === 'string' && most > 3)
				size = this.put(value, this.valuesAt, most - 3) + 3, bytes.write('...', this.valuesAt + size - 3);
		}
		if (field.isText)
			bytes[this.valuesAt + size++] = 0;
		view.setUint32(field.at, size * 65536 + this.offset - field.base, IS_LITTLE);
		this.valuesAt += size;
		this.offset += size;
	}

	// Returns how many bytes there was room for; text is cut between characters.
	put(value, at, room) {
		if (typeof value === 'string')
			return value.length <= 48 && value.length <= room && setAscii(at, value) ? value.length :
				bytes.write(value, at, room);
		bytes.set(value.length > room ? value.subarray(0, room) : value, at);
		return Math.min(value.length, room);
	}
}

function sizeOf(value) {
	return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}

// The integer that is nearest to a value, or 0.
function nearest(value) {
	try {
		const number = Math.trunc(Number(value));
		return Number.isNaN(number) ? 0 : number;
	} catch {
		return 0;
	}
}

class Layout {
	constructor(definition) {
		this.size = 0;
		this.fields = [];
		for (const part of definition.slice(definition.indexOf(' ') + 1).split(';')) {
			if (!definition.includes(' ') || !part.trim())
				continue;
			this.fields.push(fieldOf(part.trim(), this.size));
			this.size += this.fields.at(-1).size;
		}
		this.names = new Set(this.fields.map((field) => field.name));
	}

	// As packEventHeader().
	pack(values, room, strict, send, count) {
		return alone(() => {
			let packing;
			for (let attempt = 0; ; attempt++) {
				const isLast = attempt === CAPS.length - 1;
				try {
					packing = new Packing(this, room, strict, CAPS[attempt], isLast);
					this.packAll(values, packing);
					break;
				} catch (error) {
					if (strict || isLast || !isA(error, TooLarge))
						throw error;
				}
			}
			if (packing.altered)
				count(packing.altered);
			return send(this.size, packing.valuesAt - HALF);
		});
	}

	packAll(values, packing) {
		packing.offset = this.size;
		const given = values !== null && isReadable(values) ? values : {};
		this.refuseOthers(given, packing);
		for (const field of this.fields)
			this.packField(field, given, packing);
	}

	packField(field, values, packing) {
		try {
			let value = values[field.name];
			if (value === undefined || value === null) {
				packing.alter('the field has no value');
				value = field.isNumber ? 0 : field.isText ? '' : bytes.subarray(0, 0);
			}
			field.isNumber ? packing.number(field, value) : packing.bytes(field, value);
		} catch (error) {
			if (isA(error, TooLarge))
				throw error;
			if (packing.isStrict)
				throw new TypeError(`cannot write the field ${field.name}: ${error?.message}`, { cause: error });
			packing.altered++; // code of the caller failed
			field.isNumber ? packing.number(field, 0) : packing.bytes(field, field.isText ? '' : bytes.subarray(0, 0));
		}
	}

	refuseOthers(values, packing) {
		for (const name of Object.keys(values)) {
			if (!this.names.has(name))
				packing.alter(`cannot write the field ${shortText(name)}: no field of this name`);
		}
	}
}

module.exports = { Layout };
