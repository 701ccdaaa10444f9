// SPDX-License-Identifier: MIT

/** Fields of an event, by name. README.md lists the types of values. */
export type Fields = Record<string, unknown>;
export type Losses = Record<string, number>;

export declare const Level: {
	readonly CRITICAL: 1;
	readonly ERROR: 2;
	readonly WARNING: 3;
	readonly INFORMATION: 4;
	readonly VERBOSE: 5;
};
export declare const Opcode: { readonly INFO: 0; readonly ACTIVITY_START: 1; readonly ACTIVITY_STOP: 2 };

/** An error of the library; its message has the cause and the fix. */
export declare class UserEventsError extends Error {
	readonly errno: number;
	readonly code?: string;
}

export interface SessionOptions {
	/** A user_events_data file or a ring. */
	path?: string;
	/** An open one, which stays the caller's. */
	fd?: number;
	/** Throw what fails, for tests of a program. */
	strict?: boolean;
}

export declare class Session {
	constructor(options?: SessionOptions);
	readonly strict: boolean;
	/** Why there is no session; nothing is written then. */
	readonly error: UserEventsError | undefined;
	readonly losses: Losses;
	/** Values of all its events that were not written as they are. */
	readonly altered: number;
	event(definition: string, flags?: number): Event;
	tracepoint(provider: string, level: number, keyword?: number | bigint,
		options?: { group?: string; flags?: number }): Tracepoint;
	close(): void;
}

declare abstract class Registered {
	protected constructor();
	readonly session: Session;
	readonly error: UserEventsError | undefined;
	/** Whether any tool listens. */
	readonly enabled: boolean;
	readonly losses: Losses;
	/** Values that were not written as they are. */
	readonly altered: number;
}

export declare class Event extends Registered {
	private constructor();
	/** False if the event was lost. */
	write(fields?: Fields): boolean;
}

export declare class Tracepoint extends Registered {
	private constructor();
	readonly level: number;
	write(name: string, fields?: Fields): boolean;
	event(name: string, options?: { id?: number; version?: number; opcode?: number; tag?: number }): EventHeader;
	activity<T>(name: string, call: (activity: Activity) => T): T;
	activity<T>(name: string, fields: Fields | undefined, call: (activity: Activity) => T): T;
}

export declare class EventHeader {
	private constructor();
	readonly tracepoint: Tracepoint;
	readonly name: string;
	readonly enabled: boolean;
	write(fields?: Fields): boolean;
	writeActivity(activity: Activity | undefined, related?: Activity, fields?: Fields): boolean;
}

/** An id that the events of one piece of work share. */
export declare class Activity {
	constructor(id?: Uint8Array | string);
	readonly id: Uint8Array;
	toString(): string;
}
export declare function currentActivity(): Activity | undefined;
export declare function within<A extends unknown[], T>(activity: Activity | undefined, call: (...given: A) => T,
	...given: A): T;

/** A value of one type of the trace. */
export interface Typed<T> {
	readonly value: T;
}
type Numbers = number | bigint | readonly (number | bigint)[];
export declare function u8<T extends Numbers>(value: T): Typed<T>;
export declare function u16<T extends Numbers>(value: T): Typed<T>;
export declare function u32<T extends Numbers>(value: T): Typed<T>;
export declare function u64<T extends Numbers>(value: T): Typed<T>;
export declare function s8<T extends Numbers>(value: T): Typed<T>;
export declare function s16<T extends Numbers>(value: T): Typed<T>;
export declare function s32<T extends Numbers>(value: T): Typed<T>;
export declare function s64<T extends Numbers>(value: T): Typed<T>;
export declare function hex8<T extends Numbers>(value: T): Typed<T>;
export declare function hex16<T extends Numbers>(value: T): Typed<T>;
export declare function hex32<T extends Numbers>(value: T): Typed<T>;
export declare function hex64<T extends Numbers>(value: T): Typed<T>;
export declare function f32<T extends Numbers>(value: T): Typed<T>;
export declare function f64<T extends Numbers>(value: T): Typed<T>;
export declare function pid<T extends Numbers>(value: T): Typed<T>;
export declare function port<T extends Numbers>(value: T): Typed<T>;
export declare function errnoNumber<T extends Numbers>(value: T): Typed<T>;
/** Seconds since 1970. */
export declare function time<T extends Numbers>(value: T): Typed<T>;
export declare function boolean<T extends boolean | readonly boolean[]>(value: T): Typed<T>;
export declare function uuid<T extends string | Uint8Array>(value: T): Typed<T>;
export declare function json(text: string): { readonly text: string };

export interface LoggerOptions {
	session?: Session;
	keyword?: number | bigint;
}
/** A stream for pino(). */
export declare function pinoStream(provider: string, options?: LoggerOptions): { write(line: string): boolean };
type Print = (...given: any[]) => void;
/** Makes events of console.log() and the like; the result ends this. */
export declare function captureConsole(provider: string,
	options?: LoggerOptions & { target?: Record<'debug' | 'trace' | 'log' | 'info' | 'warn' | 'error', Print> }): () => void;
/** Of libuserevents. */
export declare function version(): [number, number, number];
