// SPDX-License-Identifier: MIT
'use strict';
// Writes events of each kind, in this process and in a child; tests/kernel/bindings_test.py reads them
// back. USEREVENTS_ADDON names the addon, the argument the package.
const { fork } = require('node:child_process');
const userevents = require(process.argv[2]);

const session = new userevents.Session({ strict: true });
const request = session.event('js_request u32 status; s8 small; __rel_loc char[] path; char[4] code; __rel_loc u8[] raw');
const shop = session.tracepoint('JsShop', userevents.Level.INFORMATION, 1);

if (process.argv[3] === 'child') {
	request.write({ status: 404, small: 0, path: 'child', code: '', raw: Buffer.alloc(0) });
} else {
	request.write({ status: 200, small: -1, path: '/caf\u00e9', code: 'abcd', raw: Buffer.from([1, 255]) });
	shop.write('All', { i: -1, f: 0.5, s: 'text', n: null, a: [1, 2], d: { x: 1 } });
	fork(__filename, [process.argv[2], 'child']).on('exit', (status) => {
		process.exitCode = status;
		userevents.pinoStream('JsLog', { session }).write('{"level":40,"msg":"3 left"}\n');
	});
}
