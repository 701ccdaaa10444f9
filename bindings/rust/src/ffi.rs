// SPDX-License-Identifier: MIT
//! The C functions and structs, by hand. tests/bindings/declarations_test.py compares them
//! with the headers.
#![allow(non_camel_case_types, non_snake_case)]

use std::os::raw::{c_char, c_int, c_void};
use std::sync::atomic::AtomicU32;

/// Opaque: made and freed by the library.
#[repr(C)]
pub struct ue_tracepoint {
    private: [u8; 0],
}

/// Opaque: made and freed by the library.
#[repr(C)]
pub struct ue_builder {
    private: [u8; 0],
}

/// Opaque: made and freed by the library.
#[repr(C)]
pub struct ue_payload {
    private: [u8; 0],
}

/// An event; later versions of the library append members.
#[repr(C)]
pub struct ue_event {
    pub size: u32,
    pub flags: u32,
    pub definition: *const c_char,
    pub word: *const AtomicU32,
    pub ue__own_word: u32,
    pub ue__fixed_size: u32,
    pub ue__binding: u64,
    pub ue__status_byte: *const u8,
    pub ue__parts: *const ue_tracepoint_parts,
    pub ue__payload_max: u32,
    pub ue__direct_max: u32,
    pub ue__registration: *mut c_void,
    pub ue__write_call: u32,
}

/// The identity of a tracepoint.
#[repr(C)]
pub struct ue_tracepoint_parts {
    pub provider: *const c_char,
    pub group: *const c_char,
    pub keyword: u64,
    pub level: u32,
}

#[repr(C)]
pub struct ue_open_opts {
    pub size: usize,
    pub path: *const c_char,
    pub fd: c_int,
    pub flags: u32,
    pub payload_max: u32,
    pub spare: u32,
}

#[repr(C)]
pub struct ue_definition_error {
    pub offset: usize,
    pub length: usize,
    pub reason: *const c_char,
}

#[repr(C)]
pub struct ue_activity {
    pub id: [u8; 16],
}

pub const UE_OPEN_FD: u32 = 1;
pub const UE__NO_FD: u64 = 0x80000000;
pub const UE_PAYLOAD_MAX_LEAST: usize = 2048;
pub const UE_PAYLOAD_MAX_PERF: usize = 8184;
pub const UE__TRACEPOINT_TEXT: usize = 327;
pub const UE_HEADER_POINTER64: u8 = 0x01;
pub const UE_HEADER_LITTLE_ENDIAN: u8 = 0x02;
pub const UE_HEADER_EXTENSION: u8 = 0x04;
pub const UE_EXTENSION_METADATA: u16 = 1;
pub const UE_EXTENSION_ACTIVITY: u16 = 2;
pub const UE_EXTENSION_CHAIN: u16 = 0x8000;
pub const UE_ENCODING_CHAIN: u8 = 0x80;
pub const UE_CALL_OPEN: c_int = 0;
pub const UE_CALL_REGISTER: c_int = 2;
pub const UE_CALL_WRITE: c_int = 5;
pub const UE_CALL_BUILD: c_int = 6;
pub const UE_ENCODING_VALUE8: u8 = 2;
pub const UE_ENCODING_VALUE16: u8 = 3;
pub const UE_ENCODING_VALUE32: u8 = 4;
pub const UE_ENCODING_VALUE64: u8 = 5;
pub const UE_ENCODING_VALUE128: u8 = 6;
pub const UE_ENCODING_STRING_LENGTH16_CHAR8: u8 = 10;
pub const UE_ENCODING_BINARY_LENGTH16_CHAR8: u8 = 13;
pub const UE_ENCODING_VARRAY: u8 = 0x40;
pub const UE_FORMAT_DEFAULT: u8 = 0;
pub const UE_FORMAT_UNSIGNED_INT: u8 = 1;
pub const UE_FORMAT_SIGNED_INT: u8 = 2;
pub const UE_FORMAT_HEX_INT: u8 = 3;
pub const UE_FORMAT_ERRNO: u8 = 4;
pub const UE_FORMAT_PID: u8 = 5;
pub const UE_FORMAT_TIME: u8 = 6;
pub const UE_FORMAT_BOOLEAN: u8 = 7;
pub const UE_FORMAT_FLOAT: u8 = 8;
pub const UE_FORMAT_STRING_JSON: u8 = 14;
pub const UE_FORMAT_UUID: u8 = 15;
pub const UE_FORMAT_PORT: u8 = 16;
pub const UE_FORMAT_IP_ADDRESS: u8 = 17;

