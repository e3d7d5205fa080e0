// SPDX-License-Identifier: Apache-2.0
#pragma once

// What holds for the process of the tests before its first test; nothing here is called.
