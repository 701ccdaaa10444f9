#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// A receiver of OTLP that is not ours, on a free port.
//
// usage: mock_receiver.js PACKAGE
//
// PACKAGE is the directory of @elastic/mockotlpserver. The first line of standard output is the
// URL; each further one a request as JSON: {"signal": ..., "records": [...]}, with attributes
// as an object. Ends with standard input.
'use strict';
const {MockOtlpServer, normalizeLogs, normalizeTrace} = require(process.argv[2]);

function print(signal, records) {
  process.stdout.write(JSON.stringify({signal, records}) + '\n');
}

const server = new MockOtlpServer({
  logLevel: 'error', services: ['http'], httpHostname: '127.0.0.1', httpPort: 0,
  onLogs: request => print('logs', normalizeLogs(request).resourceLogs.flatMap(
    resource => resource.scopeLogs.flatMap(scope => scope.logRecords))),
  onTrace: request => print('traces', normalizeTrace(request).resourceSpans.flatMap(
    resource => resource.scopeSpans.flatMap(scope => scope.spans))),
});
server.start().then(() => process.stdout.write(String(server.httpUrl) + '\n'));
process.stdin.on('end', () => process.exit(0)).resume();
