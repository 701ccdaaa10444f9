// SPDX-License-Identifier: MIT
// All of bindings/node/index.d.ts, for the compiler; node_test.py compiles it, and wrong uses.
import * as userevents from 'userevents';
import byDefault, { Activity, Event, EventHeader, Fields, Level, Losses, Opcode, Session, Tracepoint, Typed,
	UserEventsError } from 'userevents';

const options: userevents.SessionOptions = { path: '/run/ring', strict: true };
const session: Session = new byDefault.Session(options);
const other = new userevents.Session({ fd: 3 });
const failed: UserEventsError | undefined = session.error;
const numbers: [number, string | undefined] = [failed?.errno ?? 0, failed?.code];
const losses: Losses = session.losses;
const request: Event = session.event('request u32 status', 0);
const orders: Tracepoint = session.tracepoint('Shop', Level.INFORMATION, 1n, { group: 'g', flags: 0 });
const placed: EventHeader = orders.event('Placed', { id: 1, version: 1, opcode: Opcode.ACTIVITY_START, tag: 2 });
const fields: Fields = { order: 17, items: ['tea'], nothing: null, when: new Date(0) };
const isWritten: boolean = request.write(fields) && orders.write('Placed', fields) && orders.write('Nothing') &&
	placed.write() && placed.writeActivity(new Activity(), undefined, fields);
const state: [boolean, number, Losses, Session, number, string] = [request.enabled && placed.enabled, request.altered,
	orders.losses, orders.session, orders.level, placed.name];

const given = new Activity('00000000-0000-0000-0000-000000000001');
const same: Activity = new Activity(given.id);
const text: string = same.toString();
const current: Activity | undefined = userevents.currentActivity();
const sum: number = userevents.within(given, (a: number, b: number) => a + b, 1, 2);
const result: string = orders.activity('Checkout', fields, (activity) => activity.toString());
const promised: Promise<number> = orders.activity('Checkout', async () => 5);

const typed: Typed<unknown>[] = [userevents.u8(1), userevents.u16([1, 2]), userevents.u32(1), userevents.u64(1n),
	userevents.s8(-1), userevents.s16(-1), userevents.s32(-1), userevents.s64(-1n), userevents.hex8(1),
	userevents.hex16(1), userevents.hex32(1), userevents.hex64(1n), userevents.f32(0.5), userevents.f64(0.5),
	userevents.pid(1), userevents.port(80), userevents.errnoNumber(2), userevents.time(60),
	userevents.boolean([true]), userevents.uuid('00000000-0000-0000-0000-000000000001')];
const json: { readonly text: string } = userevents.json('{}');

const stream: { write(line: string): boolean } = userevents.pinoStream('Shop', { session, keyword: 1 });
const end: () => void = userevents.captureConsole('Shop', { session });
const [major, minor, patch]: [number, number, number] = userevents.version();
session.close();
export { byDefault, current, end, isWritten, json, losses, major, minor, numbers, other, patch, promised, result,
	state, stream, sum, text, typed };