#[link(name = "userevents")]
extern "C" {
    pub fn ue__send_fixed(
        fd: c_int,
        record: *mut c_void,
        size: usize,
        event: *mut ue_event,
    ) -> c_int;
    pub fn ue_activity_create(activity: *mut ue_activity) -> c_int;
    pub fn ue_builder_begin_named(
        builder: *mut ue_builder,
        name: *const c_char,
        length: usize,
        options: u64,
    );
    pub fn ue_builder_describe(
        builder: *mut ue_builder,
        name: *const c_char,
        length: usize,
        encoding: u8,
        format: u8,
        count: u16,
    );
    pub fn ue_builder_free(builder: *mut ue_builder);
    pub fn ue_builder_new() -> *mut ue_builder;
    pub fn ue_builder_raw(builder: *mut ue_builder, bytes: *const c_void, size: usize);
    pub fn ue_builder_struct_begin(builder: *mut ue_builder, name: *const c_char, array: u8);
    pub fn ue_builder_struct_end(builder: *mut ue_builder);
    pub fn ue_builder_struct_next(builder: *mut ue_builder);
    pub fn ue_builder_tag(builder: *mut ue_builder, tag: u16);
    pub fn ue_builder_write(
        builder: *mut ue_builder,
        fd: c_int,
        tracepoint: *mut ue_tracepoint,
        activity: *const ue_activity,
        related: *const ue_activity,
    ) -> c_int;
    pub fn ue_close(fd: c_int) -> c_int;
    pub fn ue_definition_check(
        definition: *const c_char,
        flags: u32,
        error: *mut ue_definition_error,
    ) -> c_int;
    pub fn ue_enabled(event: *const ue_event) -> c_int;
    pub fn ue_event_free(event: *mut ue_event) -> c_int;
    pub fn ue_event_lost(fd: c_int, event: *const ue_event, error: c_int) -> c_int;
    pub fn ue_event_losses(event: *const ue_event, reason: c_int) -> u32;
    pub fn ue_event_new(definition: *const c_char, flags: u32, event: *mut *mut ue_event) -> c_int;
    pub fn ue_explain(call: c_int, error: c_int) -> *const c_char;
    pub fn ue_open(opts: *const ue_open_opts) -> c_int;
    pub fn ue_payload_begin(payload: *mut ue_payload);
    pub fn ue_payload_bytes(
        payload: *mut ue_payload,
        field: *const c_char,
        bytes: *const c_void,
        length: usize,
    ) -> c_int;
    pub fn ue_payload_finish(payload: *mut ue_payload, bytes: *mut *const c_void) -> isize;
    pub fn ue_payload_free(payload: *mut ue_payload);
    pub fn ue_payload_new(definition: *const c_char, payload: *mut *mut ue_payload) -> c_int;
    pub fn ue_payload_s64(payload: *mut ue_payload, field: *const c_char, value: i64) -> c_int;
    pub fn ue_payload_string(
        payload: *mut ue_payload,
        field: *const c_char,
        text: *const c_char,
    ) -> c_int;
    pub fn ue_payload_u64(payload: *mut ue_payload, field: *const c_char, value: u64) -> c_int;
    pub fn ue_register(fd: c_int, event: *mut ue_event) -> c_int;
    pub fn ue_session_losses(fd: c_int, reason: c_int) -> i64;
    pub fn ue_tracepoint_new(
        provider: *const c_char,
        group: *const c_char,
        level: u32,
        keyword: u64,
        flags: u32,
        tracepoint: *mut *mut ue_tracepoint,
    ) -> c_int;
    pub fn ue_version() -> u32;
    pub fn ue_write(fd: c_int, event: *mut ue_event, data: *const c_void, length: usize) -> c_int;
}
