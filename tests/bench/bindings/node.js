// SPDX-License-Identifier: MIT
// node.js RING: the cost of events in Node, as rows NAME <tab> nanoseconds. The shortest of many short
// loops counts, as others were interrupted. USEREVENTS_ADDON and NODE_PATH name the binding.
'use strict';
const userevents = require('userevents');

function measure(name, call, calls = 2000) {
	let best = Infinity;
	for (let loop = 0; loop < 300; loop++) {
		const begin = process.hrtime.bigint();
		for (let i = 0; i < calls; i++)
			call();
		best = Math.min(best, Number(process.hrtime.bigint() - begin) / calls);
	}
	console.log(`node_${name}\t${best.toFixed(best < 100 ? 1 : 0)}`);
}

function events(session, suffix) {
	const request = session.event('bench_js u32 status; u64 latency_ns; __rel_loc char[] path');
	const orders = session.tracepoint('BenchJs', userevents.Level.INFORMATION, 1);
	if (request.enabled !== (suffix === ''))
		throw new Error('is the argument a ring?');
	measure('classic' + suffix, () => request.write({ status: 200, latency_ns: 1234567, path: '/index.html' }));
	measure('eventheader' + suffix, () => orders.write('Order', { order: 17, total: 99.5, path: '/index.html' }));
	measure('eventheader_list' + suffix, () => orders.write('Order', { order: 17, total: 99.5, items: ['tea', 'milk'] }));
	const line = `{"level":30,"time":1767225600000,"pid":1,"hostname":"a","item":"tea","msg":"3 left"}\n`;
	const stream = userevents.pinoStream('BenchJsPino', { session });
	stream.lastLevel = 30;
	measure('pino' + suffix, () => stream.write(line), 300);
	if (suffix === '') {
		measure('activity', () => orders.activity('Checkout', () => {}), 300);
		grown((number) => orders.write('Order', { order: number, path: `/${number}` }));
	}
}

// KiB by which the process grows while it writes so many events of different values.
function grown(write) {
	for (let number = 0; number < 1000000; number++) // the heap has its size then
		write(number);
	const before = process.resourceUsage().maxRSS;
	for (let number = 0; number < 1000000; number++)
		write(number);
	console.log(`node_kib_after_1000000_events\t${process.resourceUsage().maxRSS - before}`);
}

const ring = new userevents.Session({ path: process.argv[2], strict: true });
events(new userevents.Session({ path: '/nowhere' }), '_off');
events(ring, '');
