// SPDX-License-Identifier: MIT
'use strict';
// A transport of pino, which runs in a thread of its own:
//
//	pino(pino.transport({ target: 'userevents/pino', options: { provider: 'MyCompany_Shop' } }))
const { Writable } = require('node:stream');
const { StringDecoder } = require('node:string_decoder');
const { pinoStream } = require('./loggers');

module.exports = ({ provider, keyword = 1 }) => {
	const stream = pinoStream(provider, { keyword });
	const decoder = new StringDecoder();
	let rest = '';
	return new Writable({
		write(chunk, encoding, done) {
			const lines = (rest + decoder.write(chunk)).split('\n');
			rest = lines.pop();
			lines.forEach((line) => line && stream.write(line));
			done();
		},
		final(done) {
			if (rest)
				stream.write(rest);
			done();
		},
	});
};
