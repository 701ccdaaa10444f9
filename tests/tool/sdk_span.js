#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// A span of OpenTelemetry's own SDK, in which a program of ours runs.
//
// usage: sdk_span.js PACKAGE URL PROGRAM ARGUMENT...
//
// PACKAGE is the directory of @opentelemetry/exporter-trace-otlp-proto. PROGRAM finds the span in
// TRACEPARENT. The span goes to URL; the output is its ids, as JSON.
'use strict';
const {execFileSync} = require('child_process');
const {createRequire} = require('module');
const [packageDirectory, url, program, ...args] = process.argv.slice(2);
const near = createRequire(packageDirectory + '/package.json');
const {OTLPTraceExporter} = near(packageDirectory);
const {BasicTracerProvider, SimpleSpanProcessor} = near('@opentelemetry/sdk-trace-base');

const exporter = new OTLPTraceExporter({url: new URL('v1/traces', url).href});
const provider = new BasicTracerProvider({spanProcessors: [new SimpleSpanProcessor(exporter)]});
const span = provider.getTracer('shop').startSpan('checkout');
const {traceId, spanId} = span.spanContext();
execFileSync(program, args, {env: {...process.env, TRACEPARENT: `00-${traceId}-${spanId}-01`}});
span.end();
provider.shutdown().then(() => process.stdout.write(JSON.stringify({traceId, spanId}) + '\n'));
