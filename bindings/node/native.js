// SPDX-License-Identifier: MIT
'use strict';
// The addon: USEREVENTS_ADDON, or userevents.node beside this file.
const path = require('node:path');

module.exports = require(process.env.USEREVENTS_ADDON || path.join(__dirname, 'userevents.node'));
